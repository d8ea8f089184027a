"""Hidden cases stay hidden: what learners are shown has their number and outcome, never their names."""

from __future__ import annotations

import msgspec
import pytest

from grader.report.formats import FORMATS, render
from grader.report.learner import for_learners
from grader.report.model import CaseResult, Finding, Report, Verdict
from tests.report.reports import ACCEPTED

HIDING = Report(
    verdict=Verdict.WA,
    problem="tensor_parallel_mlp",
    submission="mine.py",
    findings=(
        Finding(
            kind="numbers",
            id="wrong-numbers",
            verdict=Verdict.WA,
            message="The numbers are wrong.",
            cases=("secret_corner", "example_1", "secret_ties"),
        ),
    ),
    cases=(
        CaseResult(name="secret_corner", status="fail", visibility="hidden"),
        CaseResult(name="example_1", status="fail"),
        CaseResult(name="secret_ties", status="fail", visibility="hidden"),
        CaseResult(name="secret_zeros", status="pass", visibility="hidden"),
        CaseResult(name="secret_rest", status="skipped", visibility="hidden"),
    ),
)


def test_hidden_cases_are_numbered() -> None:
    shown = for_learners(HIDING)
    assert [each.name for each in shown.cases] == [
        "hidden case 1",
        "example_1",
        "hidden case 2",
        "hidden case 3",
        "hidden case 4",
    ]
    assert [each.status for each in shown.cases] == [each.status for each in HIDING.cases]
    assert shown.findings[0].cases == ("example_1", "hidden case 1", "hidden case 2")


def test_nothing_else_changes() -> None:
    assert for_learners(ACCEPTED) is ACCEPTED
    shown = for_learners(HIDING)
    assert msgspec.structs.replace(shown, cases=HIDING.cases, findings=HIDING.findings) == HIDING


@pytest.mark.parametrize("format", [each for each in FORMATS if each not in ("json", "gradescope")])
def test_no_format_for_learners_names_them(format: str) -> None:
    assert b"secret" not in render(format, HIDING, None)


def test_programs_are_told_all() -> None:
    assert b"secret_corner" in render("json", HIDING, None)
