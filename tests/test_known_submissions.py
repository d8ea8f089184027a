"""Every known submission gets its verdict, its rule and its line, through the real command line."""

from __future__ import annotations

import os
import re
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import feedback
from tests.known import VERDICTS, Known, known_submissions, read

KNOWN = known_submissions()
SOLUTIONS = Path(__file__).parent.parent / "solution"

Grade = Callable[..., dict[str, Any]]


LIMITS = {"TLE": ("--time-limit", "4")}
"""Options for files that would otherwise be waited for."""


WHOLE = bool(os.environ.get("GRADER_WHOLE"))
"""Grade over the whole domain at once (`make known`); else over as little as will do."""

ONE_CASE = ("--quick", "--case", "example_1")
STEPS: tuple[tuple[str, ...], ...] = (ONE_CASE, ("--quick",), ())
"""From one case at one shape to the whole domain: what some of it finds wrong is wrong."""


def steps(known: Known) -> tuple[tuple[str, ...], ...]:
    """What to grade until the verdict is there: accepted forms differ in structure, so for most one shape will do."""
    if WHOLE:
        return STEPS[-1:]
    if known.verdicts == ("AC",) and zlib.crc32(known.id.encode()) % 5 == 0:
        return STEPS[1:]
    return STEPS


def failed_rules(report: dict[str, Any]) -> set[str]:
    return {rule["id"] for rule in report["rules"] if rule["status"] == "fail"}


def graded(known: Known, grade: Grade) -> dict[str, Any]:
    """The report of the first step that comes to the verdict, or of the last."""
    limits = LIMITS.get(known.verdicts[0], ())
    report: dict[str, Any] = {}
    for options in steps(known):
        report = grade(known.path, *options, *limits)
        if report["verdict"] in known.verdicts and (known.rule is None or known.rule in failed_rules(report)):
            break
    return report


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.id)
def test_verdict_rule_and_line(known: Known, grade: Grade) -> None:
    report = graded(known, grade)
    findings = report["findings"]
    said = "\n".join(str(finding) for finding in findings)

    assert report["verdict"] in known.verdicts, f"{known.idea}\n{said}"
    assert report["problem"] == known.problem or report["problem"] is None  # None: it came to no function
    assert report["problem"] is not None or report["verdict"] not in ("AC", "RV", "WA")

    failed = failed_rules(report)
    if known.verdicts == ("AC",):
        assert not findings, said
        assert not failed
    if report["verdict"] == "RV" and known.rule is not None:
        assert known.rule in failed, f"{known.idea}\n{said}"
        assert failed <= {known.rule, *known.also}, f"{known.idea}\n{said}"
    if known.lines:
        relevant = [finding for finding in findings if known.rule in (None, finding["id"])]
        assert known.lines & {finding.get("line") for finding in relevant}, said
    if known.says is not None:
        assert any(known.says in finding["message"] for finding in findings), said


def test_the_page_of_messages_has_every_rule_and_names_submissions_that_are_there() -> None:
    text = feedback.PAGE.read_text()
    headings = {line[3:] for line in text.splitlines() if line.startswith("## ")}
    first = known_submissions("tensor_parallel_mlp")
    broken = {known.rule for known in first if known.rule is not None and known.rule not in feedback.FOREIGN}
    assert broken <= headings, f"make feedback: {broken - headings}"
    for name in re.findall(r"Said of `(.+)`", text):
        assert (feedback.ROOT / "tests" / "submissions" / name).is_file(), f"make feedback: {name}"


@pytest.mark.parametrize("problem", sorted({known.problem for known in KNOWN}))
def test_the_reference_solution_is_accepted_over_its_whole_domain(problem: str, grade_cold: Grade) -> None:
    report = grade_cold(SOLUTIONS / f"{problem}.py")
    assert report["verdict"] == "AC", report["findings"]
    assert report["generated"]["shapes"] == report["generated"]["of_shapes"]
    assert {case["status"] for case in report["cases"]} == {"pass"}


@pytest.mark.parametrize("problem", sorted({known.problem for known in KNOWN}))
def test_each_verdict_of_a_problem_has_its_submissions(problem: str) -> None:
    counts = Counter(known.verdicts[0] for known in KNOWN if known.problem == problem)
    assert counts["AC"] >= 3
    assert counts["RV"] >= 2
    assert counts["WA"] >= 2


def test_each_rule_of_the_first_problem_is_broken_alone_somewhere() -> None:
    alone = {known.rule for known in known_submissions("tensor_parallel_mlp") if known.rule and not known.also}
    assert alone == {
        "stays-traced",
        "mesh",
        "weight-blocks",
        "weights-stay-split",
        "psum",
        "out-replicated",
        "hidden-split",
        "b2-once",
        "no-callbacks",
    }


@pytest.mark.parametrize(
    ("folder", "text"),
    [
        ("accepted", "import jax\n"),
        ("accepted", "# verdict: AC\n"),
        ("accepted", "# verdict: WA\n# An idea.\n"),
        ("wrong_answer", "# verdict: WA or OK\n# An idea.\n"),
        ("wrong_answer", "# verdict: WA\n# rule: psum\n# An idea.\n"),
        ("rule_violation", "# verdict: RV\n# An idea.\n"),
    ],
)
def test_a_heading_that_says_nothing_sensible_is_an_error(tmp_path: Path, folder: str, text: str) -> None:
    path = tmp_path / "problem" / folder / "submission.py"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(ValueError, match=r"submission\.py"):
        read(path)


def test_every_verdict_on_a_submission_is_among_the_folders() -> None:
    assert set(VERDICTS.values()) == {"AC", "RV", "WA", "RE", "CE", "TLE", "MLE"}
