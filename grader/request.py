"""What the command line asks the supervisor for.

``submission`` is the file's bytes, read once and never decoded by the judge; ``display_name`` is how the
file was named, for messages only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """What a submission may use, all of its work together. None stands for the judge's default."""

    seconds: float | None = None
    """Wall-clock time."""
    bytes: int | None = None
    """Memory of the whole process tree."""


@dataclass(frozen=True)
class GradeRequest:
    """Judge a submission."""

    submission: bytes
    display_name: str
    problem: str | None = None
    """A problem's id; None: recognise it by the function that the submission defines."""
    quick: bool = False
    """Judge a sample of the shapes only."""
    examples: int | None = None
    """How many generated inputs to try in all; None: the judge's default."""
    cases: tuple[str, ...] = ()
    """The names of the only cases to judge on; empty: all cases, and generated inputs."""
    cases_root: Path | None = None
    """The folder that holds a folder of cases for each problem; None: the checkout's ``cases``."""
    limits: Limits = Limits()
    seed: int = 0
    """Of the generated inputs: the same seed and file give the same verdict."""
    require_sandbox: bool = False
    """Refuse to grade when a layer of the jail is missing."""


@dataclass(frozen=True)
class RunRequest:
    """Run a submission on inputs of one's own; no verdict."""

    submission: bytes
    display_name: str
    inputs: bytes
    """The text of a JSON file: a case, or only its inputs (see `grader.cases.parse`)."""
    inputs_name: str
    problem: str | None = None
    limits: Limits = Limits()
