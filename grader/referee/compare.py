"""Is what a program returns right: its structure first, then its numbers.

In: a problem, and a program (for `fault`) or outputs with a leading axis of lanes (for `mismatches`). Out:
what is wrong, ready to be told to a learner. Nothing is broadcast into agreement, and a value that is not
finite is never right.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grader.analysis.flow import returned_leaves
from grader.problem import Answer, Arrays, Output, Problem, Shape, concrete
from grader.program.types import Aval, Body, Container, Leaf, Program, Returned

LONGEST_KEY = 40
TELLING = 1e-3
"""Bounds up to this leave little for a wrong number to hide behind; those of normal inputs are smaller."""
VALUE_AND_GRADIENT = "value and gradient"
"""The kind under which the tracer returns what the entry function does, and beside it its gradient."""
DICTS = ("dict", "OrderedDict", "defaultdict")


class OracleError(Exception):
    """The problem's oracle contradicts its declaration: a fault of the problem, not of a submission."""


@dataclass(frozen=True)
class Fault:
    """The returned structure is not the declared one: what was found, and how to mend it."""

    id: str
    """``return-value``, ``return-keys``, ``return-shape`` or ``return-dtype``."""
    message: str
    help: str


@dataclass(frozen=True)
class Mismatch:
    """The worst wrong element of one output in one example."""

    example: int
    """The lane."""
    output: str
    index: tuple[int, ...]
    got: float
    want: float
    bound: float
    """The largest difference that float32 arithmetic explains."""
    wrong: int = 1
    """How many elements of this output are wrong in this example."""


# ── structure ────────────────────────────────────────────────────────────────────────────────────


def fault(problem: Problem, shape: Shape, program: Program) -> Fault | None:
    """The first way in which what ``program``, traced at ``shape``, returns is not what the problem declares."""
    returned = program.returned
    if problem.alone is not None:
        return _alone_fault(problem, problem.alone, shape, program)
    keys = _listed([each.name for each in problem.outputs])
    if not isinstance(returned, Container) or returned.kind not in DICTS:
        return Fault(
            "return-value",
            f"{problem.id} returns {_kind(returned)}; it should return a dict with {keys}.",
            "End with " + "return {" + ", ".join(f'"{each.name}": {each.name}' for each in problem.outputs) + "}.",
        )
    children = dict(zip(returned.keys, returned.children, strict=True))
    expected = {each.name: each for each in problem.outputs}
    missing = [name for name in expected if name not in children]
    extra = [name for name in children if name not in expected]
    if missing:
        return _missing(missing[0], extra, keys)
    if extra:
        return Fault(
            "return-keys",
            f"The returned dict also has the key {_quoted(extra[0])}; it should have {keys} and no other.",
            f"Leave {_quoted(extra[0])} out of what {problem.id} returns.",
        )
    for name, output in expected.items():
        child = children[name]
        if not isinstance(child, Leaf):
            return Fault(
                "return-value",
                f'"{name}" is {_kind(child)}; it should be one array of shape {_declared(output)}.',
                f'Return the array itself under "{name}".',
            )
        found = _array_fault(output, shape, output_avals(program.main, program)[child.output])
        if found is not None:
            return found
    return None


def _alone_fault(problem: Problem, output: Output, shape: Shape, program: Program) -> Fault | None:
    """The same for a function that returns one array."""
    returned = program.returned
    if problem.gradient is not None and isinstance(returned, Container) and returned.kind == VALUE_AND_GRADIENT:
        returned = returned.children[0]
    if not isinstance(returned, Leaf):
        return Fault(
            "return-value",
            f"{problem.id} returns {_kind(returned)}; it should return one array of shape {_declared(output)}.",
            "Return the array itself.",
        )
    return _array_fault(output, shape, output_avals(program.main, program)[returned.output])


def leaves(problem: Problem, program: Program) -> dict[str, int]:
    """For each output that is there, which of the program's outputs it is. More may be there: see `fault`."""
    alone, returned = problem.alone, program.returned
    if alone is None:
        return returned_leaves(program)
    if isinstance(returned, Leaf):
        return {alone.name: returned.output}
    if problem.gradient is not None and isinstance(returned, Container) and returned.kind == VALUE_AND_GRADIENT:
        names = (alone.name, problem.gradient.of)
        return {
            name: each.output for name, each in zip(names, returned.children, strict=False) if isinstance(each, Leaf)
        }
    return {}


