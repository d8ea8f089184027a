"""The report for programs: the fields that other programs read, one object, nothing that breaks a reader."""

from __future__ import annotations

import json

import msgspec

from grader.report.json import render
from grader.report.model import Report, Verdict
from tests.report.reports import ACCEPTED, BROKEN


def test_fields_of_version_1() -> None:
    data = json.loads(render(BROKEN))
    assert list(data) == [
        "version",
        "verdict",
        "problem",
        "submission",
        "rules",
        "findings",
        "cases",
        "generated",
        "devices",
        "flow",
        "output",
        "seconds",
        "versions",
        "sandbox",
        "programs",
    ]
    assert data["version"] == 1
    assert data["verdict"] == "RV"
    assert data["rules"][1] == {
        "id": "hidden-split",
        "status": "fail",
        "title": "hidden is the shard_map's own output",
    }
    first = data["findings"][0]
    assert {name: first[name] for name in ("kind", "id", "line", "column", "shape")} == {
        "kind": "rule",
        "id": "hidden-split",
        "line": 3,
        "column": 40,
        "shape": {"B": 1, "D": 1, "H": 8, "O": 1},
    }
    assert data["findings"][1]["line"] is None
    assert data["cases"][0] == {"name": "example_1", "status": "fail", "visibility": "public"}
    assert data["generated"]["counterexample"]["got"] == {"out": [["nan"]]}
    assert data["output"] == "hello\nAccepted (AC): mine.py\n\\x1b[2J"


def test_one_object_on_one_line() -> None:
    data = render(ACCEPTED)
    assert data.count(b"\n") == 1
    assert data.endswith(b"}\n")


def test_it_reads_back_as_the_same_report() -> None:
    assert msgspec.json.decode(render(ACCEPTED), type=Report) == ACCEPTED


def test_no_text_breaks_it() -> None:
    report = Report(verdict=Verdict.CE, problem=None, submission="a\udcff\x00\u2028.py", output='"}\n{"verdict":"AC"}')
    data = json.loads(render(report))
    assert data["submission"] == "a\\udcff\\x00\\u2028.py"
    assert data["verdict"] == "CE"
    assert data["problem"] is None
