"""Programs as bytes: the boundary between the process that runs a submission and the judge.

In come bytes that anyone may have written; out goes a `Program` that is within bounds and hangs
together, or `Malformed` and nothing else. All of it is one pass over the data, before anything is
computed from it.

The bytes are MessagePack in exactly the form that `to_bytes` writes. Anything else that a lenient
reader would take for the same program (a key twice, unknown fields, a longer spelling of a number,
bytes at the end) is refused, because encoding what was read must give the bytes that were read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

import msgspec

from grader.program.calls import CALLS, Signature, Types, body_refs, misfit, types
from grader.program.types import (
    Aval,
    Body,
    BodyRef,
    Container,
    Dtype,
    Equation,
    Leaf,
    Mesh,
    Param,
    Program,
    Record,
    Returned,
    Sharding,
    Spec,
)

ITEM_BYTES: dict[str, int] = {
    **dict.fromkeys(("bool", "int8", "uint8", "int2", "int4", "uint2", "uint4", "float0"), 1),
    **dict.fromkeys(
        (
            "float4_e2m1fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 "
            "float8_e5m2fnuz float8_e8m0fnu"
        ).split(),
        1,
    ),
    **dict.fromkeys(("int16", "uint16", "float16", "bfloat16"), 2),
    **dict.fromkeys(("int32", "uint32", "float32"), 4),
    **dict.fromkeys(("int64", "uint64", "float64", "complex64", "key<fry>"), 8),
    **dict.fromkeys(("complex128", "key<rbg>", "key<urbg>"), 16),
}
"""The bytes of one element, for every dtype that may stand in a program."""

_INT64 = range(-(1 << 63), 1 << 63)


class Malformed(Exception):
    """Bytes that are no program, or none within bounds: the message says what is wrong."""


class TooLarge(Malformed):
    """A program whose values would not fit into memory."""


class Limits(msgspec.Struct, frozen=True):
    """How large a program may be."""

    bytes: int = 8 << 20
    equations: int = 100_000
    """Of all bodies together, each body counted once."""
    bodies: int = 10_000
    depth: int = 100
    """How deep bodies call bodies."""
    rank: int = 32
    elements: int = 1 << 24
    """Of one array."""
    constant_bytes: int = 16 << 20
    """Of all constants together."""
    mesh: int = 64
    """Devices of a mesh."""
    name: int = 128
    """Characters of a name, such as a primitive's, a param's or an axis's."""
    text: int = 1024
    """Characters of any other string."""
    params: int = 64
    """Of one equation."""
    structure: int = 64
    """How deep the returned structure nests."""


DEFAULT_LIMITS = Limits()

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Program)


def to_bytes(program: Program) -> bytes:
    """The program as bytes; equal programs give equal bytes."""
    return _encoder.encode(program)


