"""Rules about arrays with an entry for each pair, or a row for each example."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grader.analysis import labels as L
from grader.analysis.facts import Facts
from grader.rules.base import Violation
from grader.rules.words import listing


@dataclass(frozen=True)
class Differences:
    """Every row of ``left`` (N, D) is subtracted from every row of ``right`` (M, D), or the other way."""

    left: str
    right: str
    id: str = "differences"

    @property
    def summary(self) -> str:
        return f"the differences of every row of {self.left} and every row of {self.right} are formed"

    def check(self, facts: Facts) -> Sequence[Violation] | None:
        one, other = facts.input_origins(self.left), facts.input_origins(self.right)
        rows, columns, features = len(one), len(other), one.shape[1]
        met = np.zeros((rows, columns, features), bool)
        for each in facts.differences:
            for first, second in ((each.left, each.right), (each.right, each.left)):
                a, b = first.ravel(), second.ravel()
                fits = (a >= one.min()) & (a <= one.max()) & (b >= other.min()) & (b <= other.max())
                i, k = np.divmod(a[fits] - one.min(), features)
                j, other_k = np.divmod(b[fits] - other.min(), features)
                same = k == other_k
                met[i[same], j[same], k[same]] = True
        if met.all():
            return []
        place = facts.differences[0].place if facts.differences else next(iter(facts.results.values())).place
        return [
            Violation(
                f"The differences between the rows of {self.left} and of {self.right} are never formed"
                f"{', not all of them' if met.any() else ''}.",
                f"Subtract first: {self.left}[:, None, :] - {self.right}[None, :, :], or jax.vmap twice over a "
                "function of two rows. Squares and inner products lose the digits in which near points differ.",
                place,
            )
        ]


@dataclass(frozen=True)
class OneForEach:
    """An array of the size of ``shape``, a row for each example, is made of all of ``inputs`` element by element."""

    shape: tuple[str, ...]
    like: str
    """The input that has this shape."""
    inputs: tuple[str, ...]
    what: str
    remedy: str
    id: str = "per-example"

    @property
    def summary(self) -> str:
        return f"{self.what}: an array ({', '.join(self.shape)}) made of {listing(self.inputs)}"

    def check(self, facts: Facts) -> Sequence[Violation] | None:
        size = math.prod(facts.inputs[self.like])
        sizes = sorted(each for each in facts.inputs[self.like] if each > 1)
        if len(sizes) < len(self.shape):  # another array may have this shape
            return None
        for value in facts.values:
            fits = math.prod(value.shape) == size and sorted(each for each in value.shape if each > 1) == sizes
            if fits and all(value.common & L.any_of(facts.position(name)) for name in self.inputs):
                return []
        return [
            Violation(
                f"No array ({', '.join(self.shape)}) of {self.what} is formed.",
                self.remedy,
                next(iter(facts.results.values())).place,
            )
        ]
