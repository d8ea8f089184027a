"""A report for programs: one JSON object on one line, UTF-8."""

from __future__ import annotations

import msgspec

from grader.report.clean import cleaned
from grader.report.model import Report, RunReport


def render(report: Report | RunReport) -> bytes:
    """The report as JSON, with every text in it clean (line ends are kept), and a final newline."""
    return msgspec.json.encode(cleaned(msgspec.to_builtins(report))) + b"\n"
