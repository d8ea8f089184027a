"""A table for spreadsheets: one line a submission, UTF-8, under a heading.

A cell that a spreadsheet would take for a formula (a file may be called ``=1+1.py``) gets an apostrophe in
front.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from grader.batch.exports.judged import Judged, judged
from grader.batch.exports.writing import written
from grader.batch.results import Results
from grader.report.clean import clean

HEADING = (
    "submission", "verdict", "problem", "broken_rules", "found", "message", "line",
    "cases_passed", "cases", "seconds", "programs", "reason",
)  # fmt: skip


def export(results: Results, target: Path) -> None:
    with written(target) as file:
        file.write(line(HEADING))
        for each in judged(results):
            file.write(line(row(each)))


def line(values: Iterable[object]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([cell(value) for value in values])
    return text.getvalue().encode()


def row(each: Judged) -> list[object]:
    report = each.report
    if report is None:
        return [each.name, "", "", "", "", "", "", "", "", "", "", each.reason]
    first = report.findings[0] if report.findings else None
    return [
        each.name,
        report.verdict.value,
        report.problem or "",
        " ".join(rule.id for rule in report.rules if rule.status == "fail"),
        " ".join(dict.fromkeys(finding.id for finding in report.findings)),
        clean(first.message) if first is not None else "",
        first.line if first is not None and first.line is not None else "",
        sum(case.status == "pass" for case in report.cases),
        len(report.cases),
        report.seconds,
        report.programs or "",
        each.reason or "",
    ]


def cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
