"""What the supervisor and the referee say to each other: one job in, length-prefixed frames out.

Imports neither NumPy nor JAX: the supervisor reads these.
"""

from __future__ import annotations

from typing import Union

import msgspec

from grader.referee.known import Known
from grader.report.model import Report, RunReport


class GradeJob(msgspec.Struct, frozen=True, kw_only=True, tag="grade"):
    """Judge the programs that arrive; see `grader.request.GradeRequest`."""

    display_name: str
    problem: str | None
    quick: bool
    examples: int | None
    cases: tuple[str, ...]
    cases_root: str | None
    seed: int
    known: tuple[Known, ...] = ()
    """Of programs that were judged before, under the same job."""


class RunJob(msgspec.Struct, frozen=True, kw_only=True, tag="run"):
    """Run the program that arrives on the inputs of a JSON text; see `grader.request.RunRequest`."""

    display_name: str
    problem: str | None
    inputs: bytes
    inputs_name: str


Job = Union[GradeJob, RunJob]


class Running(msgspec.Struct, frozen=True, kw_only=True, tag="running"):
    """From here on the submission's programs are run for real; ``report`` is what is known without that.

    Should the referee die now, the program that it ran is the cause.
    """

    report: Report | None


class Judged(msgspec.Struct, frozen=True, kw_only=True, tag="judged"):
    report: Report
    complete: bool
    """The tracer answered every request, or said why not."""
    known: Known | None = None
    """What to remember of these programs, should they come again."""
    same_as: str | None = None
    """The last of the marks of the known programs that these are equal to: what ``report`` says of rules, cases
    and generated inputs is not yet that, but is in the report on those."""


class Ran(msgspec.Struct, frozen=True, kw_only=True, tag="ran"):
    report: RunReport
    complete: bool


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """Nothing was judged: wrong usage, or an unusable case or problem file."""

    message: str
    complete: bool = True


Reply = Union[Running, Judged, Ran, Refused]
