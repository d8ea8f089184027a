"""``grader run``: run one submission on inputs of one's own, and show what comes out; no verdict."""

from __future__ import annotations

import argparse

from grader.cli.reports import deliver, limits, prepare, read_input
from grader.problems import known_id
from grader.report.model import Finding, RunReport, verdict
from grader.report.run_text import headline, render
from grader.request import RunRequest
from grader.submission_file import read_submission


def run(options: argparse.Namespace) -> int:
    problem = known_id(options.problem) if options.problem else None
    prepare(options)
    source = read_submission(options.file)
    if isinstance(source, Finding):
        return _deliver(options, RunReport(problem=problem, submission=options.file, findings=(source,)), None)
    inputs = read_input(options.input)
    from grader import supervisor

    request = RunRequest(
        submission=source,
        display_name=options.file,
        inputs=inputs,
        inputs_name="standard input" if options.input == "-" else options.input,
        problem=problem,
        limits=limits(options),
    )
    return _deliver(options, supervisor.run(request), source)


def _deliver(options: argparse.Namespace, report: RunReport, source: bytes | None) -> int:
    deliver(options, report, source, headline(report), lambda look: render(report, source, look))
    return verdict(report.findings).exit_status
