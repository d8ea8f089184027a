"""What is remembered of programs that were judged, as data; see `grader.referee.equal`.

Imports nothing heavy: the supervisor keeps these.
"""

from __future__ import annotations

import msgspec

from grader.report.model import Finding, Place

Marks = tuple[str, ...]


class Address(msgspec.Struct, frozen=True, array_like=True):
    """Where something stands: in the file that was judged, and in any with equal programs."""

    spot: tuple[int, int, int, int]
    """Line, column, and the end's; 0: not known."""
    request: int
    equation: str
    """Its digest."""
    nth: int = 0
    """Which of the equations that have this digest."""


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What was found of a set of programs."""

    marks: Marks
    findings: tuple[Finding, ...] = ()
    never_taken: tuple[Place, ...] = ()
    addresses: tuple[Address, ...] = ()
