"""A report as Gradescope's ``results.json``.

Comes in: a report and the submission's bytes. Goes out: the JSON that an autograder leaves in
``/autograder/results/results.json``. The verdict makes the score: `FULL_SCORE` when accepted, else 0; the
rules, cases and generated inputs are listed as passed or failed. Where the judge failed there is no score
at all, so nothing is held against the learner.
"""

from __future__ import annotations

import json
from typing import Any

from grader.report.checks import Check, checks
from grader.report.clean import clean
from grader.report.learner import for_learners
from grader.report.model import Report, Verdict
from grader.report.page import Look
from grader.report.text import render as render_text

FULL_SCORE = 100.0

_TITLES = {"submission": "Submission", "rules": "Rule", "cases": "Case", "generated": "Generated"}


def render(report: Report, source: bytes | None = None) -> bytes:
    results: dict[str, Any] = {
        "execution_time": round(report.seconds, 3),
        "output": render_text(report, source, Look(width=100)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
    }
    if report.verdict is not Verdict.IE:
        results["score"] = FULL_SCORE if report.verdict is Verdict.AC else 0.0
        results["tests"] = _tests(report, source)
    return json.dumps(results, ensure_ascii=False, indent=2).encode() + b"\n"


def _tests(report: Report, source: bytes | None) -> list[dict[str, Any]]:
    """A test for each check that was judged. A hidden case has its name here: students see no hidden test."""
    named = checks(report, source)
    shown = checks(for_learners(report), source)
    return [_test(each if each.hidden else other) for each, other in zip(named, shown, strict=True)]


def _test(check: Check) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": f"{_TITLES[check.group]}: {clean(check.name)}",
        "visibility": "hidden" if check.hidden else "visible",
    }
    if check.outcome == "skipped":
        return {**test, "output": "Not judged."}
    test["status"] = "passed" if check.outcome == "pass" else "failed"
    return {**test, "output": check.text or check.summary} if check.outcome != "pass" else test
