"""JUnit XML: it fits the schema that Jenkins validates with, and each finding is at the test it belongs to."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import pytest

from grader.report.junit import render
from grader.report.model import Finding, Report, Verdict
from tests.report.reports import ACCEPTED, BROKEN, SOURCE


class Element(NamedTuple):
    """What the schema says of an element: each attribute's pattern, those required, its children, if it has text."""

    attributes: Mapping[str, str]
    required: frozenset[str] = frozenset()
    children: frozenset[str] = frozenset()
    text: bool = False


ANY, TIME = r"(?s).*", r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?"
RESULT = Element({"type": ANY, "message": ANY}, text=True)
SCHEMA = {
    "testsuites": Element(
        {"name": ANY, "time": TIME, "tests": ANY, "failures": ANY, "errors": ANY}, children=frozenset({"testsuite"})
    ),
    "testsuite": Element(
        {"name": ANY, "tests": ANY, "failures": ANY, "errors": ANY, "time": TIME, "skipped": ANY},
        required=frozenset({"name", "tests", "failures", "errors"}),
        children=frozenset({"testsuite", "properties", "testcase", "system-out", "system-err"}),
    ),
    "testcase": Element(
        {"name": ANY, "time": ANY, "classname": ANY, "group": ANY},
        required=frozenset({"name"}),
        children=frozenset({"skipped", "error", "failure", "system-out", "system-err"}),
    ),
    "failure": RESULT,
    "error": RESULT,
    "skipped": RESULT,
    "system-out": Element({}, text=True),
}
"""Source: junit-10.xsd of the Jenkins xUnit plugin
(https://github.com/jenkinsci/xunit-plugin, org/jenkinsci/plugins/xunit/types/model/xsd); what is not used here
is left out, so this accepts less than the original does."""


def valid(element: ET.Element) -> None:
    rule = SCHEMA[element.tag]
    assert rule.required <= set(element.attrib)
    for name, value in element.attrib.items():
        assert re.fullmatch(rule.attributes[name], value), (element.tag, name, value)
    assert rule.text or not (element.text or "").strip()
    for child in element:
        assert child.tag in rule.children, (element.tag, child.tag)
        assert not (child.tail or "").strip()
        valid(child)


def suites(report: Report, source: bytes | None = SOURCE) -> ET.Element:
    root = ET.fromstring(render(report, source))
    assert root.tag == "testsuites"
    valid(root)
    for each in (root, *root):
        cases = list(each.iter("testcase"))
        assert int(each.attrib["tests"]) == len(cases)
        assert int(each.attrib["failures"]) == sum(case.find("failure") is not None for case in cases)
        assert int(each.attrib["errors"]) == sum(case.find("error") is not None for case in cases)
    return root


def outcomes(root: ET.Element) -> dict[tuple[str, str], str]:
    return {
        (case.attrib["classname"], case.attrib["name"]): next((each.tag for each in case), "passed")
        for case in root.iter("testcase")
    }


def test_a_test_for_each_rule_case_and_the_generated_inputs() -> None:
    assert outcomes(suites(BROKEN)) == {
        ("tensor_parallel_mlp.submission", "is loaded, traced and run"): "passed",
        ("tensor_parallel_mlp.rules", "mesh"): "passed",
        ("tensor_parallel_mlp.rules", "hidden-split"): "failure",
        ("tensor_parallel_mlp.rules", "b2-once"): "skipped",
        ("tensor_parallel_mlp.cases", "example_1"): "failure",
        ("tensor_parallel_mlp.cases", "zeros"): "passed",
        ("tensor_parallel_mlp.cases", "hidden case 1"): "skipped",
        ("tensor_parallel_mlp.generated", "generated inputs"): "failure",
    }


def test_findings_are_told_where_they_belong() -> None:
    split, example, generated = suites(BROKEN).iter("failure")
    assert split.attrib == {
        "type": "hidden-split",
        "message": "The returned hidden is not the shard_map's own output: something is added to it.",
    }
    assert (split.text or "").startswith("✗ hidden-split · mine.py:3:40")
    assert example.attrib == {"type": "b2-eight-times", "message": "b2 is added eight times."}
    assert "Smallest wrong input" in (generated.text or "")


def test_what_belongs_to_no_rule_and_no_case_is_told_of_the_whole() -> None:
    finding = Finding(kind="error", id="exception", verdict=Verdict.RE, message="ValueError: no.")
    [failure] = suites(Report(verdict=Verdict.RE, problem=None, submission="m.py", findings=(finding,))).iter("failure")
    assert failure.attrib == {"type": "exception", "message": "ValueError: no."}


def test_a_fault_of_the_judge_is_an_error_and_no_failure() -> None:
    root = suites(Report(verdict=Verdict.IE, problem=None, submission="mine.py"))
    assert outcomes(root) == {("submission", "is loaded, traced and run"): "error"}


def test_accepted() -> None:
    assert set(outcomes(suites(ACCEPTED)).values()) == {"passed"}
    assert suites(ACCEPTED).attrib["time"] == "0.414"


def test_what_was_printed() -> None:
    [printed] = suites(BROKEN).iter("system-out")
    assert printed.text == "hello\nAccepted (AC): mine.py\n\\x1b[2J"


def test_texts_stay_texts() -> None:
    evil = "]]></failure><testcase name='x'/>&amp;\x00\x0b\ufffe\ud800\r\n"
    report = msgspec.structs.replace(
        BROKEN,
        submission=evil,
        problem=evil,
        output=evil,
        findings=(msgspec.structs.replace(BROKEN.findings[0], message=evil, help=evil),),
        cases=(msgspec.structs.replace(BROKEN.cases[0], name=evil),),
    )
    root = suites(report)
    assert len(list(root.iter("testcase"))) == 6
    [printed] = root.iter("system-out")
    assert printed.text == "]]></failure><testcase name='x'/>&amp;\\x00\\x0b\\ufffe\\ud800\n"


def test_the_schema_can_reject() -> None:
    root = ET.fromstring(render(BROKEN, SOURCE))
    root[0].set("colour", "red")
    with pytest.raises(KeyError):
        valid(root)
