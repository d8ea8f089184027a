"""The known submissions of this checkout; see `grader.verify.known`."""

from __future__ import annotations

from pathlib import Path

from grader.verify import known
from grader.verify.known import MARK, VERDICTS, Known, read

__all__ = ["FOLDER", "MARK", "VERDICTS", "Known", "known_submissions", "read"]

FOLDER = Path(__file__).parent / "submissions"


def known_submissions(problem: str | None = None) -> tuple[Known, ...]:
    """Every known submission, or those of one problem."""
    return known.known_submissions(FOLDER, problem)
