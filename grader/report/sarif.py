"""A report as SARIF 2.1.0 (OASIS), for editors and code scanning: a result for each finding.

Comes in: a report and the submission's bytes. Goes out: one SARIF log with one run: the rules that were
judged, the findings with their regions, the further places as related locations.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from grader.report.clean import clean, cleaned
from grader.report.learner import for_learners
from grader.report.model import Finding, Place, Report, Verdict
from grader.report.region import region
from grader.report.text import sizes

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(report: Report, source: bytes | None = None) -> bytes:
    report = for_learners(report)
    rules = _rules(report)
    positions = {rule["id"]: position for position, rule in enumerate(rules)}
    driver: dict[str, Any] = {"name": "grader", "rules": rules}
    version = report.versions.get("grader")
    if version:
        driver["version"] = version
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": report.verdict is not Verdict.IE,
                "exitCode": report.verdict.exit_status,
                "exitCodeDescription": f"{report.verdict.words} ({report.verdict.value})",
            }
        ],
        "artifacts": [{"location": {"uri": _uri(report.submission)}, "sourceLanguage": "python"}],
        "results": [_result(each, report.submission, source, positions) for each in report.findings],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [cleaned(run)]}
    return json.dumps(log, ensure_ascii=False, indent=2).encode() + b"\n"


def _rules(report: Report) -> list[dict[str, Any]]:
    """Every rule judged, and every other kind of finding, once."""
    rules: dict[str, dict[str, Any]] = {}
    for rule in report.rules:
        described = {"shortDescription": {"text": rule.title}} if rule.title else {}
        rules.setdefault(clean(rule.id), {"id": rule.id, **described})
    for finding in report.findings:
        rules.setdefault(clean(finding.id), {"id": finding.id})
    return [{**rule, "id": id} for id, rule in rules.items()]


def _result(finding: Finding, submission: str, source: bytes | None, positions: dict[str, int]) -> dict[str, Any]:
    id = clean(finding.id)
    text = finding.message if not finding.help else f"{finding.message}\n{finding.help}"
    result: dict[str, Any] = {
        "ruleId": id,
        "ruleIndex": positions[id],
        "level": "error",
        "message": {"text": _message(text)},
        "locations": [_location(finding, submission, source)],
    }
    if finding.also:
        result["relatedLocations"] = [
            {**_location(each, submission, source), "id": number, "message": {"text": _message(each.note)}}
            for number, each in enumerate(finding.also)
        ]
    properties: dict[str, Any] = {"kind": finding.kind, "verdict": finding.verdict.value}
    if finding.shape:
        properties["shape"] = sizes(finding.shape)
    if finding.cases:
        properties["cases"] = list(finding.cases)
    return {**result, "properties": properties}


def _location(place: Finding | Place, submission: str, source: bytes | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(submission), "index": 0}}
    at = region(place, source)
    if at is not None:
        named = {
            "startLine": at.line, "startColumn": at.column, "endLine": at.end_line, "endColumn": at.end_column,
        }  # fmt: skip
        physical["region"] = {name: value for name, value in named.items() if value is not None}
    return {"physicalLocation": physical}


def _message(text: str) -> str:
    """Text in which nothing is taken for a placeholder or a link (SARIF 2.1.0, sections 3.11.5 and 3.11.6)."""
    text = clean(text, lines=True)
    for sign, escaped in (("\\", "\\\\"), ("[", "\\["), ("]", "\\]"), ("{", "{{"), ("}", "}}")):
        text = text.replace(sign, escaped)
    return text


def _uri(path: str) -> str:
    """A URI reference for a file name, whatever characters it has."""
    quoted = quote(path.removeprefix("./"), safe="/", errors="replace")
    return f"file://{quoted}" if quoted.startswith("/") else quoted
