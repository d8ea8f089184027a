"""Generated inputs: which examples to try at which shape, and the arrays that they stand for.

In: a problem, shapes of its domain, and a seed; later the literals of a program. Out: a few `Plan`s for each
shape, and for the plans of one shape the inputs as arrays with a leading axis of lanes, one lane a plan.

Theory of operation. Hypothesis draws keys, and all else is a function of them: each plan gets a regime for
every input (normal, small integers, zeros, large, the program's own literals, ...), an exponent and a seed of
64 bits, and each element is a hash of that seed and its place. So the arrays of all plans of a shape are
computed at once, each independent of its neighbours, and the same arguments give the same arrays in every
process. The first plan of a shape is normal throughout: the one that shows most mistakes.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grader.execution.errors import SimulationError
from grader.execution.values import KEY, array_of
from grader.problem import Arrays, Input, Problem, Shape, concrete
from grader.program.types import Program

LARGEST = 1e30
"""The right outputs, their bounds included, stay below this: far enough from float32's end for what lies between."""
MOST_LITERALS = 32
KEY_BITS = 64
KEYED_PLANS = 128
"""How many plans are derived from one key."""

_SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)
_SHRINKINGS = 6


class Regime(enum.IntEnum):
    """What the values of one input are like."""

    NORMAL = 0
    INTEGERS = 1
    """-3 to 3: sums come out exact, and often exactly zero."""
    SPARSE = 2
    ZEROS = 3
    ONE_HOT = 4
    POSITIVE = 5
    NEGATIVE = 6
    LARGE = 7
    SMALL = 8
    MIXED = 9
    """Every element has a magnitude of its own, from 1e-6 to 1e6."""
    DISTINCT = 10
    """No two elements are equal, and all are exact: a row or column in the wrong place shows."""
    REPEATED = 11
    """Two values only."""
    LITERAL = 12
    """Around a literal of the program: one element, all elements, or all together."""


_OFTEN = (
    *(Regime.NORMAL,) * 3,
    *(Regime.INTEGERS,) * 3,
    *(Regime.LITERAL,) * 3,
    *(Regime.DISTINCT,) * 2,
    *(Regime.POSITIVE,) * 2,
    *(Regime.NEGATIVE,) * 2,
    *(Regime.MIXED,) * 2,
    *(Regime.LARGE,) * 2,
    Regime.SPARSE,
    Regime.ZEROS,
    Regime.ONE_HOT,
    Regime.SMALL,
    Regime.REPEATED,
)
"""Each regime as often as it is to be drawn."""


@dataclass(frozen=True)
class Plan:
    """One example to try: small, so that a thousand of them cost little."""

    shape: int
    """Index of the shape."""
    regimes: tuple[Regime, ...]
    """One for each input."""
    exponent: int
    """0 to 3: how far large is from 1e3, and small from 1e-3, in powers of ten."""
    seed: int
    """64 bits that decide every element."""


def plan(problem: Problem, shapes: Sequence[Shape], examples: int, seed: int) -> list[Plan]:
    """At least ``examples`` plans, shape after shape and round again: each shape gets one or more."""
    count = max(examples, len(shapes))
    if not shapes:
        return []
    keys = _keys(math.ceil(count / KEYED_PLANS), seed)
    inputs = len(problem.inputs)
    drawn = _hash(np.array(keys, np.uint64)[:, None], KEYED_PLANS * (inputs + 4)).reshape(-1, inputs + 4)[:count]
    often = np.array(_OFTEN)
    # Four kinds of plan: one regime for all inputs; one input unlike the others, which are normal; and
    # (twice as often) each input for itself.
    regimes = often[drawn[:, :inputs] % np.uint64(len(often))]
    kind = drawn[:, inputs] % np.uint64(4)
    regimes[kind == 0] = regimes[kind == 0][:, :1]
    special = drawn[:, inputs + 1] % np.uint64(inputs)
    regimes[(kind == 1)[:, None] & (special[:, None] != np.arange(inputs, dtype=np.uint64))] = Regime.NORMAL
    regimes[: len(shapes)] = Regime.NORMAL
    named = list(Regime)
    return [
        Plan(index % len(shapes), tuple(named[each] for each in row), exponent, own)
        for index, (row, exponent, own) in enumerate(
            zip(
                regimes.tolist(),
                (drawn[:, inputs + 2] % np.uint64(4)).tolist(),
                drawn[:, inputs + 3].tolist(),
                strict=True,
            )
        )
    ]


