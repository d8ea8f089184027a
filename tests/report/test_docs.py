"""docs/report.md names every field that the JSON has, and every verdict with its exit status."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.report import model

TEXT = (Path(__file__).parents[2] / "docs" / "report.md").read_text("utf-8")
STRUCTS = [
    model.Report,
    model.Finding,
    model.Place,
    model.RuleResult,
    model.CaseResult,
    model.Generated,
    model.Counterexample,
    model.RunReport,
    model.RunOutput,
    model.Held,
    model.Devices,
    model.Layout,
    model.Block,
    model.Flow,
    model.FlowNode,
    model.FlowEdge,
]


@pytest.mark.parametrize("struct", STRUCTS)
def test_every_field_is_described(struct: type) -> None:
    named = set(re.findall(r"`(\w+)`", TEXT))
    assert set(struct.__struct_fields__) <= named


@pytest.mark.parametrize("verdict", model.Verdict)
def test_every_verdict_is_in_the_table(verdict: model.Verdict) -> None:
    [row] = re.findall(rf"^\| [^|]*\b{verdict.value}\b[^|]*\|.*\| (\d) \|$", TEXT, re.MULTILINE)
    assert int(row) == verdict.exit_status
