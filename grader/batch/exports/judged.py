"""What every export says of a submission: its report, whatever became of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from grader.batch.collect import Entry, read, shown
from grader.batch.results import Results, Row, decode
from grader.regular_file import Unreadable
from grader.report.model import Report, Verdict
from grader.submission_file import MOST_BYTES, unreadable


@dataclass(frozen=True, slots=True)
class Judged:
    """A submission and its report. Of one that could not be read, the report says so."""

    number: int
    """From 1, in the order of the run."""
    entry: Entry
    name: str
    report: Report | None
    """None: it is no file, or was not judged; then ``reason`` says why."""
    reason: str | None


def judged(results: Results) -> Iterator[Judged]:
    for number, row in enumerate(results.rows(), 1):
        name = shown(row.entry)
        yield Judged(number, row.entry, name, report_of(row, name), reason_of(row))


def report_of(row: Row, name: str) -> Report | None:
    if row.report is not None:
        return msgspec.structs.replace(decode(row.report), submission=name)
    if row.entry.kind == "file" and row.entry.reason is not None:
        return Report(verdict=Verdict.CE, problem=None, submission=name, findings=(unreadable(row.entry.reason),))
    return None


def reason_of(row: Row) -> str | None:
    if row.entry.reason is not None:
        return row.entry.reason
    return "not judged yet" if row.report is None else None


def source_of(each: Judged) -> bytes | None:
    """The submission's bytes, for renderers that show lines of it."""
    try:
        return read(each.entry, MOST_BYTES)
    except Unreadable:
        return None
