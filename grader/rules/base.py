"""What a structural rule is, and what it says when it is broken.

Every rule is a `Rule`: it is asked about the facts of each program. A rule may also be asked about the program's
equations (`ProgramRule`), about all programs together (`SizesRule`), about what each device holds of the results
after a real run (`ShardsRule`), and it may name equations that must matter to the results (`ProvenRule`).
A rule that has nothing to say of facts is made from `NoFacts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from grader.analysis.facts import Facts
from grader.program.types import Equation, Program, Source

Shape = Mapping[str, int]

Indices = Sequence[tuple[tuple[int, int], ...]]
"""For each device the (start, stop) of each dimension of what it holds of an array."""


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


class NoFacts:
    """For rules that are judged on something else than facts."""

    def check(self, facts: Facts) -> Sequence[Violation] | None:
        return None


@runtime_checkable
class ProgramRule(Protocol):
    """Judged on a program, pruned of what its outputs are not made of."""

    def check_program(self, program: Program, shape: Shape) -> Sequence[Violation] | None:
        """As `Rule.check`; ``shape`` is what the program was traced at."""
        ...


@runtime_checkable
class SizesRule(Protocol):
    """Judged on all programs of a submission together."""

    def across(self, programs: Sequence[tuple[Shape, Program]]) -> Sequence[tuple[Violation, Shape]] | None:
        """The violations, each with a shape at which it shows; None when there is nothing to compare."""
        ...


@runtime_checkable
class ShardsRule(Protocol):
    """Judged on the results of the cases' real runs."""

    def check_shards(self, output: str, whole: Sequence[int], held: Indices) -> Sequence[Violation] | None:
        """``whole`` is the shape of the output; ``held`` what each of its devices holds of it."""
        ...


@runtime_checkable
class ProvenRule(Protocol):
    """Names the equations that the results must be made of; the judge proves it on numbers.

    With other values in their place, at least half of the elements of each of ``outputs`` must change.
    """

    @property
    def outputs(self) -> Sequence[str]: ...

    def must_matter(self, program: Program, shape: Shape) -> Sequence[Equation]: ...

    def useless(self) -> Violation: ...
