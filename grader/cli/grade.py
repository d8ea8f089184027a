"""``grader grade``: judge one submission and report."""

from __future__ import annotations

import argparse
import os
import traceback
from pathlib import Path

from grader.cli.reports import deliver, limits, prepare
from grader.cli.terminal import say, write_whole
from grader.errors import Unusable
from grader.problems import known_id
from grader.report.model import Finding, Report, Verdict
from grader.report.rows import pretty
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
    report = _judged(request(options, source, quick=options.quick))
    if options.save_counterexample is not None:
        save_counterexample(options.save_counterexample, report)
    return _deliver(options, report, source)


def request(options: argparse.Namespace, source: bytes, *, quick: bool) -> GradeRequest:
    """What the options of a command that grades ask for."""
    return GradeRequest(
        submission=source,
        display_name=options.file,
        problem=known_id(options.problem) if options.problem else None,
        quick=quick,
        examples=options.examples,
        cases=tuple(options.case),
        cases_root=options.cases,
        limits=limits(options),
        seed=options.seed,
        require_sandbox=options.require_sandbox,
    )


def save_counterexample(path: Path, report: Report) -> None:
    """Write the smallest failing input as a case, to be run again with ``grader run --input``."""
    found = report.generated.counterexample if report.generated is not None else None
    if found is None:
        say("There is no counterexample to save: no generated input was found wrong.")
        return
    write_whole(path, (pretty({"inputs": found.inputs}) + "\n").encode())
    say(f"The counterexample is in {path}: grader run {report.submission} --input {path}")


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
