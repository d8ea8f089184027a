"""Where in a submission a finding is, as editors and annotations count: from 1, in characters.

Comes in: a place of the report (columns in bytes, see `grader.report.model`) and the submission's bytes.
Goes out: a region that lies in the file, its end after its start, or None where there is no such line.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.report.frame import source_lines
from grader.report.model import Finding, Place


@dataclass(frozen=True)
class Region:
    """Lines and columns from 1, columns in code points; the end column is exclusive."""

    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


def region(place: Finding | Place, source: bytes | None) -> Region | None:
    """The region of a place; without ``source`` columns are taken as they are, as if all were ASCII."""
    lines = None if source is None else source_lines(source)
    line = place.line
    if line is None or line < 1 or (lines is not None and line > len(lines)):
        return None
    if place.column is None or place.column < 1:
        return Region(line)
    column = _characters(lines, line, place.column)
    end_line = place.end_line or line
    if place.end_column is None or end_line < line or (lines is not None and end_line > len(lines)):
        return Region(line, column)
    end_column = _characters(lines, end_line, max(place.end_column, 1))
    if (end_line, end_column) <= (line, column):
        return Region(line, column)
    return Region(line, column, end_line, end_column)


def _characters(lines: list[bytes] | None, line: int, column: int) -> int:
    """A column in characters for one in bytes; not beyond the line's end."""
    if lines is None:
        return column
    return len(lines[line - 1][: column - 1].decode("utf-8", "replace")) + 1
