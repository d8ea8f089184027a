"""Rules about the program as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.analysis.facts import Facts
from grader.rules.base import Violation


@dataclass(frozen=True)
class StaysTraced:
    """No traced value becomes a Python number, bool, index or NumPy array.

    JAX itself says when it is broken: tracing fails with a concretisation error, and the judge reports
    it under this rule. A program that was traced has kept it.
    """

    id: str = "stays-traced"

    @property
    def summary(self) -> str:
        return "no traced value becomes a Python number, bool or index, or a NumPy array"

    def check(self, facts: Facts) -> Sequence[Violation]:
        return []


@dataclass(frozen=True)
class NoCallbacks:
    """No host callback or foreign call computes anything on the way to the outputs."""

    id: str = "no-callbacks"

    @property
    def summary(self) -> str:
        return "no host callback or foreign call computes anything"

    def check(self, facts: Facts) -> Sequence[Violation]:
        return [
            Violation(
                f"`{each.primitive}` leaves the program and computes on the host.",
                "Compute with JAX operations only; to look at values, use jax.debug.print.",
                place,
            )
            for each, place in zip(facts.callbacks, facts.callback_places, strict=True)
        ][:1]
