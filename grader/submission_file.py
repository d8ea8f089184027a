"""Read a submission's file. Its bytes are handed on as they are: the judge neither parses nor decodes them.

Comes in: the path as it was typed. Goes out: bytes, or the finding that says why there are none.
"""

from __future__ import annotations

from grader.regular_file import Unreadable, larger_than, read_regular_file
from grader.report.model import Finding, Verdict

MOST_BYTES = 1 << 20


def read_submission(path: str) -> bytes | Finding:
    """The bytes of the file, or (verdict CE) why it cannot be graded."""
    try:
        data = read_regular_file(path, MOST_BYTES)
    except Unreadable as error:
        return unreadable(error.reason)
    return empty(data) or data


def unreadable(reason: str) -> Finding:
    """The finding on a file that has no bytes to give."""
    return _finding("unreadable-file", f"The file cannot be read: {reason}.", "Name one Python file.")


def too_large(data: bytes) -> Finding | None:
    """The finding on more bytes than a submission may have."""
    return unreadable(larger_than(MOST_BYTES)) if len(data) > MOST_BYTES else None


def empty(data: bytes) -> Finding | None:
    """The finding on a file in which there is nothing; None when there is something."""
    if data.strip():
        return None
    return _finding("empty-file", "The file is empty.", "Write the function that the problem asks for into it.")


def _finding(id: str, message: str, help: str) -> Finding:
    return Finding(kind="error", id=id, verdict=Verdict.CE, message=message, help=help)
