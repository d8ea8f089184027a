"""Rules about how partial results are added up, and what is added to the total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from grader.analysis import labels as L
from grader.analysis.facts import Addition, Collective, Facts
from grader.program.types import Source
from grader.rules.base import Violation
from grader.rules.meshes import judged
from grader.rules.words import listing, times_text


def split_bits(facts: Facts, names: Sequence[str]) -> np.uint64:
    bits = L.NONE
    for name in names:
        bits |= L.any_of(facts.position(name))
    return bits


@dataclass(frozen=True)
class ReducedByPsum:
    """``result`` is made of psums of the devices' partial products, and of no part that was not reduced so.

    ``terms`` are what each device's part is made of, one of each group; ``split`` all of the split inputs.
    """

    result: str
    terms: tuple[tuple[str, ...], ...]
    split: tuple[str, ...]
    axis: str
    devices: int = 8
    id: str = "psum"
    further: tuple[str, ...] = ()
    """More results that the same is asked of."""
    linear: tuple[str, int] | None = None
    """A split input that each part is linear in, and the dimension that it is split along: for the judge's proof."""

    @property
    def results(self) -> tuple[str, ...]:
        return (self.result, *self.further)

    @property
    def summary(self) -> str:
        made = f"{listing(self.results)} {'are' if self.further else 'is'} made of"
        return f'a psum over "{self.axis}" in the body adds up the partial products that {made}'

    def check(self, facts: Facts) -> Sequence[Violation] | None:
        found = [replace(self, result=each, further=()).check_one(facts) for each in self.results]
        if all(each is None for each in found):
            return None
        return next((each for each in found if each), [])

    def check_one(self, facts: Facts) -> Sequence[Violation] | None:
        if not judged(facts, self.devices) and not facts.dead_meshes:
            return None
        result = facts.results.get(self.result)
        if result is None or result.labels.size == 0:
            return None
        raw = split_bits(facts, self.split) | L.UNREDUCED
        everywhere = bool(((result.labels & L.REDUCED) != 0).all())
        anywhere_raw = bool(((result.labels & raw) != 0).any())
        sums = [each for each in facts.collectives if each.reduces]
        conditional = [each for each in sums if each.conditional]
        if everywhere and not anywhere_raw:
            return []
        return [self.violation(facts, sums, conditional, raw)]

    @property
    def remedy(self) -> str:
        return f'In the body, add up the partial products with jax.lax.psum(partial, "{self.axis}") and return that.'

    def gather(self) -> Violation:
        return Violation(
            "This psum adds up arrays that are zero on all devices but one: it gathers the parts, and adds nothing.",
            self.remedy,
        )

    def useless(self) -> Violation:
        """For the judge's proof by simulation: without the psums the result comes out the same."""
        return Violation(
            f"{self.result} comes out the same when every psum is left away: the psum adds nothing to it.",
            self.remedy,
        )

    def not_the_sum(self) -> Violation:
        """For the judge's proof by simulation: the result does not follow the parts as their sum does."""
        return Violation(
            f"{self.result} is made of what the psum carries, but not as the sum of the devices' partial products.",
            self.remedy,
        )

    def in_a_branch(self, where: Collective) -> Violation:
        return Violation(
            "The psum is in a branch or loop that the program may not take.",
            f"Add up the partial products by a psum that every device reaches on every run of {self.result}.",
            where.place,
        )

    def violation(
        self, facts: Facts, sums: Sequence[Collective], conditional: Sequence[Collective], raw: np.uint64
    ) -> Violation:
        remedy = self.remedy
        result = facts.results[self.result]
        if conditional and len(conditional) == len(sums):
            return self.in_a_branch(conditional[0])
        bits = split_bits(facts, [name for names in self.terms for name in names])
        for each in facts.collectives:
            if each.primitive == "psum" and each.gathers and each.labels & bits:
                return replace(self.gather(), place=each.place)
        others = [each for each in facts.collectives if each.primitive != "psum" and each.labels & raw]
        if others:
            names = listing(sorted({f"`{each.primitive}`" for each in others}))
            return Violation(
                f"The partial products are combined through {names}, not by a psum.",
                remedy,
                others[0].place,
            )
        if sums:
            return Violation(
                f"A psum adds up the partial products, but {self.result} is not made of its result alone.",
                f"Make {self.result} of the psum's result (plus what the formula adds once), and of nothing beside it.",
                sums[0].place,
                ((result.place, f"{self.result} comes from here"),) if result.place is not None else (),
            )
        partial = [each for each in facts.collectives if each.primitive == "psum" and each.labels & bits]
        if partial:
            return Violation(
                "The psum does not add up one partial product of each device's own blocks.",
                remedy,
                partial[0].place,
            )
        if (result.labels & L.SPLIT).any():
            place = facts.shard_maps[-1].place if facts.shard_maps else None
            return Violation(
                "The partial products leave the body unreduced and are put together outside.",
                remedy,
                result.place or place,
                ((place, "they leave this body"),) if place is not None and result.place is not None else (),
            )
        if (result.labels & L.UNREDUCED).any():
            place = facts.shard_maps[-1].place if facts.shard_maps else None
            message = f"{self.result} is one device's partial product: nothing adds up the parts."
            return Violation(message, remedy, place)
        return Violation(
            f"{self.result} does not come from a psum of the devices' partial products.", remedy, result.place
        )


