"""How far each input is from taking a side of a choice that it does not take.

In: runs of one program, watched by a `Gauge`. Out: for each side and example, whether it was taken, and a
distance that is smaller the nearer the example came to it: the search in `grader.referee.aim` goes downhill.

The distance of a comparison is the difference of what it compares. Bools made from bools add up what all of them
need, or take the nearest where one will do, and keep their distances on their way through layout steps, casts and
calls: each such array is known by its identity. Where nothing is known the distance is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from grader.execution.errors import SimulationError
from grader.execution.primitives import MOVEMENT, RULES
from grader.execution.primitives.call import Call
from grader.execution.simulator import Lanes
from grader.program.types import Aval, BodyRef, Equation, Program
from grader.referee.choices import COMPARISONS, Key, Recorder

MOST_ELEMENTS = 20_000_000
"""Elements of distances kept in one run; what comes after is not followed."""
ULP = 2.0**-23


class Ways(NamedTuple):
    """For an array of truth values: how far each is from being true, and from being false (one of them 0)."""

    true: np.ndarray
    false: np.ndarray


class Gauge(Recorder):
    """An observer that also measures: ``targets`` are the choices, by their keys, and the sides that matter."""

    def __init__(self, program: Program, targets: Sequence[tuple[Key, int]], examples: int) -> None:
        super().__init__()
        self.targets: dict[Key, list[tuple[int, int]]] = {}
        for place, (key, side) in enumerate(targets):
            self.targets.setdefault(key, []).append((place, side))
        self.taken = np.zeros((len(targets), examples), np.bool_)
        self.distance = np.full((len(targets), examples), np.inf)
        """Infinite where the choice was not reached."""
        self.ways: dict[int, Ways] = {}
        self.kept: list[np.ndarray] = []
        self.elements = 0
        self.operands: Sequence[np.ndarray] = ()
        self.latest: dict[int, Sequence[np.ndarray]] = {}
        self.predicates = _predicates(program)

    # ── following truth values ───────────────────────────────────────────────────────────────────

    def after(self, equation: Equation, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        self.operands = operands
        self.latest[id(equation)] = results
        if len(results) == 1 and self.elements < MOST_ELEMENTS:
            ways = self.follow(equation, operands, results[0])
            if ways is not None and ways.true.shape == results[0].shape == ways.false.shape:
                self.ways[id(results[0])] = ways
                self.kept.append(results[0])  # so that its identity stays its own
                self.elements += 3 * results[0].size

    def follow(self, equation: Equation, operands: Sequence[np.ndarray], result: np.ndarray) -> Ways | None:
        name = equation.primitive
        if any(not each.size or each.dtype.kind == "c" for each in operands):
            return None
        if name in COMPARISONS:
            return self.compared(name, operands, result)
        known = [self.ways.get(id(each)) for each in operands]
        if not any(known):
            return None
        match name:
            case "and" | "mul" if all(known):
                return _both(*(self.spread(each, result) for each in operands))
            case "or" | "max" if all(known):
                return _either(*(self.spread(each, result) for each in operands))
            case "xor" if result.dtype == np.bool_:
                one, other = (self.spread(each, result) for each in operands)
                return _either(_both(one, _not(other)), _both(_not(one), other))
            case "not" if result.dtype == np.bool_:
                return _not(self.of(operands[0]))
            case "reduce_or" | "reduce_max" | "reduce_sum":
                axes: Any = equation.params["axes"]
                found = self.of(operands[0])
                places = tuple(axis + 1 for axis in axes)
                return Ways(found.true.min(axis=places), found.false.sum(axis=places))
            case "reduce_and" | "reduce_min":
                axes = equation.params["axes"]
                found = self.of(operands[0])
                places = tuple(axis + 1 for axis in axes)
                return Ways(found.true.sum(axis=places), found.false.min(axis=places))
            case "convert_element_type":
                return known[0]
            case "clamp":
                return known[1]
            case "select_n" if len(operands) == 3:
                which, no, yes = (self.spread(each, result) for each in operands)
                return _either(_both(which, yes), _both(_not(which), no))
            case _ if name in MOVEMENT and len(operands) == 1:
                return self.moved(equation, operands[0], known[0])
            case _:
                return None

    def moved(self, equation: Equation, operand: np.ndarray, ways: Ways | None) -> Ways | None:
        if ways is None:
            return None
        call = Call(equation, (Aval(operand.shape[1:], "float32"),))
        try:
            true, false = (RULES[equation.primitive](call, each) for each in ways)
        except SimulationError:
            return None
        if isinstance(true, np.ndarray) and isinstance(false, np.ndarray):
            return Ways(true, false)
        return None

    def of(self, array: np.ndarray) -> Ways:
        """The ways of an array of truth values, or of numbers that count as true when positive."""
        known = self.ways.get(id(array))
        if known is not None:
            return known
        true = np.asarray(array > 0)
        return Ways(np.where(true, 0.0, 1.0), np.where(true, 1.0, 0.0))

    def spread(self, array: np.ndarray, result: np.ndarray) -> Ways:
        return Ways(*(np.broadcast_to(_spread(each, result), result.shape) for each in self.of(array)))

    def compared(self, name: str, operands: Sequence[np.ndarray], result: np.ndarray) -> Ways:
        one, other = (_spread(each, result).astype(np.float64) for each in operands)
        ways = _comparison(name, one, other)
        # A truth value cast to a number and compared, such as (mask.sum() > 0): what counts is the mask.
        for place, operand in enumerate(operands):
            if id(operand) in self.ways:
                shape = np.broadcast_shapes(one.shape, other.shape)
                inner = Ways(*(np.broadcast_to(_spread(each, ways.true), shape) for each in self.ways[id(operand)]))
                constant = other if place == 0 else one
                zero, unit = np.zeros(()), np.ones(())
                if place == 0:
                    at_zero, at_one = (_comparison(name, each, constant).true == 0 for each in (zero, unit))
                else:
                    at_zero, at_one = (_comparison(name, constant, each).true == 0 for each in (zero, unit))
                same, swapped = at_one & ~at_zero, at_zero & ~at_one
                ways = Ways(
                    np.where(same, inner.true, np.where(swapped, inner.false, ways.true)),
                    np.where(same, inner.false, np.where(swapped, inner.true, ways.false)),
                )
        return ways

    # ── measuring ────────────────────────────────────────────────────────────────────────────────

    def choice(self, equation: Equation, sides: np.ndarray, lanes: Lanes) -> None:
        key = self.key(equation)
        self.record(key, equation, sides, lanes)
        if not sides.size:
            return
        for target, side in self.targets.get(key, ()):
            here = sides == side
            if equation.primitive == "select_n" and side == len(equation.operands) - 2:
                here = sides >= side
            distance = np.where(here, 0.0, self.measure(equation, sides, side))
            nearest = np.nan_to_num(distance.reshape(len(distance), -1).min(axis=1), nan=1e30, posinf=1e30)
            example = lanes.example_of_lane
            np.minimum.at(self.distance[target], example, nearest)
            np.logical_or.at(self.taken[target], example, here.reshape(len(here), -1).any(axis=1))

    def measure(self, equation: Equation, sides: np.ndarray, side: int) -> np.ndarray:
        """How far each element is from that side: an array that broadcasts to ``sides``."""
        name, operands = equation.primitive, self.operands
        if name in ("cond", "while"):
            return self.branch(equation, sides, side)
        found = np.ones(sides.shape)
        if any(each.dtype.kind == "c" for each in operands):
            return found
        with np.errstate(all="ignore"):
            match name:
                case "max" | "min":
                    one, other = (_spread(each, sides).astype(np.float64) for each in operands)
                    lower, upper = (one, other) if (name == "max") == (side == 0) else (other, one)
                    found = np.maximum(upper - lower, 0.0) + _gap(lower)
                case "clamp":
                    low, x, high = (_spread(each, sides).astype(np.float64) for each in operands)
                    found = (
                        np.maximum(x - low, 0.0) + _gap(x),
                        np.maximum(low - x, x - high),
                        np.maximum(high - x, 0.0) + _gap(x),
                    )[side]
                case "abs" | "sign":
                    x = np.abs(operands[0]).astype(np.float64)
                    found = x if name == "sign" and side == 1 else x + _gap(x)
                case "select_n":
                    which = operands[0]
                    if which.dtype == np.bool_ or id(which) in self.ways:
                        ways = self.of(which)
                        found = _spread(ways.true if side else ways.false, sides)
                    else:
                        found = np.abs(which.astype(np.float64) - side)
                case _:
                    known = self.ways.get(id(self.latest[id(equation)][0]))
                    if known is not None:
                        found = known.true if side else known.false
        return found

    def branch(self, equation: Equation, sides: np.ndarray, side: int) -> np.ndarray:
        maker, place = self.predicates.get(id(equation), (0, 0))
        results = self.latest.get(maker)
        if results is not None and results[place].shape == sides.shape:
            ways = self.ways.get(id(results[place]))
            if ways is not None and side < 2:
                return ways.true if side else ways.false
            if results[place].dtype != np.bool_:
                apart: np.ndarray = np.abs(results[place].astype(np.float64) - side)
                return apart
        return np.ones(sides.shape)


def _predicates(program: Program) -> dict[int, tuple[int, int]]:
    """For each cond and while, by identity: the equation that makes what it goes by, and which result that is."""
    makers: list[dict[int, tuple[int, int]]] = []
    for body in program.bodies:
        made: dict[int, tuple[int, int]] = {}
        number = len(body.inputs)
        for equation in body.equations:
            for place in range(len(equation.results)):
                made[number] = (id(equation), place)
                number += 1
        makers.append(made)
    found: dict[int, tuple[int, int]] = {}
    for body, made in zip(program.bodies, makers, strict=True):
        for equation in body.equations:
            test = equation.params.get("cond_jaxpr")
            if equation.primitive == "cond" and equation.operands and equation.operands[0] in made:
                found[id(equation)] = made[equation.operands[0]]
            elif equation.primitive == "while" and isinstance(test, BodyRef):
                output = program.bodies[test.index].outputs[0]
                if output in makers[test.index]:
                    found[id(equation)] = makers[test.index][output]
    return found


def _spread(array: np.ndarray, result: np.ndarray) -> np.ndarray:
    """A scalar operand (lanes,) with as many axes as the result."""
    if array.ndim == 1 and result.ndim > 1:
        return array.reshape(array.shape + (1,) * (result.ndim - 1))
    return array


def _gap(at: np.ndarray) -> np.ndarray:
    """A step that is just enough to leave equality."""
    gap: np.ndarray = np.abs(at) * ULP + 1e-37
    return gap


def _comparison(name: str, one: np.ndarray, other: np.ndarray) -> Ways:
    with np.errstate(all="ignore"):
        apart = np.abs(one - other)
        step = apart + _gap(np.maximum(np.abs(one), np.abs(other)))
        match name.removesuffix("_to"):
            case "eq":
                return Ways(apart, np.where(one == other, step, 0.0))
            case "ne":
                return Ways(np.where(one == other, step, 0.0), apart)
            case "lt":
                return Ways(np.where(one < other, 0.0, step), np.where(one < other, apart, 0.0))
            case "ge":
                return Ways(np.where(one < other, apart, 0.0), np.where(one < other, 0.0, step))
            case "gt":
                return Ways(np.where(one > other, 0.0, step), np.where(one > other, apart, 0.0))
            case _:
                return Ways(np.where(one > other, apart, 0.0), np.where(one > other, 0.0, step))


def _not(ways: Ways) -> Ways:
    return Ways(ways.false, ways.true)


def _both(one: Ways, other: Ways) -> Ways:
    return Ways(one.true + other.true, np.minimum(one.false, other.false))


def _either(one: Ways, other: Ways) -> Ways:
    return Ways(np.minimum(one.true, other.true), one.false + other.false)
