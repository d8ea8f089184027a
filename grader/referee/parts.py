"""Does every device put a part into every element of a psum's sum? Watched on simulated runs.

Labels say which psums may add up partial products; a part that is zero whatever the inputs, without the
labels knowing, turns such a psum into a gather. Among the inputs is one on which all true parts are of
comparable size (see `probe`), so an element is summed if it was seen with such parts in some run.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from grader.problem import Problem, Shape, concrete
from grader.program.types import Equation
from grader.referee import inputs

COMPARABLE = 1e-2
"""A part is one of the sum when it is at least so large beside the largest part."""


def probe(problem: Problem, shape: Shape) -> dict[str, np.ndarray]:
    """Generic inputs, (1, *shape) each: positive, no two values alike and none near zero.

    What differs is seen to differ on it, and parts of sums of products are of comparable size.
    """
    random = np.random.default_rng(20)
    values = {
        each.name: np.asarray(each.scale * random.uniform(0.5, 1.5, concrete(each.shape, shape)))[None]
        for each in problem.inputs
    }
    return inputs.generic(problem, values)


def further_probes(problem: Problem, shape: Shape) -> list[dict[str, np.ndarray]]:
    """The probe with any of its inputs negated, at several sizes: it takes other branches, with parts as comparable."""
    values = probe(problem, shape)
    return [
        {
            name: array * np.asarray(sign * size, array.dtype)
            for (name, array), sign in zip(values.items(), signs, strict=True)
        }
        for size in (1.0, 64.0, 1 / 64)
        for signs in itertools.product((1, -1), repeat=len(values))
    ][:192]


class Watch:
    """An observer that watches psums, and passes all else on to another observer."""

    def __init__(self, other: object, devices: int) -> None:
        self.other, self.devices = other, devices
        self.summed: dict[int, np.ndarray] = {}
        """By the identity of a psum: for each element of its operands, seen with a part from every device."""
        self.nonzero: dict[int, np.ndarray] = {}

    def __getattr__(self, name: str) -> object:
        return getattr(self.other, name)

    def after(self, equation: Equation, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        if equation.primitive != "psum":
            return
        for position, each in enumerate(operands):
            if len(each) % self.devices or each.dtype.kind != "f":
                continue
            sizes = np.abs(each).reshape((len(each) // self.devices, self.devices, *each.shape[1:]))
            largest = sizes.max(axis=1, initial=0.0)
            whole = (sizes.min(axis=1, initial=np.inf) >= COMPARABLE * largest) & (largest > 0)
            key = id(equation) * 64 + position
            self.summed[key] = self.summed.get(key, False) | whole.any(axis=0)
            self.nonzero[key] = self.nonzero.get(key, False) | (largest > 0).any(axis=0)

    def gathers(self, psums: Iterable[Equation]) -> Equation | None:
        """A psum among these with an element that never had a part from every device."""
        for equation in psums:
            for position in range(len(equation.operands)):
                key = id(equation) * 64 + position
                if key in self.summed and (self.nonzero[key] & ~self.summed[key]).any():
                    return equation
        return None
