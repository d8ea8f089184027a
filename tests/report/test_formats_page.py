"""docs/formats.md names every format, and its examples are what the renderers write."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from grader.report.formats import FORMATS, render
from grader.report.model import CaseResult, Finding, Generated, Report, RuleResult, Verdict

TEXT = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
SECTIONS = {part.split("\n", 1)[0]: part for part in re.split(r"^## ", TEXT, flags=re.MULTILINE)}
SOURCE = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)[0].encode()
REPORT = Report(
    verdict=Verdict.RV,
    problem="tensor_parallel_mlp",
    submission="mine.py",
    rules=(
        RuleResult(id="psum", status="pass"),
        RuleResult(id="b2-once", status="fail", title="b2 is added once, to the psum's result"),
    ),
    findings=(
        Finding(
            kind="rule",
            id="b2-once",
            verdict=Verdict.RV,
            message="b2 is part of what each device gives to the psum, so the sum holds it from all 8 devices.",
            help='Add b2 once, to the sum: jax.lax.psum(partial, "model") + b2.',
            line=4,
            column=25,
            end_line=4,
            end_column=41,
        ),
    ),
    cases=(
        CaseResult(name="example_1", status="pass"),
        CaseResult(name="late", status="pass", visibility="hidden"),
    ),
    generated=Generated(examples=1280, shapes=320, of_shapes=320, status="pass"),
    seconds=1.2,
)


def example(format: str) -> str:
    """The last block of a format's section."""
    return re.findall(r"^```\w*\n(.*?)^```$", SECTIONS[format], re.DOTALL | re.MULTILINE)[-1]


def written(format: str) -> str:
    return render(format, REPORT, SOURCE).decode()


def within(part: Any, whole: Any) -> bool:
    """``whole`` has everything that ``part`` has."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and within(each, whole[key]) for key, each in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(within, part, whole))
    return bool(part == whole)


def test_every_format_is_in_the_table() -> None:
    assert tuple(re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)) == FORMATS


def test_github() -> None:
    assert written("github") == example("github")


def test_junit() -> None:
    lines = [line.removeprefix("  ") if "<" in line else line for line in written("junit").splitlines()]
    assert textwrap.dedent(example("junit")) in "\n".join(lines) + "\n"


def test_gradescope() -> None:
    assert within(json.loads(example("gradescope")), json.loads(written("gradescope")))


def test_sarif() -> None:
    assert within(json.loads(example("sarif")), json.loads(written("sarif"))["runs"][0]["results"][0])


@pytest.mark.parametrize("part", [{"a": 2}, {"b": 1}, {"c": [1]}, [], 1])
def test_a_wrong_example_is_found(part: Any) -> None:
    assert not within(part, {"a": 1, "c": [1, 2]})
