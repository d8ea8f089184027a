"""Whatever the bytes, from_bytes gives a program within bounds, or raises Malformed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grader.program.digest import digest, skeleton
from grader.program.prune import prune
from grader.program.types import (
    Aval,
    Body,
    BodyRef,
    Constant,
    Container,
    Dtype,
    Equation,
    Leaf,
    Mesh,
    Other,
    Program,
    Record,
    Returned,
    Sharding,
    Source,
    Spec,
)
from grader.program.wire import SATURATED, Limits, Malformed, expanded_size, from_bytes, to_bytes
from tests.execution.programs import tensor_parallel_mlp
from tests.program.random_programs import programs

F = Aval((), "float32")
PAIR = Leaf(0), Leaf(1)
MLP = msgspec.structs.replace(tensor_parallel_mlp(), returned=Container("dict", ("hidden", "out"), PAIR))
VALID = to_bytes(MLP)
TREE = Leaf(0)


def one(equation: Equation, *bodies: Body, constants: tuple[Constant, ...] = (), inputs: int = 1) -> Program:
    """A program of one equation."""
    return Program((*bodies, Body((F,) * inputs, (equation,), (inputs,))), constants, TREE)


def step(operands: tuple[int, ...] = (0,), result: Aval = F, primitive: str = "neg", **params: Any) -> Program:
    return one(Equation(primitive, operands, (result,), params))


def returning(returned: Returned, outputs: int = 1) -> Program:
    return Program((Body((F,), (), (0,) * outputs),), (), returned)


def body(*equations: Equation, inputs: int = 1, outputs: tuple[int, ...] = (0,)) -> Body:
    return Body((F,) * inputs, equations, outputs)


def nested(depth: int) -> Program:
    """Bodies that call bodies, ``depth`` deep."""
    bodies = [body()]
    for level in range(depth - 1):
        bodies.append(body(Equation("jit", (0,), (F,), {"jaxpr": BodyRef(level)}), outputs=(1,)))
    return Program(tuple(bodies), (), TREE)


def doubling(levels: int) -> Program:
    bodies = [body(Equation("neg", (0,), (F,)), outputs=(1,))]
    for level in range(levels):
        call = {"jaxpr": BodyRef(level)}
        steps = (Equation("jit", (0,), (F,), call), Equation("jit", (1,), (F,), call))
        bodies.append(body(*steps, outputs=(2,)))
    return Program(tuple(bodies), (), TREE)


# ── what is accepted ─────────────────────────────────────────────────────────────────────────────

EVERYTHING = step(
    number=-(2**63),
    large=2**63 - 1,
    real=float("inf"),
    text="ünïcode ✓",
    flag=True,
    none=None,
    nested=(1, (2, (3, (4, "x")))),
    dtype=Dtype("bfloat16"),
    spec=Spec((("model",), (), ("*",), ("a", "b"))),
    mesh=Mesh(("a", "b"), (4, 2), tuple(range(8))),
    abstract=Mesh(("a",), (8,)),
    sharding=Sharding("NamedSharding", Mesh(("a",), (8,)), Spec((("a",),))),
    other=Sharding("SingleDeviceSharding"),
    record=Record("GatherDimensionNumbers", (("offset_dims", (0, 1)), ("inner", Record("X", ())))),
)


@pytest.mark.parametrize(
    "program",
    [
        MLP,
        EVERYTHING,
        step(result=Aval((0, 2**24), "key<fry>", ("model",))),
        one(Equation("add", (0, -1), (F,), {}, Source(3, 4, 5, 6)), constants=(Constant(F, bytes(4)),)),
        returning(Container("tuple", (), (*PAIR, Other("function"))), outputs=2),
        nested(100),
        doubling(64),
    ],
)
def test_programs_come_back_as_they_were(program: Program) -> None:
    assert from_bytes(to_bytes(program)) == program


@given(programs())
def test_random_programs_come_back_as_they_were(program: Program) -> None:
    assert from_bytes(to_bytes(program)) == program


def test_not_a_number_comes_back() -> None:
    program = from_bytes(to_bytes(step(real=float("nan"))))
    assert np.isnan(program.main.equations[0].params["real"])  # type: ignore[arg-type]


# ── what is refused ──────────────────────────────────────────────────────────────────────────────

MESH = Mesh(("model",), (2,))
MAPPED = {
    "jaxpr": BodyRef(0),
    "mesh": MESH,
    "in_specs": (Spec(()),),
    "out_specs": (Spec(()),),
    "check_vma": True,
    "manual_axes": ("model",),
    "pmap": False,
}
SCAN = {"jaxpr": BodyRef(0), "length": 2, "reverse": False, "num_consts": 0, "num_carry": 1}
CONDITION = Body((F,), (Equation("lt", (0, 0), (Aval((), "bool"),)),), (1,))
LOOP = {"cond_jaxpr": BodyRef(0), "body_jaxpr": BodyRef(1), "cond_nconsts": 0, "body_nconsts": 0}


def call(primitive: str, *bodies: Body, operands: tuple[int, ...] = (0,), **params: Any) -> Program:
    return one(Equation(primitive, operands, (F,), params), *(bodies or (body(),)))


REFUSED: dict[str, tuple[Program, str]] = {
    # bounds
    "no bodies": (Program((), (), Other("x")), "no main body"),
    "too deep": (nested(101), "more than 100 deep"),
    "many bodies": (Program((body(),) * 10_001, (), TREE), "10,001 bodies"),
    "many equations": (
        Program((body(*(Equation("neg", (0,), (F,)),) * 100_001),), (), TREE),
        "100,001 equations",
    ),
    "large array": (step(result=Aval((2**12, 2**13), "float32")), "elements"),
    "huge size": (step(result=Aval((2**62,), "float32")), "dimension of size"),
    "huge beside zero": (step(result=Aval((0, 2**62), "float32")), "dimension of size"),
    "overflowing shape": (step(result=Aval((2**24,) * 32, "float32")), "elements"),
    "negative size": (step(result=Aval((-1,), "float32")), "dimension of size -1"),
    "high rank": (step(result=Aval((1,) * 33, "float32")), "33 dimensions"),
    "dtype": (step(result=Aval((), "float31")), "'float31' is no dtype"),
    "object dtype": (step(result=Aval((), "object")), "no dtype"),
    "dtype in params": (step(new_dtype=Dtype("str")), "no dtype"),
    "long dtype": (step(result=Aval((), "x" * 5000)), "no dtype"),
    # references
    "operand ahead": (step((1,)), "no earlier value"),
    "operand its own": (step((5,)), "no earlier value"),
    "constant missing": (step((-1,)), "no earlier value"),
    "huge operand": (step((2**63,)), "no earlier value"),
    "output ahead": (Program((Body((F,), (), (1,)),), (), TREE), "output 1"),
    "output without constant": (Program((Body((F,), (), (-1,)),), (), TREE), "output -1"),
    "body itself": (call("jit", jaxpr=BodyRef(1)), "no earlier one"),
    "body ahead": (call("jit", jaxpr=BodyRef(2)), "no earlier one"),
    "body negative": (call("jit", jaxpr=BodyRef(-1)), "no earlier one"),
    "body in a record": (step(r=Record("R", (("f", BodyRef(7)),))), "no earlier one"),
    "body in tuples": (step(r=((1, (2, (BodyRef(0),))),)), "no earlier one"),
    # constants
    "constant too short": (one(Equation("neg", (0,), (F,)), constants=(Constant(F, bytes(3)),)), "the bytes"),
    "constant too long": (one(Equation("neg", (0,), (F,)), constants=(Constant(F, bytes(5)),)), "the bytes"),
    "key of four bytes": (
        one(Equation("neg", (0,), (F,)), constants=(Constant(Aval((), "key<fry>"), bytes(4)),)),
        "the bytes",
    ),
    # names and strings
    "empty primitive": (step(primitive=""), "is no name"),
    "long primitive": (step(primitive="a" * 129), "is no name"),
    "line break in a primitive": (step(primitive="neg\n"), "is no name"),
    "letters beyond ASCII": (step(primitive="ｎeg"), "is no name"),
    "long param name": (step(**{"a" * 129: 1}), "is no name"),
    "long text": (step(text="a" * 1025), "1,025 characters"),
    "many params": (step(**{f"p{k}": 1 for k in range(65)}), "65 params"),
    "number beyond 64 bits": (step(number=2**63), "64 bits"),
    "number in a tuple": (step(number=(1, (2**64 - 1,))), "64 bits"),
    "record twice": (step(r=Record("R", (("a", 1), ("a", 2)))), "stand twice"),
    "long axis": (step(s=Spec((("a" * 129,),))), "axis name"),
    "source": (one(Equation("neg", (0,), (F,), {}, Source(-1, 0))), "source position"),
    # meshes and specs
    "mesh too large": (step(m=Mesh(("a", "b"), (8, 9))), "72 devices"),
    "mesh axis too large": (step(m=Mesh(("a",), (2**40,))), "axis of size"),
    "mesh of nothing": (step(m=Mesh(("a",), (0,))), "axis of size 0"),
    "mesh names twice": (step(m=Mesh(("a", "a"), (2, 2))), "stand twice"),
    "mesh sizes missing": (step(m=Mesh(("a", "b"), (2,))), "one size"),
    "mesh devices twice": (step(m=Mesh(("a",), (2,), (0, 0))), "devices"),
    "mesh devices missing": (step(m=Mesh(("a",), (2,), (0,))), "devices"),
    "mesh device ids": (step(m=Mesh(("a",), (2,), (0, -1))), "device id"),
    "spec twice": (step(s=Spec((("a",), ("a",)))), "stand twice"),
    "spec not shortest": (step(s=Spec((("a",), ()))), "shortest form"),
    "sharding without mesh": (step(s=Sharding("NamedSharding")), "without its mesh"),
    "sharding axes": (step(s=Sharding("NamedSharding", MESH, Spec((("x",),)))), "axes that its mesh"),
    # returned
    "leaf ahead": (returning(Leaf(1)), "each output once"),
    "leaf twice": (returning(Container("list", (), (TREE, TREE))), "each output once"),
    "leaf missing": (returning(Leaf(0), outputs=2), "each output once"),
    "key twice": (returning(Container("dict", ("a", "a"), PAIR), outputs=2), "stand twice"),
    "keys missing": (returning(Container("dict", (), PAIR), outputs=2), "missing"),
    "keys too many": (returning(Container("tuple", ("a",), PAIR), outputs=2), "one for each child"),
    # calls
    "call without a body": (call("jit", name="f"), "no body"),
    "call of nothing": (step(primitive="scan"), "lacks its body"),
    "call of more": (call("jit", jaxpr=BodyRef(0), other=(BodyRef(0),)), "where it calls none"),
    "call of two": (call("jit", operands=(0, 0), jaxpr=BodyRef(0)), "operands are 2"),
    "call of another shape": (
        call("remat", Body((Aval((3,), "float32"),), (), (0,)), jaxpr=BodyRef(0)),
        "operands differ",
    ),
    "call of another dtype": (
        call("jit", Body((F,), (Equation("eq", (0, 0), (Aval((), "bool"),)),), (1,)), jaxpr=BodyRef(0)),
        "results differ",
    ),
    "scan without length": (call("scan", **{**SCAN, "length": None}), "no counts"),
    "scan with a bool for a count": (call("scan", **{**SCAN, "num_carry": True}), "no counts"),
    "scan direction": (call("scan", **{**SCAN, "reverse": 1}), "direction"),
    "scan counts": (call("scan", **{**SCAN, "num_carry": 2}), "exceed"),
    "scan rows": (call("scan", **{**SCAN, "num_carry": 0}), "operands differ"),
    "while without counts": (call("while", CONDITION, body(), **{**LOOP, "body_nconsts": -1}), "no counts"),
    "while condition": (call("while", CONDITION, body(), **{**LOOP, "cond_jaxpr": BodyRef(1)}), "condition differ"),
    "cond index": (call("cond", branches=(BodyRef(0),)), "neither an int32 nor a bool"),
    "cond without branches": (call("cond", branches=()), "no branches"),
    "map mesh": (call("shard_map", **{**MAPPED, "mesh": None}), "lacks its body or mesh"),
    "map specs": (call("shard_map", **{**MAPPED, "in_specs": ()}), "one for each"),
    "map rank": (call("shard_map", **{**MAPPED, "in_specs": (Spec((("model",),)),)}), "do not divide"),
    "map axes": (call("shard_map", **{**MAPPED, "manual_axes": ("x",)}), "manual axes"),
    "map check": (call("shard_map", **{**MAPPED, "check_vma": 1}), "no bool"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    program, message = REFUSED[name]
    with pytest.raises(Malformed, match=message) as caught:
        from_bytes(to_bytes(program))
    assert len(str(caught.value)) < 400


def test_indivisible_blocks_are_refused() -> None:
    three = Aval((3,), "float32")
    params = {**MAPPED, "in_specs": (Spec((("model",),)),)}
    main = Body((three,), (Equation("shard_map", (0,), (F,), params),), (1,))
    with pytest.raises(Malformed, match="do not divide"):
        from_bytes(to_bytes(Program((body(), main), (), TREE)))


# ── the bytes themselves ─────────────────────────────────────────────────────────────────────────


def swap(old: bytes, new: bytes, data: bytes = VALID) -> bytes:
    assert old in data
    return data.replace(old, new, 1)


NEG = to_bytes(step(a=1))
LEAF = b"\x82\xa4type\xa4leaf\xa6output\x00"
DEEP_TREE = b"\x84\xa4type\xa9container\xa4kind\xa0\xa4keys\x90\xa8children\x91"
DEEP_RECORD = b"\x83\xa4type\xa6record\xa4kind\xa1R\xa6fields\x91\x92\xa1f"

RAW: dict[str, bytes] = {
    "nothing": b"",
    "another type": b"\xc0",
    "trailing": VALID + b"\x00",
    "twice": VALID + VALID,
    "truncated": VALID[:-1],
    "length bomb": b"\xdd\xff\xff\xff\xff",
    "string bomb": b"\x93\x91\x93\x90\x91\x95\xdb\xff\xff\xff\xff",
    "binary bomb": b"\x93\x90\x91\x92\x92\x90\xa7float32\xc6\xff\xff\xff\xff",
    "map bomb": b"\xdf\xff\xff\xff\xff",
    "key twice": swap(b"\x81\xa1a\x01", b"\x82\xa1a\x01\xa1a\x01", NEG),
    "key twice in a struct": swap(LEAF, b"\x83\xa4type\xa4leaf\xa6output\x00\xa6output\x00", NEG),
    "unknown field": swap(b"\x82\xa4type\xa4leaf", b"\x83\xa4type\xa4leaf\xa1x\x00", NEG),
    "longer array": swap(b"\x93", b"\x94", NEG) + b"\x00",
    "long spelling of a number": swap(b"\xa1a\x01", b"\xa1a\xcd\x00\x01", NEG),
    "float for a number": swap(b"\xa6output\x00", b"\xa6output\xcb" + bytes(8), NEG),
    "bool for a number": swap(b"\xa6output\x00", b"\xa6output\xc2", NEG),
    "lone surrogate": swap(b"\xa3neg", b"\xa3\xed\xa0\x80", NEG),
    "not UTF-8": swap(b"\xa3neg", b"\xa3\xff\xfe\xfd", NEG),
    "number for a key": swap(b"\x81\xa1a\x01", b"\x81\x01\x01", NEG),
    "extension type": swap(b"\xa1a\x01", b"\xa1a\xd4\x01\x00", NEG),
    "timestamp": swap(b"\xa1a\x01", b"\xa1a\xd6\xff\x00\x00\x00\x00", NEG),
    "bytes for a param": swap(b"\xa1a\x01", b"\xa1a\xc4\x01x", NEG),
    "unknown tag": swap(b"\xa4leaf", b"\xa4loaf", NEG),
    "deep tuple": b"\x91" * 100_000,
    "deep param": swap(b"\xa1a\x01", b"\xa1a" + b"\x91" * 100_000 + b"\x01", NEG),
    "deep tree": swap(LEAF, DEEP_TREE * 50_000 + LEAF, NEG),
    "tree of 65": swap(LEAF, DEEP_TREE * 65 + LEAF, NEG),
    "deep record": swap(b"\xa1a\x01", b"\xa1a" + DEEP_RECORD * 50_000 + b"\x01", NEG),
    "too long": VALID + bytes(8 << 20),
}


@pytest.mark.parametrize("name", RAW)
def test_bytes_that_are_refused(name: str) -> None:
    with pytest.raises(Malformed) as caught:
        from_bytes(RAW[name])
    assert len(str(caught.value)) < 400


def survives(data: bytes) -> None:
    """A program that encodes to these very bytes and can be worked with, or Malformed."""
    program, message = None, ""
    try:
        program = from_bytes(data)
    except Malformed as error:
        message = str(error)
    assert len(message) < 400
    if program is not None:
        assert to_bytes(program) == data
        assert expanded_size(program) >= 0
        assert digest(prune(program)) == digest(program)
        assert skeleton(program)


@given(st.binary(max_size=200))
@example(b"\x93\x90\x90\xc0")
def test_random_bytes(data: bytes) -> None:
    survives(data)


@given(st.integers(0, len(VALID)))
def test_truncated_programs(length: int) -> None:
    survives(VALID[:length])


Edit = Callable[[bytes], bytes]


def edits(size: int) -> st.SearchStrategy[list[tuple[int, int, bytes]]]:
    """Places, how many bytes to take out there, and what to put in."""
    bombs = [b"\xdd\xff\xff\xff\xff", b"\xcf" + b"\xff" * 8, b"\xd3\x80" + bytes(7), b"\x90", b"\x80"]
    return st.lists(
        st.tuples(st.integers(0, size - 1), st.integers(0, 4), st.binary(max_size=4) | st.sampled_from(bombs)),
        min_size=1,
        max_size=4,
    )


def edited(data: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    for place, removed, added in changes:
        data = data[:place] + added + data[place + removed :]
    return data


@settings(max_examples=400)
@given(edits(len(VALID)))
def test_mutated_programs(changes: list[tuple[int, int, bytes]]) -> None:
    survives(edited(VALID, changes))


PACKED_EVERYTHING = to_bytes(EVERYTHING)


@settings(max_examples=400)
@given(edits(len(PACKED_EVERYTHING)))
def test_mutated_params(changes: list[tuple[int, int, bytes]]) -> None:
    survives(edited(PACKED_EVERYTHING, changes))


words = st.text(max_size=4)
atoms = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | words | st.binary(max_size=4)
plain = st.recursive(
    atoms,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | st.just("type"), inner, max_size=3),
    max_leaves=20,
)


@given(st.data())
def test_other_data_in_a_program(data: st.DataObject) -> None:
    """Any part of a valid program replaced by something else of the same format."""
    tree: Any = msgspec.msgpack.decode(VALID)
    place: Any = tree
    for _ in range(data.draw(st.integers(0, 9))):
        inner = list(range(len(place))) if isinstance(place, list) else list(place)
        chosen = data.draw(st.sampled_from(inner))
        if not isinstance(place[chosen], (list, dict)) or not place[chosen]:
            break
        place = place[chosen]
    keys = list(range(len(place))) if isinstance(place, list) else list(place)
    place[data.draw(st.sampled_from(keys))] = data.draw(plain)
    survives(msgspec.msgpack.encode(tree))


# ── sizes ────────────────────────────────────────────────────────────────────────────────────────


def test_limits_can_be_lowered() -> None:
    with pytest.raises(Malformed, match="at most 5"):
        from_bytes(VALID, Limits(equations=5))
    with pytest.raises(Malformed, match="at most 100"):
        from_bytes(VALID, Limits(bytes=100))


def test_constants_are_bounded_together() -> None:
    constants = tuple(Constant(Aval((1000,), "float32"), bytes(4000)) for _ in range(3))
    program = one(Equation("neg", (0,), (F,)), constants=constants)
    assert from_bytes(to_bytes(program), Limits(constant_bytes=12_000)) == program
    with pytest.raises(Malformed, match="constants of 12,000 bytes"):
        from_bytes(to_bytes(program), Limits(constant_bytes=11_999))


def test_expanded_size() -> None:
    assert expanded_size(MLP) == 10
    assert expanded_size(doubling(3)) == 8 + 8 + 4 + 2
    assert expanded_size(doubling(90)) == SATURATED
