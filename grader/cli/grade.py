"""``grader grade``: judge one submission and report."""

from __future__ import annotations

import argparse
import os
import traceback

from grader.cli.reports import deliver, limits, prepare
from grader.errors import Unusable
from grader.problems import known_id
from grader.report.model import Finding, Report, Verdict
from grader.report.text import render
from grader.request import GradeRequest
from grader.submission_file import read_submission


def grade(options: argparse.Namespace) -> int:
    problem = known_id(options.problem) if options.problem else None
    prepare(options)
    source = read_submission(options.file)
    if isinstance(source, Finding):
        unread = Report(verdict=source.verdict, problem=problem, submission=options.file, findings=(source,))
        return _deliver(options, unread, None)
    request = GradeRequest(
        submission=source,
        display_name=options.file,
        problem=problem,
        quick=options.quick,
        examples=options.examples,
        cases=tuple(options.case),
        cases_root=options.cases,
        limits=limits(options),
        seed=options.seed,
        require_sandbox=options.require_sandbox,
    )
    return _deliver(options, _judged(request), source)


def _judged(request: GradeRequest) -> Report:
    """The judge's report, or one that says that it failed: whatever happens, there is a report."""
    try:
        from grader import supervisor

        return supervisor.grade(request)
    except Unusable:
        raise
    except Exception as error:
        if os.environ.get("GRADER_DEBUG"):
            traceback.print_exc()
        finding = Finding(
            kind="error",
            id="judge",
            verdict=Verdict.IE,
            message=f"{type(error).__name__}: {error}",
            help="GRADER_DEBUG=1 shows where in the judge.",
        )
        return Report(verdict=Verdict.IE, problem=request.problem, submission=request.display_name, findings=(finding,))


def _deliver(options: argparse.Namespace, report: Report, source: bytes | None) -> int:
    headline = f"{report.verdict.words} ({report.verdict.value}): {options.file}"
    deliver(options, report, source, headline, lambda look: render(report, source, look))
    return report.verdict.exit_status
