"""Rules that compare the programs of one submission, traced at different sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.program.types import Program, Source
from grader.program.walk import size, walk
from grader.rules.base import NoFacts, Shape, Violation
from grader.rules.words import listing

SMALL = 2
"""At size 1 axes are dropped and broadcasts left out: such programs are not compared."""


@dataclass(frozen=True)
class ConstantProgram(NoFacts):
    """The program does not grow with ``dimensions``: no Python loop over them writes it out again and again.

    Along a line of shapes that differ in one dimension only, a program grows when every further step of size
    costs at least one equation. Smaller differences, as between odd and even sizes, are none.
    """

    dimensions: tuple[str, ...]
    id: str = "constant-program"

    @property
    def summary(self) -> str:
        return f"the traced program does not grow with {listing(self.dimensions)}"

    def across(self, programs: Sequence[tuple[Shape, Program]]) -> Sequence[tuple[Violation, Shape]] | None:
        compared = False
        for dimension in self.dimensions:
            lines: dict[tuple[tuple[str, int], ...], list[tuple[Shape, Program]]] = {}
            for shape, program in programs:
                if shape[dimension] >= SMALL:
                    rest = tuple(sorted((name, each) for name, each in shape.items() if name != dimension))
                    lines.setdefault(rest, []).append((shape, program))
            for line in lines.values():
                line.sort(key=lambda pair: pair[0][dimension])
                (small, first), (large, last) = line[0], line[-1]
                steps = large[dimension] - small[dimension]
                if not steps:
                    continue
                compared = True
                if size(last) - size(first) >= steps:
                    return [(self.grows(dimension, (small, first), (large, last)), large)]
        return [] if compared else None

    def grows(self, dimension: str, small: tuple[Shape, Program], large: tuple[Shape, Program]) -> Violation:
        return Violation(
            f"The program has {size(small[1])} equations at {dimension} = {small[0][dimension]} and "
            f"{size(large[1])} at {dimension} = {large[0][dimension]}: it is written out anew for every entry.",
            f"Replace the Python loop over {dimension} by array operations, jax.vmap or jax.lax.scan.",
            repeated(large[1]),
        )


def repeated(program: Program) -> Source | None:
    """The place that most equations come from."""
    counts: dict[Source, int] = {}
    for each in walk(program):
        if each.place is not None and each.place.line:
            counts[each.place] = counts.get(each.place, 0) + 1
    return max(counts, key=lambda place: counts[place]) if counts else None