def _keys(count: int, seed: int) -> list[int]:
    """``count`` keys of 64 bits, drawn by Hypothesis."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from hypothesis import strategies as st

    found: list[int] = []

    # Booleans, because integers and bytes are now and then drawn from the constants of whatever modules
    # happen to be loaded: other keys in another process (and a cache of those constants on the disk).
    @seeded(seed)
    @settings(
        max_examples=count + 4,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.tuples(*(st.booleans() for _ in range(KEY_BITS))))
    def draw(bits: tuple[bool, ...]) -> None:
        found.append(sum(1 << place for place, bit in enumerate(bits) if bit))

    draw()
    unique = list(dict.fromkeys(found))
    return [unique[each % len(unique)] + each // len(unique) for each in range(count)]


def _hash(seeds: np.ndarray, count: int) -> np.ndarray:
    """(n, 1) seeds -> (n, count) words of 64 bits, as splitmix64 makes them."""
    with np.errstate(over="ignore"):
        z: np.ndarray = seeds + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return z


class Layout:
    """An example as one vector: the elements of all inputs, one after the other, as float64."""

    def __init__(self, problem: Problem, shape: Shape) -> None:
        self.inputs = problem.inputs
        self.shapes = [concrete(each.shape, shape) for each in problem.inputs]
        self.sizes = [math.prod(each) for each in self.shapes]
        ends = list(itertools.accumulate(self.sizes))
        self.parts = [slice(end - size, end) for size, end in zip(self.sizes, ends, strict=True)]
        self.total = ends[-1] if ends else 0

    def arrays(self, vectors: np.ndarray) -> dict[str, np.ndarray]:
        """(lanes, total) as inputs (lanes, *shape), each of its dtype and within its limit."""
        return {
            each.name: _typed(vectors[:, part], each).reshape((len(vectors), *shape))
            for each, part, shape in zip(self.inputs, self.parts, self.shapes, strict=True)
        }

    def vectors(self, arrays: Arrays) -> np.ndarray:
        """Inputs (lanes, *shape) as vectors (lanes, total)."""
        lanes = len(arrays[self.inputs[0].name])
        return np.concatenate([arrays[each.name].astype(np.float64).reshape(lanes, -1) for each in self.inputs], axis=1)


def arrays(
    problem: Problem, shape: Shape, plans: Sequence[Plan], literals: Sequence[float] = ()
) -> dict[str, np.ndarray]:
    """The inputs of the plans of one shape: (len(plans), *shape) of each input's dtype, all finite and valid."""
    layout = Layout(problem, shape)
    total, count = layout.total, len(layout.inputs)
    words = _hash(np.array([each.seed for each in plans], np.uint64)[:, None], total + 4 * count)
    own = words[:, total:].reshape(len(plans), count, 4)
    regimes = np.array([each.regimes for each in plans], np.intp).reshape(len(plans), count)
    exponents = np.array([each.exponent for each in plans])
    values = _values(words[:, :total], regimes, own, layout.sizes, exponents)
    for column, each in enumerate(layout.inputs):
        if each.scale != 1.0:
            small = np.isin(regimes[:, column], (Regime.INTEGERS, Regime.LITERAL))
            values[:, layout.parts[column]] *= np.where(small, 1.0, each.scale)[:, None]
    if literals:
        for lane, column in np.argwhere(regimes == Regime.LITERAL).tolist():
            part = values[lane, layout.parts[column]]
            _around_literal(part, literals, layout.inputs[column], own[lane, column].tolist())
    return _made_valid(problem, layout.arrays(values))


