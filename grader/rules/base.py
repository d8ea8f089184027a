"""What a structural rule is, and what it says when it is broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from grader.analysis.facts import Facts
from grader.program.types import Source


@dataclass(frozen=True)
class Violation:
    """A rule is broken: what was found (``message``), how to mend it (``help``), and where.

    ``also`` names further places that matter, each with a note.
    """

    message: str
    help: str
    place: Source | None = None
    also: tuple[tuple[Source, str], ...] = ()


class Rule(Protocol):
    """A structural rule, judged on what the data-flow analysis found in one program."""

    @property
    def id(self) -> str: ...

    @property
    def summary(self) -> str:
        """The rule in a sentence, for statements and reports."""
        ...

    def check(self, facts: Facts) -> Sequence[Violation] | None:
        """The violations found; None when there is nothing to judge (another rule says why)."""
        ...
