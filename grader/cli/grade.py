"""``grader grade``: judge one submission and report."""

from __future__ import annotations

import argparse

from grader.cli.reports import deliver, limits, prepare
from grader.problems import known_id
from grader.report.model import Finding, Report
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
    from grader import supervisor

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
    return _deliver(options, supervisor.grade(request), source)


def _deliver(options: argparse.Namespace, report: Report, source: bytes | None) -> int:
    headline = f"{report.verdict.words} ({report.verdict.value}): {options.file}"
    deliver(options, report, headline, lambda look: render(report, source, look))
    return report.verdict.exit_status
