"""Rules about a ring of devices that pass chunks on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from grader.analysis.facts import Collective, Facts
from grader.rules.base import Violation
from grader.rules.words import listing, times_text


@dataclass(frozen=True)
class Only:
    """No collective but ``primitive``."""

    primitive: str = "ppermute"
    id: str = "ppermute-only"

    @property
    def summary(self) -> str:
        return f"devices talk by {self.primitive} only"

    def check(self, facts: Facts) -> Sequence[Violation]:
        others = [each for each in facts.collectives if each.primitive != self.primitive]
        if not others:
            return []
        names = listing(sorted({f"`{each.primitive}`" for each in others}))
        return [Violation(f"Devices talk by {names}.", f"Use jax.lax.{self.primitive} alone.", others[0].place)]


def permutes(facts: Facts) -> list[Collective]:
    return [each for each in facts.collectives if each.primitive == "ppermute"]


@dataclass(frozen=True)
class Ring:
    """Every ppermute is one cycle through all devices."""

    devices: int = 8
    id: str = "ring"

    @property
    def summary(self) -> str:
        return f"each ppermute is one cycle through all {self.devices} devices"

    def check(self, facts: Facts) -> Sequence[Violation] | None:
        moves = permutes(facts)
        for each in moves:
            perm = each.equation.params.get("perm")
            pairs = [pair for pair in perm if isinstance(pair, tuple)] if isinstance(perm, tuple) else []
            if not self.one_cycle({int(a): int(b) for a, b in pairs}, len(pairs)):  # type: ignore[arg-type]
                return [
                    Violation(
                        "This ppermute is no ring: its pairs do not lead from one device through all others and back.",
                        "Use the pairs [(i, (i + 1) % 8) for i in range(8)]: every device passes on to its neighbour.",
                        each.place,
                    )
                ]
        return [] if moves else None

    def one_cycle(self, target: dict[int, int], pairs: int) -> bool:
        if pairs != self.devices or len(target) != self.devices:
            return False
        at, seen = 0, set()
        while at in target and at not in seen:
            seen.add(at)
            at = target[at]
        return at == 0 and len(seen) == self.devices


@dataclass(frozen=True)
class Chunks:
    """Every ppermute moves a 1/``parts`` of a row of ``input`` a device."""

    input: str
    axis: int
    parts: int = 8
    id: str = "chunks"

    @property
    def summary(self) -> str:
        return f"each ppermute moves a chunk of a row: an {self.parts}th of it a device"

    def check(self, facts: Facts) -> Sequence[Violation] | None:
        wanted = facts.inputs[self.input][self.axis] // self.parts
        moves = permutes(facts)
        for each in moves:
            size = math.prod(each.equation.results[0].shape)
            if size != wanted:
                return [
                    Violation(
                        f"This ppermute moves {size} element{'s' if size != 1 else ''} a device; a chunk has {wanted}.",
                        f"Cut the row into {self.parts} chunks and pass on one of them in each step.",
                        each.place,
                    )
                ]
        return [] if moves else None


@dataclass(frozen=True)
class Steps:
    """So many ppermutes run, loops counted by their trips."""

    count: int = 14
    id: str = "steps"

    @property
    def summary(self) -> str:
        return f"{self.count} ppermutes run, those in loops counted by their trips"

    def check(self, facts: Facts) -> Sequence[Violation]:
        remedy = "Seven steps of reduce-scatter, then seven of all-gather: each passes one chunk to the next device."
        moves = permutes(facts)
        unsure = [each for each in moves if each.conditional]
        if unsure:
            return [Violation("This ppermute is in a branch or loop that may not be taken.", remedy, unsure[0].place)]
        # An equation with several operands is told once for each.
        runs = round(sum(1 / len(each.equation.operands) for each in moves))
        if runs == self.count:
            return []
        place = moves[-1].place if moves else None
        return [Violation(f"ppermute runs {times_text(runs)}; it should run {self.count} times.", remedy, place)]
