"""A report as JUnit XML, as Jenkins and most other services read it.

Comes in: a report and the submission's bytes. Goes out: an XML document with a test suite each for the
submission as a whole, the rules, the cases and the generated inputs.
"""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

from grader.report.checks import Check, checks
from grader.report.clean import OUTPUT_LIMIT, clean
from grader.report.learner import for_learners
from grader.report.model import Report


def render(report: Report, source: bytes | None = None) -> bytes:
    report = for_learners(report)
    made = checks(report, source)
    root = ET.Element("testsuites", {"name": clean(f"grader: {report.submission}"), **_counts(made)})
    root.set("time", f"{report.seconds:.3f}")
    for group, members in itertools.groupby(made, lambda each: each.group):
        _suite(root, report, group, list(members))
    ET.indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode").encode() + b"\n"


def _suite(root: ET.Element, report: Report, group: str, made: list[Check]) -> None:
    name = clean(f"{report.problem}.{group}") if report.problem else group
    suite = ET.SubElement(root, "testsuite", {"name": name, **_counts(made)})
    suite.set("skipped", str(sum(each.outcome == "skipped" for each in made)))
    for each in made:
        _case(suite, name, each)
    if group == "submission":
        suite.set("time", f"{report.seconds:.3f}")
        if report.output:
            ET.SubElement(suite, "system-out").text = clean(report.output, lines=True, limit=OUTPUT_LIMIT)


def _case(suite: ET.Element, classname: str, check: Check) -> None:
    case = ET.SubElement(suite, "testcase", {"name": clean(check.name), "classname": classname})
    if check.outcome == "skipped":
        ET.SubElement(case, "skipped", {"message": "not judged"})
    elif check.outcome != "pass":
        kind = "failure" if check.outcome == "fail" else "error"
        found = ET.SubElement(case, kind, {"type": check.kind, "message": check.summary})
        found.text = check.text


def _counts(made: list[Check]) -> dict[str, str]:
    outcomes = [each.outcome for each in made]
    return {
        "tests": str(len(made)),
        "failures": str(outcomes.count("fail")),
        "errors": str(outcomes.count("error")),
    }
