"""SARIF: the log fits the schema, and its regions are where the report's places are."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec
import pytest

from grader.report.model import Finding, Report, Verdict
from grader.report.sarif import render
from tests.report.reports import ACCEPTED, BROKEN, SOURCE
from tests.report.sarif_schema import SCHEMA


def log(report: Report, source: bytes | None = SOURCE) -> Any:
    data = json.loads(render(report, source))
    jsonschema.validate(data, SCHEMA, format_checker=jsonschema.FormatChecker())
    return data


def one(**more: object) -> Report:
    fields = {"kind": "error", "id": "exception", "verdict": Verdict.RE, "message": "ValueError: no.", **more}
    return Report(verdict=Verdict.RE, problem=None, submission="mine.py", findings=(Finding(**fields),))


def test_a_rejected_submission() -> None:
    data = log(BROKEN)
    [run] = data["runs"]
    assert [each["id"] for each in run["tool"]["driver"]["rules"]] == [
        "mesh",
        "hidden-split",
        "b2-once",
        "b2-eight-times",
    ]
    assert run["invocations"] == [
        {"executionSuccessful": True, "exitCode": 1, "exitCodeDescription": "Rule violated (RV)"}
    ]
    split, eight = run["results"]
    assert split == {
        "ruleId": "hidden-split",
        "ruleIndex": 1,
        "level": "error",
        "message": {
            "text": "The returned hidden is not the shard_map's own output: something is added to it.\n"
            "Return what the shard_map returns, as it is."
        },
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "mine.py", "index": 0},
                    "region": {"startLine": 3, "startColumn": 40, "endLine": 3, "endColumn": 50},
                }
            }
        ],
        "relatedLocations": [
            {
                "id": 0,
                "message": {"text": "this is the shard_map"},
                "physicalLocation": {
                    "artifactLocation": {"uri": "mine.py", "index": 0},
                    "region": {"startLine": 2, "startColumn": 19, "endLine": 2, "endColumn": 39},
                },
            }
        ],
        "properties": {"kind": "rule", "verdict": "RV", "shape": "B=1, D=1, H=8, O=1"},
    }
    assert eight["ruleIndex"] == 3
    assert "region" not in eight["locations"][0]["physicalLocation"]


def test_an_accepted_submission_has_no_results() -> None:
    assert log(ACCEPTED)["runs"][0]["results"] == []


def test_a_fault_of_the_judge_is_no_successful_execution() -> None:
    [invocation] = log(Report(verdict=Verdict.IE, problem=None, submission="mine.py"))["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("a folder/mine.py", "a%20folder/mine.py"),
        ("./mine.py", "mine.py"),
        ("/tmp/mine.py", "file:///tmp/mine.py"),
        ("c:mine.py", "c%3Amine.py"),
        ("naïve#1?.py", "na%C3%AFve%231%3F.py"),
        ("\udcff\x1b\n.py", "%3F%1B%0A.py"),
    ],
)
def test_any_name_makes_a_uri(name: str, uri: str) -> None:
    data = log(msgspec.structs.replace(BROKEN, submission=name))
    assert data["runs"][0]["artifacts"][0]["location"]["uri"] == uri


def test_columns_count_code_points() -> None:
    source = "s = '数é\U0001f600' + bad\n".encode()
    column = source.index(b"bad") + 1
    data = log(one(line=1, column=column, end_line=1, end_column=column + 3), source)
    assert data["runs"][0]["columnKind"] == "unicodeCodePoints"
    region = data["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 13, "endLine": 1, "endColumn": 16}


def test_texts_make_no_links_and_no_placeholders() -> None:
    data = log(one(message="[click](https://example.com) {0} \\ \x1b", id="\x07"))
    result = data["runs"][0]["results"][0]
    assert result["message"]["text"] == "\\[click\\](https://example.com) {{0}} \\\\ \\\\x1b"
    assert result["ruleId"] == "\\x07"


def test_the_schema_can_reject() -> None:
    data = json.loads(render(BROKEN, SOURCE))
    data["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, SCHEMA)