def _values(
    words: np.ndarray, regimes: np.ndarray, own: np.ndarray, sizes: Sequence[int], exponents: np.ndarray
) -> np.ndarray:
    """Every element of every lane, as float64 (lanes, total): a function of its word and its input's regime."""
    unit = 2.0**-24
    first = (words >> np.uint64(40)).astype(np.float64)
    first *= unit
    second = (words & np.uint64(0xFFFFFF)).astype(np.float64)
    second *= unit
    values = (first + second - 1.0) * 2.4
    columns = len(sizes)
    used = set(regimes.ravel().tolist())
    if used <= {Regime.NORMAL, Regime.LITERAL}:
        return values
    column = np.repeat(np.arange(columns), sizes)
    spread = regimes[:, column]

    def where(regime: Regime) -> np.ndarray:
        mask: np.ndarray = spread == regime
        return mask

    if Regime.INTEGERS in used:
        np.copyto(values, np.floor(first * 7.0) - 3.0, where=where(Regime.INTEGERS))
    if Regime.SPARSE in used:
        np.copyto(values, 0.0, where=where(Regime.SPARSE) & ((words >> np.uint64(24)) & np.uint64(7) != 0))
    if Regime.ZEROS in used:
        np.copyto(values, 0.0, where=where(Regime.ZEROS))
    if Regime.POSITIVE in used:
        np.copyto(values, np.abs(values), where=where(Regime.POSITIVE))
    if Regime.NEGATIVE in used:
        np.copyto(values, -np.abs(values), where=where(Regime.NEGATIVE))
    scales = np.power(10.0, 3 + exponents)[:, None]
    if Regime.LARGE in used:
        np.multiply(values, scales, out=values, where=where(Regime.LARGE))
    if Regime.SMALL in used:
        np.divide(values, scales, out=values, where=where(Regime.SMALL))
    if Regime.MIXED in used:
        np.multiply(values, np.power(10.0, np.floor(second * 13.0) - 6.0), out=values, where=where(Regime.MIXED))
    place = np.concatenate([np.arange(size) for size in sizes])
    if Regime.ONE_HOT in used:
        hot = (own[:, :, 0] % np.maximum(np.array(sizes, np.uint64), np.uint64(1))).astype(np.intp)
        np.copyto(values, place == hot[:, column], where=where(Regime.ONE_HOT))
    if Regime.DISTINCT in used:
        np.copyto(values, (place + 1.0) * 0.25, where=where(Regime.DISTINCT))
    if Regime.REPEATED in used:
        pair = (own[:, :, 1:3] >> np.uint64(56)).astype(np.float64) / 64.0 - 2.0
        either = np.where(first < 0.5, pair[:, column, 0], pair[:, column, 1])
        np.copyto(values, either, where=where(Regime.REPEATED))
    # A quarter of the zeros are negative ones.
    np.copyto(values, -0.0, where=(values == 0.0) & (words & np.uint64(3) == 0))
    return values


def _around_literal(part: np.ndarray, literals: Sequence[float], declared: Input, words: list[int]) -> None:
    """Change one input of one lane (in place) so that a literal is met, or just missed, in one of many ways."""
    literal = literals[words[0] % len(literals)]
    size = part.size
    if not size or abs(literal) > declared.limit:
        return
    values = near(literal, whole=np.dtype(declared.dtype).kind != "f")
    nudged = values[(words[0] >> 32) % len(values)]
    if words[1] & 1:
        nudged = -nudged
    way = words[2] % 6
    if way == 0:
        part[words[3] % size] = nudged
    elif way == 1:
        part[:] = nudged
    elif way == 2:
        part[:] = nudged / size
    elif way == 3:
        # One element carries the whole sum, so that the sum is exact.
        part[:] = 0.0
        part[words[3] % size] = nudged
    elif way == 4:
        part[:] = math.copysign(math.sqrt(abs(nudged)), nudged)
    else:
        # Scaled until the largest element, in magnitude, is the literal.
        largest = float(np.abs(part).max())
        if largest > 0:
            part *= nudged / largest


def near(literal: float, *, whole: bool = False) -> tuple[float, ...]:
    """A literal, the values next to it on either side, and some further off; ``whole``: for an integer input."""
    if whole:
        return (literal, literal - 1, literal + 1, literal * 2, literal / 2)
    exact = np.float32(literal)
    below, above = np.nextafter(exact, np.float32(-np.inf)), np.nextafter(exact, np.float32(np.inf))
    return (literal, float(below), float(above), literal * 0.999, literal * 1.001, literal * 2, literal / 2)