def _missing(name: str, extra: Sequence[str], keys: str) -> Fault:
    close = difflib.get_close_matches(name, [each[:LONGEST_KEY] for each in extra], 1, 0.6)
    close = close or [each for each in extra if each.strip().casefold() == name.casefold()][:1]
    if close:
        return Fault(
            "return-keys",
            f'The returned dict has no key "{name}", but has {_quoted(close[0])}.',
            f'Did you mean "{name}"? The dict should have {keys}, spelt exactly so.',
        )
    return Fault(
        "return-keys",
        f'The returned dict has no key "{name}"; it should have {keys}.',
        f'Return the array "{name}" as well.',
    )


def _array_fault(output: Output, shape: Shape, aval: Aval) -> Fault | None:
    want = concrete(output.shape, shape)
    name = output.name
    if aval.shape != want:
        hint = f"Give {name} the shape {_declared(output)}."
        if aval.shape == want[::-1]:
            hint = f"It looks transposed: {hint[0].lower()}{hint[1:]}"
        return Fault(
            "return-shape",
            f'"{name}" has shape {_tuple(aval.shape)}; {_at(output, shape)}it should have shape {_tuple(want)}.',
            hint,
        )
    if aval.dtype != output.dtype:
        return Fault(
            "return-dtype",
            f'"{name}" is {aval.dtype}; it should be {output.dtype}.',
            f"Compute {name} in {output.dtype} throughout; casting it at the end does not bring lost digits back.",
        )
    return None


def output_avals(body: Body, program: Program) -> list[Aval]:
    """Shape and dtype of each output of a body."""
    values = [*body.inputs, *(result for equation in body.equations for result in equation.results)]
    return [program.constants[-each - 1].aval if each < 0 else values[each] for each in body.outputs]


def named(program: Program, outputs: Sequence[np.ndarray], problem: Problem | None = None) -> dict[str, np.ndarray]:
    """The main body's outputs by name (of the returned dict's keys); only for a program without `fault`."""
    if problem is not None:
        return {name: outputs[leaf] for name, leaf in leaves(problem, program).items()}
    returned = program.returned
    if not isinstance(returned, Container):
        raise ValueError("the program returns no dict")
    return {
        key: outputs[child.output]
        for key, child in zip(returned.keys, returned.children, strict=True)
        if isinstance(child, Leaf)
    }


def _kind(returned: Returned) -> str:
    if isinstance(returned, Leaf):
        return "a single array"
    if isinstance(returned, Container):
        if returned.kind in DICTS:
            return f"a dict with {_listed([each[:LONGEST_KEY] for each in returned.keys])}"
        if returned.kind in ("tuple", "list"):
            return f"a {returned.kind} of {len(returned.children)}"
        return "None" if returned.kind in ("NoneType", "None") else f"a {returned.kind[:LONGEST_KEY]}"
    if returned.kind in ("NoneType", "None"):
        return "None"
    return f"a {returned.kind[:LONGEST_KEY]}, which is no array"


def _listed(keys: Sequence[str]) -> str:
    """The keys "out" and "hidden"."""
    if not keys:
        return "no keys"
    quoted = [_quoted(each) for each in keys[:8]] + (["others"] if len(keys) > 8 else [])
    if len(quoted) == 1:
        return f"the key {quoted[0]}"
    return f"the keys {', '.join(quoted[:-1])} and {quoted[-1]}"


def _quoted(key: str) -> str:
    return f'"{key}"' if len(key) <= LONGEST_KEY else f'"{key[:LONGEST_KEY]}…"'


def _declared(output: Output) -> str:
    return _tuple(output.shape)


def _tuple(shape: Sequence[object]) -> str:
    """(B, O), (8,) or ()."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _at(output: Output, shape: Shape) -> str:
    sizes = [f"{each} = {shape[each]}" for each in dict.fromkeys(output.shape) if isinstance(each, str)]
    return f"at {', '.join(sizes)} " if sizes else ""


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────


def answers(problem: Problem, inputs: Arrays) -> dict[str, Answer]:
    """What the oracle says of inputs (lanes, *shape) of any dtype; raises `OracleError`."""
    wide = {name: np.asarray(array).astype(np.float64) for name, array in inputs.items()}
    with np.errstate(all="ignore"):
        found = dict(problem.oracle(wide))
    for output in problem.outputs:
        if output.name not in found:
            raise OracleError(f'the oracle of {problem.id} gives no "{output.name}"')
        answer = found[output.name]
        if answer.value.shape != answer.bound.shape:
            raise OracleError(f'the oracle of {problem.id} gives "{output.name}" a bound of another shape')
        if not (np.isfinite(answer.value).all() and np.isfinite(answer.bound).all()):
            raise OracleError(f'the oracle of {problem.id} gives "{output.name}" a value that is not finite')
    return found


def wrong_elements(answer: Answer, got: np.ndarray) -> np.ndarray:
    """Which elements are not right: bool of the answer's shape; raises ValueError at any other shape."""
    if got.shape != answer.value.shape:
        raise ValueError(f"an output of shape {got.shape} cannot be compared with one of {answer.value.shape}")
    with np.errstate(all="ignore"):
        wide = got.astype(np.float64)
        right: np.ndarray = (np.abs(wide - answer.value) <= answer.bound) & np.isfinite(wide)
    return ~right


