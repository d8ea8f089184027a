"""Make an input on which a program is wrong as small as can be.

In: one failing input, and a function that says which of many inputs fail. Out: a failing input with fewer
elements other than zero, and with rounder numbers in those that are left.

Theory of operation. An input is one vector of numbers. Many small changes are tried as lanes of one run;
those that keep the failure are then put together, one more in each lane of a second run, and the longest row of
them that still fails is taken. The changes: whole arrays to zero, blocks of halving sizes to zero, then numbers
to 1, -1, small integers, one, two and three digits. Nothing is random, and the number of runs is bounded.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from grader.problem import Arrays, Problem, Shape
from grader.referee.inputs import Layout, valid

MOST_RUNS = 120
MOST_LANES = 256
"""Inputs tried in one run."""
MOST_SUBSETS = 6
"""Of so many arrays every subset is tried at zero."""
ROUNDS = 3
"""How often a kind of change is tried again after it worked."""

Fails = Callable[[dict[str, np.ndarray]], np.ndarray]
"""Inputs (lanes, *shape) to which of them still fail: bool (lanes,)."""


def shrink(problem: Problem, shape: Shape, inputs: Arrays, fails: Fails) -> dict[str, np.ndarray]:
    """A failing input as small as greed finds it; ``inputs`` and the result hold one: (1, *shape) each."""
    search = _Search(problem, shape, inputs, fails)
    search.zero_arrays()
    search.zero_blocks()
    search.gather()
    search.simplify()
    search.zero_blocks(largest=1)
    return search.layout.arrays(search.best[None])


def strip(problem: Problem, shape: Shape, inputs: Arrays, fails: Fails) -> dict[str, np.ndarray]:
    """A failing input with zeros wherever they do not matter; what is not zero is as it was."""
    search = _Search(problem, shape, inputs, fails)
    search.zero_arrays()
    search.zero_blocks()
    return search.layout.arrays(search.best[None])


class _Search:
    """The smallest failing input so far, and what is left of the runs."""

    def __init__(self, problem: Problem, shape: Shape, inputs: Arrays, fails: Fails) -> None:
        self.problem, self.fails = problem, fails
        self.layout = Layout(problem, shape)
        self.parts = self.layout.parts
        self.best: np.ndarray = self.layout.vectors(inputs)[0]
        self.runs = MOST_RUNS

    def failing(self, vectors: np.ndarray) -> np.ndarray:
        """Which vectors are valid inputs that fail; none once all runs are used."""
        found = np.zeros(len(vectors), np.bool_)
        for start in range(0, len(vectors), MOST_LANES):
            if not self.runs:
                break
            self.runs -= 1
            some = self.layout.arrays(vectors[start : start + MOST_LANES])
            allowed = np.flatnonzero(valid(self.problem, some))
            if len(allowed):
                failed = self.fails({name: array[allowed] for name, array in some.items()})
                found[start + allowed[failed]] = True
        return found

    def take(self, changed: Sequence[np.ndarray]) -> bool:
        """Adopt as many of the changed vectors' changes as go together; False when none keeps the failure.

        Changes that undo one another must not be given together.
        """
        if not changed:
            return False
        vectors = np.stack(changed)
        good = vectors[self.failing(vectors)]
        if not len(good):
            return False
        together = np.repeat(self.best[None], len(good), axis=0)
        for place, each in enumerate(good):
            differs = _differ(each, self.best)
            together[place:, differs] = each[differs]
        still = np.flatnonzero(self.failing(together[1:])) + 1
        self.best = together[still[-1]] if len(still) else good[0]
        return True

    def zero_arrays(self) -> None:
        """The largest set of arrays that can be zero together."""
        places = [k for k, part in enumerate(self.parts) if _differ(self.best[part], 0.0).any()]
        if len(places) > MOST_SUBSETS:
            self.take([self.zeroed(self.parts[k]) for k in places])
            return
        subsets = [each for size in range(len(places), 0, -1) for each in itertools.combinations(places, size)]
        if not subsets:
            return
        vectors = np.stack([self.zeroed(*(self.parts[k] for k in subset)) for subset in subsets])
        good = np.flatnonzero(self.failing(vectors))
        if len(good):
            self.best = vectors[min(good, key=lambda k: (int(_differ(vectors[k], 0.0).sum()), int(k)))]

    def zeroed(self, *parts: slice) -> np.ndarray:
        vector = self.best.copy()
        for part in parts:
            vector[part] = 0.0
        return vector

    def zero_blocks(self, largest: int | None = None) -> None:
        """Runs of elements within an array to zero: halves first, single elements last."""
        size = largest or max((part.stop - part.start + 1) // 2 for part in self.parts)
        while size:
            for _ in range(ROUNDS):
                if not self.take([self.zeroed(block) for block in self.blocks(size)]):
                    break
            size //= 2

    def blocks(self, size: int) -> Iterator[slice]:
        for part in self.parts:
            for start in range(part.start, part.stop, size):
                block = slice(start, min(start + size, part.stop))
                if _differ(self.best[block], 0.0).any():
                    yield block

    def gather(self) -> None:
        """One element of an array in place of several."""
        for part in self.parts:
            values = self.best[part]
            if np.count_nonzero(values) < 2:
                continue
            largest = part.start + int(np.argmax(np.abs(values)))
            total, size = float(values.sum()), float(np.abs(values).sum())
            changed = []
            for value in (total, size, -size, 2 * size, -2 * size):
                vector = self.zeroed(part)
                vector[largest] = value
                changed.append(vector)
            good = np.flatnonzero(self.failing(np.stack(changed)))
            if len(good):
                self.best = changed[good[0]]

    def simplify(self) -> None:
        """Each kind of round number, for all elements at once, then array by array, then one by one."""
        for rounded in ROUNDINGS:
            for groups in (self.whole, self.each_part, self.each_element):
                for _ in range(ROUNDS):
                    changed = []
                    simpler = rounded(self.best)
                    better = (_complexity(simpler) < _complexity(self.best)) & (self.best != 0)
                    for group in groups():
                        if better[group].any():
                            vector = self.best.copy()
                            vector[group] = np.where(better[group], simpler[group], vector[group])
                            changed.append(vector)
                    if not self.take(changed):
                        break

    def whole(self) -> list[slice]:
        return [slice(0, len(self.best))]

    def each_part(self) -> list[slice]:
        return self.parts

    def each_element(self) -> list[slice]:
        return [slice(k, k + 1) for k in range(len(self.best))]


def _differ(one: np.ndarray, other: np.ndarray | float) -> np.ndarray:
    """Where they are not the same number, -0.0 and 0.0 told apart."""
    different: np.ndarray = (one != other) | (np.signbit(one) != np.signbit(other))
    return different


def _digits(count: int) -> Callable[[np.ndarray], np.ndarray]:
    def rounded(vector: np.ndarray) -> np.ndarray:
        return np.array([float(np.float32(f"{each:.{count - 1}e}")) for each in vector.tolist()])

    return rounded


def _away_from_zero(count: int) -> Callable[[np.ndarray], np.ndarray]:
    """To the next number of so many digits that is larger in magnitude."""

    def rounded(vector: np.ndarray) -> np.ndarray:
        found = []
        for each in vector.tolist():
            exponent = math.floor(math.log10(abs(each))) - count + 1 if each else 0
            size = (math.floor(abs(each) / 10.0**exponent) + 1) * 10.0**exponent
            found.append(float(np.float32(math.copysign(size, each))))
        return np.array(found)

    return rounded


def _small_integers(vector: np.ndarray) -> np.ndarray:
    return np.where(np.abs(vector) < 1000, np.rint(vector), vector)


def _power_of_ten(vector: np.ndarray) -> np.ndarray:
    exponents = np.rint(np.log10(np.maximum(np.abs(vector), 1e-30)))
    powers: np.ndarray = np.copysign(np.power(10.0, exponents), vector)
    return powers


ROUNDINGS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    np.ones_like,
    np.sign,
    lambda vector: 2.0 * np.ones_like(vector),
    lambda vector: 2.0 * np.sign(vector),
    _small_integers,
    _power_of_ten,
    _digits(1),
    _away_from_zero(1),
    _digits(2),
    _away_from_zero(2),
    _digits(3),
    lambda vector: np.trunc(vector / 4),
    lambda vector: np.trunc(vector / 2),
    lambda vector: np.trunc(vector / 1.25),
    lambda vector: np.trunc(vector) - np.sign(vector),
)
"""Ways to make every number of a vector rounder or smaller, the roundest first."""


def _complexity(vector: np.ndarray) -> np.ndarray:
    """How much there is to read in each number: 0 for zero, 1 for one, more for -1, small integers, more digits."""
    return np.array([_reading(each) for each in vector.tolist()])


def _reading(number: float) -> float:
    if number == 0:
        return 0.5 if math.copysign(1.0, number) < 0 else 0.0
    size = abs(number)
    sign = 0.5 if number < 0 else 0.0
    if size == int(size) and size < 1000:
        return len(str(int(size))) + 0.4 * size / 1000 + sign
    digits = np.format_float_scientific(np.float32(size)).split("e")[0].rstrip("0")
    return 4.0 + len(digits) + sign
