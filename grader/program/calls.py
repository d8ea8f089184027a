"""How the operands and results of an equation line up with the bodies it calls.

Every primitive of canonical form that calls bodies is known here: what comes in is an equation, the
types of its operands and of the bodies; what goes out is the reason why they do not fit together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import NamedTuple

from grader.program.types import Aval, BodyRef, Equation, Mesh, Param, Record, Spec

Type = tuple[tuple[int, ...], str]
"""Shape and dtype."""
Types = tuple[Type, ...]


class Signature(NamedTuple):
    """What a body takes and gives."""

    inputs: Types
    outputs: Types


def types(avals: Iterable[Aval]) -> Types:
    return tuple([(aval.shape, aval.dtype) for aval in avals])


INLINED = frozenset({"jit", "remat", "custom_jvp_call", "custom_vjp_call"})
"""Calls whose operands and results are just those of their one body, ``jaxpr``."""


def body_refs(params: dict[str, Param]) -> list[int]:
    """The indices of the bodies that stand anywhere in ``params``, in order, repetitions included."""
    found: list[int] = []
    for value in params.values():
        kind = type(value)
        if kind is BodyRef or kind is tuple or kind is Record:
            _collect(value, found)
    return found


def _collect(value: object, found: list[int]) -> None:
    if isinstance(value, BodyRef):
        found.append(value.index)
    elif isinstance(value, tuple):
        for item in value:
            kind = type(item)
            if kind is BodyRef or kind is tuple or kind is Record:
                _collect(item, found)
    elif isinstance(value, Record):
        for _, field in value.fields:
            _collect(field, found)


def misfit(equation: Equation, operands: Types, bodies: Sequence[Signature]) -> str | None:
    """Why ``equation`` cannot call its bodies, or None. The params' body references must be in range.

    Primitives not known here are not judged: None.
    """
    check = _CHECKS.get(equation.primitive)
    if check is None:
        return None
    keys = _BODIES.get(equation.primitive, ("jaxpr",))
    if any(body_refs({key: value}) for key, value in equation.params.items() if key not in keys):
        return "it names a body where it calls none"
    return check(equation, operands, types(equation.results), bodies)


def _inlined(equation: Equation, operands: Types, results: Types, bodies: Sequence[Signature]) -> str | None:
    body = _body(equation.params.get("jaxpr"), bodies)
    if body is None:
        return "it has no body"
    return _pairs("operands", operands, body.inputs) or _pairs("results", results, body.outputs)


def _scan(equation: Equation, operands: Types, results: Types, bodies: Sequence[Signature]) -> str | None:
    params = equation.params
    body = _body(params.get("jaxpr"), bodies)
    if body is None or type(params.get("reverse")) is not bool:
        return "it lacks its body or direction"
    length, consts, carry = (
        _count(params.get("length")),
        _count(params.get("num_consts")),
        _count(params.get("num_carry")),
    )
    if length is None or consts is None or carry is None:
        return "its length or counts are no counts"
    held = consts + carry
    if held > len(operands) or carry > len(results) or carry > len(body.outputs):
        return "its counts exceed its operands or results"
    return (
        _pairs("operands", operands[:held] + _rows(operands[held:], length), body.inputs)
        or _pairs("results", results[:carry] + _rows(results[carry:], length), body.outputs)
        or _pairs("carry", operands[consts:held], body.outputs[:carry])
    )


def _while(equation: Equation, operands: Types, results: Types, bodies: Sequence[Signature]) -> str | None:
    params = equation.params
    condition, body = _body(params.get("cond_jaxpr"), bodies), _body(params.get("body_jaxpr"), bodies)
    if condition is None or body is None:
        return "it lacks a body"
    first, second = _count(params.get("cond_nconsts")), _count(params.get("body_nconsts"))
    if first is None or second is None or first + second > len(operands):
        return "its counts are no counts of its operands"
    carry = operands[first + second :]
    return (
        _pairs("operands", operands[:first] + carry, condition.inputs)
        or _pairs("operands", operands[first:], body.inputs)
        or _pairs("carry", carry, body.outputs)
        or _pairs("results", results, carry)
        or _pairs("condition", condition.outputs, (((), "bool"),))
    )


def _cond(equation: Equation, operands: Types, results: Types, bodies: Sequence[Signature]) -> str | None:
    refs = equation.params.get("branches")
    if not isinstance(refs, tuple) or not refs or not operands:
        return "it has no branches or no index"
    index = operands[0]
    if index not in (((), "int32"), ((), "bool")):
        return "its index is neither an int32 nor a bool"
    if index == ((), "bool") and len(refs) != 2:
        return "a bool chooses between two branches only"
    chosen = {ref.index for ref in refs if isinstance(ref, BodyRef)}
    if not all(isinstance(ref, BodyRef) for ref in refs):
        return "a branch is no body"
    first = bodies[min(chosen)]
    # Equal types are one object (the caller sees to it): so many branches cost no more than their number.
    if any(bodies[k].inputs is not first.inputs or bodies[k].outputs is not first.outputs for k in chosen):
        return "its branches take or give different things"
    return _pairs("operands", operands[1:], first.inputs) or _pairs("results", results, first.outputs)


def _shard_map(equation: Equation, operands: Types, results: Types, bodies: Sequence[Signature]) -> str | None:
    params = equation.params
    body, mesh = _body(params.get("jaxpr"), bodies), params.get("mesh")
    if body is None or not isinstance(mesh, Mesh):
        return "it lacks its body or mesh"
    if type(params.get("check_vma")) is not bool or type(params.get("pmap", False)) is not bool:
        return "check_vma or pmap is no bool"
    manual = params.get("manual_axes")
    if not isinstance(manual, tuple) or not all(name in mesh.names for name in manual):
        return "its manual axes are not the mesh's"
    sizes = dict(zip(mesh.names, mesh.sizes, strict=True))
    blocks: list[Types] = []
    for key, whole in (("in_specs", operands), ("out_specs", results)):
        specs = params.get(key)
        if not isinstance(specs, tuple) or len(specs) != len(whole):
            return f"its {key} are not one for each"
        cut = [_block(kind, spec, sizes) for kind, spec in zip(whole, specs, strict=True)]
        if None in cut:
            return f"its {key} do not divide the shapes"
        blocks.append(tuple([block for block in cut if block is not None]))
    return _pairs("operands", blocks[0], body.inputs) or _pairs("results", blocks[1], body.outputs)


_CHECKS = {
    **dict.fromkeys(INLINED, _inlined),
    "scan": _scan,
    "while": _while,
    "cond": _cond,
    "shard_map": _shard_map,
}
CALLS = frozenset(_CHECKS)
"""Every primitive whose bodies are known to be called, and how."""
_BODIES = {"while": ("cond_jaxpr", "body_jaxpr"), "cond": ("branches",)}
"""The params that name bodies, where that is not ``jaxpr``."""


def _body(ref: object, bodies: Sequence[Signature]) -> Signature | None:
    return bodies[ref.index] if isinstance(ref, BodyRef) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and type(value) is int and value >= 0 else None


def _rows(whole: Types, length: int) -> Types:
    """One of ``length`` rows of each; a shape that nothing has when there are not ``length`` of them."""
    return tuple([(shape[1:], dtype) if shape and shape[0] == length else ((-1,), dtype) for shape, dtype in whole])


def _block(kind: Type, spec: object, sizes: dict[str, int]) -> Type | None:
    shape, dtype = list(kind[0]), kind[1]
    if not isinstance(spec, Spec) or len(spec.axes) > len(shape):
        return None
    for dimension, names in enumerate(spec.axes):
        if not all(name in sizes for name in names):
            return None
        parts = prod(sizes[name] for name in names)
        if shape[dimension] % parts:
            return None
        shape[dimension] //= parts
    return tuple(shape), dtype


def _pairs(what: str, left: Types, right: Types) -> str | None:
    if left == right:
        return None
    if len(left) != len(right):
        return f"its {what} are {len(left)}, the body's {len(right)}"
    a, b = next((a, b) for a, b in zip(left, right, strict=True) if a != b)
    return f"its {what} differ from the body's: {a[1]}{list(a[0])} and {b[1]}{list(b[0])}"