def wrong_lanes(problem: Problem, inputs: Arrays, outputs: Arrays) -> np.ndarray:
    """In which examples any output is wrong: bool (lanes,)."""
    lanes = len(next(iter(inputs.values())))
    wrong = np.zeros(lanes, np.bool_)
    found = answers(problem, inputs)
    for output in problem.outputs:
        wrong |= wrong_elements(found[output.name], outputs[output.name]).reshape(lanes, -1).any(axis=1)
    return wrong


def telling(right: Mapping[str, Answer]) -> np.ndarray:
    """In which examples a wrong number shows, unless it is wrong by very little: bool (lanes,).

    Among large numbers, what float32 explains is large too.
    """
    lanes = len(next(iter(right.values())).bound)
    shows = np.ones(lanes, np.bool_)
    for answer in right.values():
        shows &= (answer.bound <= TELLING).reshape(lanes, -1).all(axis=1)
    return shows


def mismatches(
    problem: Problem, inputs: Arrays, outputs: Arrays, right: Mapping[str, Answer] | None = None
) -> list[Mismatch]:
    """For each example, and each output that is wrong in it, the element that is furthest off, by its bound.

    ``inputs`` and ``outputs`` are (lanes, *shape); outputs have the declared shapes (see `fault`), else
    ValueError is raised. ``right`` is what `answers` says of the inputs, where that is known already.
    """
    found: list[Mismatch] = []
    if right is None:
        right = answers(problem, inputs)
    for output in problem.outputs:
        answer, got = right[output.name], outputs[output.name]
        wrong = wrong_elements(answer, got)
        if not wrong.any():
            continue
        for lane in np.flatnonzero(wrong.reshape(len(wrong), -1).any(axis=1)).tolist():
            found.append(_worst(output.name, lane, answer, got[lane], wrong[lane]))
    order = {output.name: place for place, output in enumerate(problem.outputs)}
    return sorted(found, key=lambda each: (each.example, order[each.output]))


def _worst(name: str, lane: int, answer: Answer, got: np.ndarray, wrong: np.ndarray) -> Mismatch:
    value, bound = answer.value[lane], answer.bound[lane]
    with np.errstate(all="ignore"):
        excess = np.abs(got.astype(np.float64) - value) / np.maximum(bound, np.finfo(np.float64).tiny)
    excess = np.where(np.isfinite(got.astype(np.float64)), excess, np.inf)
    place = int(np.argmax(np.where(wrong, excess, -1.0)))
    index = tuple(int(each) for each in np.unravel_index(place, value.shape))
    return Mismatch(lane, name, index, float(got[index]), float(value[index]), float(bound[index]), int(wrong.sum()))


def message(mismatch: Mismatch) -> str:
    """``out[0, 1] is 3.5; it should be 1.25 (float32 explains an error of 4e-06)``."""
    place = f"{mismatch.output}[{', '.join(map(str, mismatch.index))}]" if mismatch.index else mismatch.output
    got, want = _apart(mismatch.got, mismatch.want)
    if not np.isfinite(mismatch.got):
        return f"{place} is {got}; it should be {want}"
    if not mismatch.bound:
        return f"{place} is {got}; it should be {want}"
    return f"{place} is {got}; it should be {want} (float32 explains an error of {mismatch.bound:.1g})"


def _apart(got: float, want: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to tell them apart, six at least."""
    for digits in (6, 9, 12):
        texts = f"{got:.{digits}g}", f"{want:.{digits}g}"
        if texts[0] != texts[1]:
            return texts
    return repr(got), repr(want)


def named_lane(arrays: Mapping[str, np.ndarray], lane: int) -> dict[str, np.ndarray]:
    """One example out of a batch: the same names, without the axis of lanes."""
    return {name: array[lane] for name, array in arrays.items()}
