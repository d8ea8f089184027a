"""Digests of programs: equal for programs that are the same but for things that change nothing.

`digest` tells programs apart by what they compute and how. `skeleton` tells apart how they are built,
whatever the sizes: two traces of the same code at different shapes have equal skeletons.

Both work on the pruned program. Every value gets the hash of the equation that makes it, of its
operands' hashes and of its place among the results; a body is the multiset of its equations and the
list of its outputs. So names, source positions, how values and bodies are numbered, and the order of
equations that do not need each other do not count; that an equation stands twice does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import chain
from typing import Protocol

import msgspec

from grader.program.calls import INLINED, body_refs
from grader.program.prune import prune
from grader.program.types import Aval, BodyRef, Constant, Equation, Program, Record

_SIZE = 16
_encode = msgspec.msgpack.Encoder(order="deterministic").encode

_NAMED = INLINED | {"name"}
"""Primitives whose param ``name`` is only a name."""

STRUCTURAL = frozenset(
    (
        "axes axis all_gather_dimension batch_dims body_nconsts broadcast_dimensions cond_nconsts concat_axis "
        "dimension dimension_numbers dimensions index_dtype num_carry num_consts num_keys perm permutation "
        "scatter_dimension split_axis y"
    ).split()
)
"""Params whose numbers name dimensions, devices or counts of operands: no sizes, so a skeleton has them."""


def digest(program: Program, *, pruned: bool = False) -> str:
    """32 hexadecimal digits, the same in every process. ``pruned``: the program is without dead code already."""
    return _hash_of(program if pruned else prune(program), _Exact())


def skeleton(program: Program) -> str:
    """As `digest`, without shapes (ranks count), constants' values, and numbers in params that may be sizes."""
    return _hash_of(prune(program), _Sizeless())


def equation_digests(program: Program) -> Iterator[tuple[Equation, str]]:
    """Every equation of a pruned program with its digest: that of what it computes, from what, and in which body.

    Equal programs have equations of the same digests. Equations of a body that do the same have the same.
    """
    found: list[tuple[Equation, bytes]] = []
    _hash_of(program, _Exact(), found)
    return ((equation, whole.hex()) for equation, whole in found)


class _Reading(Protocol):
    """What of avals, constants and params counts, as something that can be encoded."""

    def avals(self, avals: Iterable[Aval]) -> object: ...

    def constant(self, constant: Constant) -> object: ...

    def params(self, equation: Equation) -> dict[str, object]: ...


class _Exact:
    def avals(self, avals: Iterable[Aval]) -> object:
        # The varying axes are a hint and no part of a program.
        return [(aval.shape, aval.dtype) for aval in avals]

    def constant(self, constant: Constant) -> object:
        return (self.avals((constant.aval,)), constant.data)

    def params(self, equation: Equation) -> dict[str, object]:
        params: dict[str, object] = dict(equation.params)
        if equation.primitive in _NAMED:
            params.pop("name", None)
        return params


class _Sizeless(_Exact):
    def avals(self, avals: Iterable[Aval]) -> object:
        return [(len(aval.shape), aval.dtype) for aval in avals]

    def constant(self, constant: Constant) -> object:
        return self.avals((constant.aval,))

    def params(self, equation: Equation) -> dict[str, object]:
        params = super().params(equation)
        return {key: value if key in STRUCTURAL else _without_numbers(value) for key, value in params.items()}


def _without_numbers(value: object) -> object:
    if type(value) is int:
        return b""  # nothing else in params is bytes
    if isinstance(value, tuple):
        return tuple([_without_numbers(item) for item in value])
    # The numbers of a record (dimension numbers) name dimensions, those of a mesh its devices: no sizes of arrays.
    return value


def _hash(*parts: bytes) -> bytes:
    """The hash of parts that are hashes themselves or stand first: no two lists of parts look alike."""
    return blake2b(b"".join(parts), digest_size=_SIZE).digest()


def _hash_of(program: Program, reading: _Reading, found: list[tuple[Equation, bytes]] | None = None) -> str:
    """The program's hash; those of its equations are added to ``found``."""
    constants = [_hash(b"constant", _encode(reading.constant(constant))) for constant in program.constants]
    bodies: list[bytes] = []
    for body in program.bodies:
        values = [_hash(b"input", _encode((number, reading.avals((aval,))))) for number, aval in enumerate(body.inputs)]
        made: list[bytes] = []
        for equation in body.equations:
            params = reading.params(equation)
            called = body_refs(equation.params)
            if called:
                # What a body is counts, not its number; they are taken in the order that params are encoded in.
                called = body_refs(dict(sorted(equation.params.items())))
                params = {key: _without_refs(value) for key, value in params.items()}
            head = _encode((equation.primitive, params, reading.avals(equation.results), len(called)))
            operands = [values[k] if k >= 0 else constants[-k - 1] for k in equation.operands]
            whole = _hash(len(head).to_bytes(8, "big"), head, *[bodies[ref] for ref in called], *operands)
            made.append(whole)
            values += [_hash(b"result", whole, number.to_bytes(4, "big")) for number in range(len(equation.results))]
        outputs = [values[k] if k >= 0 else constants[-k - 1] for k in body.outputs]
        counts = _encode((len(body.inputs), len(made), len(outputs)))
        bodies.append(_hash(b"body", counts, *chain(values[: len(body.inputs)], sorted(made), outputs)))
        if found is not None:
            found += [(each, _hash(bodies[-1], own)) for each, own in zip(body.equations, made, strict=True)]
    return _hash(bodies[-1], _encode(program.returned)).hex()


def _without_refs(value: object) -> object:
    if isinstance(value, BodyRef):
        return BodyRef(0)
    if isinstance(value, tuple):
        return tuple([_without_refs(item) for item in value])
    if isinstance(value, Record):
        fields = [(name, _without_refs(field)) for name, field in value.fields]
        return {"kind": value.kind, "fields": fields, "type": "record"}
    return value