@dataclass(frozen=True)
class AddedOnce:
    """``input`` is added once on the way to ``result``, after the psum: not in the parts, not twice."""

    input: str
    result: str
    split: tuple[str, ...]
    axis: str
    devices: int = 8
    id: str = "added-once"

    @property
    def summary(self) -> str:
        return f"{self.input} is added once, to the psum's result"

    @property
    def remedy(self) -> str:
        return f'Add {self.input} once, to the sum: jax.lax.psum(partial, "{self.axis}") + {self.input}.'

    def check(self, facts: Facts) -> Sequence[Violation] | None:
        result = facts.results.get(self.result)
        if result is None or result.times.size == 0:
            return None
        position = facts.position(self.input)
        bits = L.any_of(position)
        raw = split_bits(facts, self.split)
        sums = [each for each in facts.collectives if each.primitive == "psum" and not each.averages]
        inside = [each for each in sums if each.labels & bits]
        if inside:
            return [self.in_the_parts(facts, inside[0], raw)]
        times = result.times
        if (times == 1).all():
            return []
        most, least = int(times.max()), int(times.min())
        if most == 0:
            return [Violation(f"{self.input} is not added to {self.result}.", self.remedy, result.place)]
        if least == 0:
            message = f"{self.input} is added to some elements of {self.result} only."
            return [Violation(message, self.remedy, self.where(facts))]
        places = [each.place for each in facts.additions if each.place is not None]
        places = list(dict.fromkeys(places))
        also = tuple((place, "and here") for place in places[:-1])
        last = places[-1] if places else result.place
        return [
            Violation(f"{self.input} is added {times_text(most)} on the way to {self.result}.", self.remedy, last, also)
        ]

    def where(self, facts: Facts) -> Source | None:
        return facts.additions[-1].place if facts.additions else None

    def in_the_parts(self, facts: Facts, psum: Collective, raw: np.uint64) -> Violation:
        def in_a_part(each: Addition) -> bool:
            return each.in_body and not each.other & L.REDUCED and bool(each.other & raw)

        early = [each for each in facts.additions if in_a_part(each)] or [
            each for each in facts.additions if not each.other & L.REDUCED
        ]
        place = early[0].place if early else psum.place
        also = ((psum.place, "and this psum adds up the parts"),) if psum.place is not None and early else ()
        return Violation(
            f"{self.input} is part of what each device gives to the psum, so the sum holds it from all {self.devices} "
            "devices.",
            self.remedy,
            place,
            also,
        )