def _typed(values: np.ndarray, declared: Input) -> np.ndarray:
    """Float64 values as the input's dtype: within its limit and its range, and none subnormal."""
    dtype: np.dtype = np.dtype(declared.dtype)
    if dtype.kind == "b":
        positive: np.ndarray = values > 0
        return positive
    if declared.choices:
        choices = np.array(declared.choices)
        chosen: np.ndarray = choices[np.abs(values[..., None] - choices).argmin(axis=-1)].astype(dtype)
        return chosen
    values = np.clip(values, -declared.limit, declared.limit) if declared.range is None else folded(values, declared)
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        whole: np.ndarray = np.clip(np.rint(values), bounds.min, bounds.max).astype(dtype)
        return whole
    typed: np.ndarray = values.astype(dtype)
    typed[np.abs(typed) < max(_SMALLEST_NORMAL, float(np.finfo(dtype).tiny))] *= 0  # keeps the sign
    return typed


def folded(values: np.ndarray, declared: Input) -> np.ndarray:
    """Values brought into the input's range by reflection at its ends; those within stay as they are."""
    low, high = declared.least, declared.most
    width = max(high - low, 1e-30)
    turned = np.mod(values - low, 2 * width)
    inside = (values >= low) & (values <= high)
    return np.clip(np.where(inside, values, low + np.minimum(turned, 2 * width - turned)), low, high)


def repaired(problem: Problem, inputs: Arrays) -> dict[str, np.ndarray]:
    """The nearest inputs that are allowed together: (lanes, *shape) of the inputs' dtypes."""
    if problem.repair is None:
        return dict(inputs)
    found = problem.repair(inputs)
    return {each.name: np.asarray(found[each.name]).astype(each.dtype) for each in problem.inputs}


def generic(problem: Problem, inputs: Arrays) -> dict[str, np.ndarray]:
    """Float64 values (lanes, *shape) as inputs that the problem allows."""
    return repaired(problem, {each.name: _typed(inputs[each.name], each) for each in problem.inputs})


def _made_valid(problem: Problem, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The inputs, with the lanes on which right outputs would be too large made smaller, or all zero at last."""
    inputs = repaired(problem, inputs)
    for round_ in range(_SHRINKINGS + 1):
        bad = ~valid(problem, inputs)
        if not bad.any():
            break
        factor = 0.0 if round_ == _SHRINKINGS else 2.0**-10
        for each in problem.inputs:
            if np.dtype(each.dtype).kind != "b":
                inputs[each.name][bad] = _typed(inputs[each.name][bad].astype(np.float64) * factor, each)
        inputs = repaired(problem, inputs)
    return inputs


def valid(problem: Problem, inputs: Arrays) -> np.ndarray:
    """Which lanes are inputs that the problem allows and float32 can serve: bool (lanes,).

    Every value is finite and within its input's limit, and so are the right outputs, with their bounds,
    within `LARGEST`.
    """
    lanes = len(next(iter(inputs.values())))
    fine = np.ones(lanes, np.bool_)
    wide: dict[str, np.ndarray] = {}
    for each in problem.inputs:
        array = inputs[each.name]
        wide[each.name] = array.astype(np.float64)
        if array.dtype.kind != "b":
            fine &= (np.abs(wide[each.name]) <= each.limit * (1 + 1e-6)).reshape(lanes, -1).all(axis=1)
    if problem.repair is not None:
        for name, array in repaired(problem, inputs).items():
            fine &= (array == inputs[name]).reshape(lanes, -1).all(axis=1)
    with np.errstate(all="ignore"):
        answers = problem.oracle(wide)
        for answer in answers.values():
            size = np.abs(answer.value) + answer.bound
            fine &= (size < LARGEST).reshape(lanes, -1).all(axis=1)
    return fine


def literals(program: Program) -> tuple[float, ...]:
    """The numbers written in a program that are worth trying: finite, none of 0, 1 and -1, at most 32.

    Scalars, and the elements of small arrays, of all bodies.
    """
    found: dict[float, None] = {}
    for constant in program.constants:
        if constant.aval.dtype in ("bool", KEY) or math.prod(constant.aval.shape) > MOST_LITERALS:
            continue
        try:
            array = array_of(constant)
        except SimulationError:
            continue
        if array.dtype.kind == "c":
            continue
        for value in array.astype(np.float64).ravel().tolist():
            if math.isfinite(value) and abs(value) not in (0.0, 1.0):
                found.setdefault(value)
                if len(found) == MOST_LITERALS:
                    return tuple(found)
    return tuple(found)