def from_bytes(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Program:
    """The program that ``data`` says. Raises `Malformed`, never anything else, and keeps to ``limits``."""
    if len(data) > limits.bytes:
        raise Malformed(f"the program takes {len(data):,} bytes; at most {limits.bytes:,} are allowed")
    try:
        program = _decoder.decode(data)
        _Check(limits, program).run()
        again = _encoder.encode(program)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise Malformed(str(error)[:200]) from None
    except RecursionError:
        raise Malformed("the data nests too deeply") from None
    if again != data:
        raise Malformed("the data is not in the one form that a program is written in")
    return program


SATURATED = (1 << 63) - 1


def expanded_size(program: Program) -> int:
    """How many equations the program has with every body written out where it is called.

    Loops count once, whatever their length. Computed from each body's size once; `SATURATED` stands
    for that many or more.
    """
    sizes: list[int] = []
    for body in program.bodies:
        size = len(body.equations)
        for equation in body.equations:
            for ref in body_refs(equation.params):
                size += sizes[ref]
        sizes.append(min(size, SATURATED))
    return sizes[-1]


class _Check:
    """One pass over a decoded program."""

    def __init__(self, limits: Limits, program: Program) -> None:
        self.limits = limits
        self.program = program
        self.shapes: set[tuple[int, ...]] = set()
        self.names: set[str] = set()
        self.varying: set[tuple[str, ...]] = {()}
        self.signatures: list[Signature] = []
        self.types: dict[Types, Types] = {}

    def run(self) -> None:
        program, limits = self.program, self.limits
        if not program.bodies:
            raise Malformed("there is no main body")
        if len(program.bodies) > limits.bodies:
            raise Malformed(f"{len(program.bodies):,} bodies; at most {limits.bodies:,} are allowed")
        equations = sum(len(body.equations) for body in program.bodies)
        if equations > limits.equations:
            raise Malformed(f"{equations:,} equations; at most {limits.equations:,} are allowed")
        self.constants()
        depths: list[int] = []
        for index, body in enumerate(program.bodies):
            depth = self.body(index, body, depths)
            if depth > limits.depth:
                raise Malformed(f"bodies call bodies more than {limits.depth} deep")
            depths.append(depth)
        self.returned()

    def constants(self) -> None:
        total = 0
        self.avals([constant.aval for constant in self.program.constants])
        for constant in self.program.constants:
            size = len(constant.data)
            total += size
            if size != ITEM_BYTES[constant.aval.dtype] * prod(constant.aval.shape):
                raise Malformed("a constant does not have the bytes that its shape and dtype need")
        if total > self.limits.constant_bytes:
            raise Malformed(f"constants of {total:,} bytes; at most {self.limits.constant_bytes:,} are allowed")

    def body(self, index: int, body: Body, depths: Sequence[int]) -> int:
        """Checks a body; returns how deep it nests, from 1."""
        constants = self.program.constants
        lowest = -len(constants)
        names = self.names
        depth = 1
        self.avals(body.inputs)
        values = list(body.inputs)
        for equation in body.equations:
            count = len(values)
            for k in equation.operands:
                if not lowest <= k < count:
                    raise Malformed(f"operand {k} of {equation.primitive[:80]!r} is no earlier value")
            if equation.primitive not in names:
                self.name(equation.primitive)
            self.avals(equation.results)
            if (equation.params and self.params(equation.params)) or equation.primitive in CALLS:
                for ref in body_refs(equation.params):
                    if not 0 <= ref < index:
                        raise Malformed(f"{equation.primitive!r} calls a body that is no earlier one")
                    depth = max(depth, depths[ref] + 1)
                self.call(equation, values)
            source = equation.source
            if source is not None and not (
                0 <= source.line < 1 << 31
                and 0 <= source.column < 1 << 31
                and 0 <= source.end_line < 1 << 31
                and 0 <= source.end_column < 1 << 31
            ):
                raise Malformed("a source position is out of range")
            values += equation.results
        count = len(values)
        for k in body.outputs:
            if not lowest <= k < count:
                raise Malformed(f"output {k} is no value of its body")
        outputs = types([values[k] if k >= 0 else constants[-k - 1].aval for k in body.outputs])
        self.signatures.append(Signature(self.unique(types(body.inputs)), self.unique(outputs)))
        return depth

    def unique(self, kinds: Types) -> Types:
        """The one object for all equal types."""
        return self.types.setdefault(kinds, kinds)

    def call(self, equation: Equation, values: Sequence[Aval]) -> None:
        constants = self.program.constants
        operands = types([values[k] if k >= 0 else constants[-k - 1].aval for k in equation.operands])
        reason = misfit(equation, operands, self.signatures)
        if reason:
            raise Malformed(f"{equation.primitive!r} does not fit the body it calls: {reason}")

    def avals(self, avals: Iterable[Aval]) -> None:
        for aval in avals:
            if aval.shape not in self.shapes:
                self.shape(aval.shape)
            if aval.dtype not in ITEM_BYTES:
                raise Malformed(f"{aval.dtype[:80]!r} is no dtype that is known here")
            if aval.varying not in self.varying:
                self.axes(aval.varying)
                self.varying.add(aval.varying)

    def shape(self, shape: tuple[int, ...]) -> None:
        if len(shape) > self.limits.rank:
            raise Malformed(f"an array of {len(shape)} dimensions; at most {self.limits.rank} are allowed")
        elements = 1
        for size in shape:
            # Each size is bounded too: with a zero among them the product says nothing.
            if not 0 <= size <= self.limits.elements:
                raise Malformed(f"a dimension of size {size}")
            elements *= size
        if elements > self.limits.elements:
            raise TooLarge(f"an array of {elements:,} elements; at most {self.limits.elements:,} are allowed")
        self.shapes.add(shape)

    def axes(self, names: tuple[str, ...]) -> None:
        if len(names) > self.limits.rank or len(set(names)) != len(names):
            raise Malformed("axis names that are too many or stand twice")
        for name in names:
            self.axis(name)

    def axis(self, name: str) -> None:
        # Axis names are any strings in JAX.
        if len(name) > self.limits.name:
            raise Malformed(f"an axis name of {len(name):,} characters")

    def name(self, name: str) -> None:
        """A primitive's or param's name: letters, digits and a few signs."""
        if name in self.names:
            return
        if not 0 < len(name) <= self.limits.name or not name.isascii() or not name.isprintable():
            raise Malformed(f"{name[:80]!r} is no name")
        if not name.replace("_", "").replace("-", "").replace(".", "").isalnum():
            raise Malformed(f"{name[:80]!r} is no name")
        self.names.add(name)

    def params(self, params: dict[str, Param]) -> bool:
        """Checks params; says whether bodies may stand in them."""
        if len(params) > self.limits.params:
            raise Malformed(f"an equation with {len(params):,} params")
        bodies = False
        names = self.names
        for name, value in params.items():
            if name not in names:
                self.name(name)
            if value is not None and self.param(value):
                bodies = True
        return bodies

    def param(self, value: object) -> bool:
        kind = type(value)
        if kind is int:
            if value not in _INT64:
                raise Malformed("a number does not fit into 64 bits")
        elif kind is str:
            assert isinstance(value, str)
            if len(value) > self.limits.text:
                raise Malformed(f"a string of {len(value):,} characters")
        elif isinstance(value, tuple):
            bodies = False
            for item in value:
                if type(item) is int:
                    if item not in _INT64:
                        raise Malformed("a number does not fit into 64 bits")
                elif item is not None and self.param(item):
                    bodies = True
            return bodies
        elif kind is BodyRef:
            return True
        elif isinstance(value, Dtype):
            if value.name not in ITEM_BYTES:
                raise Malformed(f"{value.name[:80]!r} is no dtype that is known here")
        elif isinstance(value, Spec):
            self.spec(value)
        elif isinstance(value, Mesh):
            self.mesh(value)
        elif isinstance(value, Sharding):
            self.sharding(value)
        elif isinstance(value, Record):
            self.name(value.kind)
            if len(value.fields) > self.limits.params or len({name for name, _ in value.fields}) != len(value.fields):
                raise Malformed("a record whose fields are too many or stand twice")
            bodies = False
            for name, field in value.fields:
                self.name(name)
                bodies |= self.param(field)
            return bodies
        return False

    def spec(self, spec: Spec) -> None:
        if len(spec.axes) > self.limits.rank:
            raise Malformed(f"a spec of {len(spec.axes):,} dimensions")
        names = [name for entry in spec.axes for name in entry if name != "*"]
        self.axes(tuple(names))
        if any("*" in entry and entry != ("*",) for entry in spec.axes) or (spec.axes and spec.axes[-1] == ()):
            raise Malformed("a spec that is not in its shortest form")

    def mesh(self, mesh: Mesh) -> None:
        self.axes(mesh.names)
        if len(mesh.sizes) != len(mesh.names):
            raise Malformed("a mesh needs one size for each axis")
        for size in mesh.sizes:
            if not 1 <= size <= self.limits.mesh:
                raise Malformed(f"a mesh axis of size {size}")
        if prod(mesh.sizes) > self.limits.mesh:
            raise Malformed(f"a mesh of {prod(mesh.sizes):,} devices; at most {self.limits.mesh} are allowed")
        devices = mesh.devices
        if devices and (len(devices) != prod(mesh.sizes) or len(set(devices)) != len(devices)):
            raise Malformed("the devices of a mesh are not one for each of its places")
        if not all(0 <= device < 1 << 31 for device in devices):
            raise Malformed("a device id is out of range")

    def sharding(self, sharding: Sharding) -> None:
        self.name(sharding.kind)
        if sharding.kind == "NamedSharding" and (sharding.mesh is None or sharding.spec is None):
            raise Malformed("a NamedSharding without its mesh or spec")
        if sharding.mesh is not None:
            self.mesh(sharding.mesh)
        if sharding.spec is not None:
            self.spec(sharding.spec)
            if sharding.mesh is not None:
                known = {"*", *sharding.mesh.names}
                if not all(name in known for entry in sharding.spec.axes for name in entry):
                    raise Malformed("a sharding over axes that its mesh does not have")

    def returned(self) -> None:
        """The returned structure names each output of the main body exactly once."""
        outputs = len(self.program.main.outputs)
        leaves: list[int] = []
        pending: list[tuple[Returned, int]] = [(self.program.returned, 1)]
        while pending:
            node, depth = pending.pop()
            if depth > self.limits.structure:
                raise Malformed(f"the returned structure nests more than {self.limits.structure} deep")
            if isinstance(node, Leaf):
                leaves.append(node.output)
                continue
            if not len(node.kind) <= self.limits.name:
                raise Malformed("a type name that is too long")
            if isinstance(node, Container):
                if any(len(key) > self.limits.text for key in node.keys):
                    raise Malformed("a key of the returned structure that is too long")
                if node.keys and len(node.keys) != len(node.children):
                    raise Malformed("the keys of a returned structure are not one for each child")
                if node.kind == "dict" and (
                    len(node.keys) != len(node.children) or len(set(node.keys)) != len(node.keys)
                ):
                    raise Malformed("the keys of a returned dict are missing or stand twice")
                pending += [(child, depth + 1) for child in node.children]
        if sorted(leaves) != list(range(outputs)):
            raise Malformed("the returned structure does not name each output once")
