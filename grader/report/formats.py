"""The formats that a report can be had in, by name. A format's module is imported when it is asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from grader.report.model import Report, RunReport

FORMATS: Final = ("text", "json", "html", "junit", "gradescope", "github", "sarif")
"""Of the report on a submission. ``json`` is for programs and tells all; the others are what learners may see."""

RUN_FORMATS: Final = ("text", "json", "html")
"""Of what a run on one's own inputs returned."""


def render(format: str, report: Report | RunReport, source: bytes | None) -> bytes:
    """The report in one of `FORMATS` (of a run: `RUN_FORMATS`), UTF-8. ``source``: the submission's bytes, if any."""
    if format == "json":
        from grader.report.json import render as as_json

        return as_json(report)
    if format == "text":
        from grader.report.model import Report
        from grader.report.run_text import render as run_as_text
        from grader.report.text import render as as_text

        return (as_text(report, source) if isinstance(report, Report) else run_as_text(report, source)).encode()
    made: bytes = importlib.import_module(f"grader.report.{format}").render(report, source)
    return made
