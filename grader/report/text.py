"""A report for people: the verdict first, then what was found and where, then what was judged.

A pure function of the report, the submission's text (for showing its lines) and what the reader's
terminal can show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grader.report.clean import OUTPUT_LIMIT
from grader.report.device_text import overview
from grader.report.frame import code_frame
from grader.report.learner import for_learners
from grader.report.model import (
    CaseResult,
    Counterexample,
    Finding,
    Generated,
    Place,
    Report,
    RuleResult,
    Status,
    Verdict,
)
from grader.report.page import Look, Page
from grader.report.rows import pretty

MOST_FINDINGS = 12
MOST_NAMES = 6
MOST_OUTPUT_LINES = 40
MOST_MESSAGE_LINES = 20
MOST_DATA_LINES = 400

_MARKS: Mapping[Status, tuple[str, str]] = {
    "pass": ("✓", "green"),
    "fail": ("✗", "bold red"),
    "skipped": ("–", "dim"),
}
JUDGE_FAILED = "The judge failed. This says nothing about the submission; please report it."


def render(report: Report, source: bytes | None = None, look: Look | None = None) -> str:
    """The whole report. ``source``: the submission's bytes, None when there are none to show."""
    report = for_learners(report)
    page = Page(look or Look())
    headline(page, report)
    findings(page, report.findings, report.submission, source)
    if report.rules or report.cases or report.generated:
        page.blank()
    _rules(page, report.rules)
    _cases(page, report.cases)
    if report.generated:
        _generated(page, report.generated, report.submission, source)
    if any(each.status == "fail" for each in report.rules):
        overview(page, report)
    printed(page, report.output)
    colophon(page, report.seconds, report.versions, report.sandbox)
    return page.text()


def headline(page: Page, report: Report) -> None:
    style = {Verdict.AC: "bold green", Verdict.IE: "bold yellow"}.get(report.verdict, "bold red")
    page.paragraph(
        f"{report.verdict.words} ({report.verdict.value}): {report.submission}",
        style=style,
    )
    if report.problem:
        page.paragraph(f"Problem: {report.problem}", style="dim")
    if report.verdict is Verdict.IE:
        page.paragraph(JUDGE_FAILED)


def findings(page: Page, found: tuple[Finding, ...], submission: str, source: bytes | None) -> None:
    for finding in found[:MOST_FINDINGS]:
        _finding(page, finding, submission, source)
    if len(found) > MOST_FINDINGS:
        page.blank()
        page.paragraph(f"… and {len(found) - MOST_FINDINGS} more; --format json lists them all.")


def printed(page: Page, output: str) -> None:
    """What the submission printed, fenced so that it cannot be taken for the judge's words."""
    if not output:
        return
    page.blank()
    page.line(("Printed by the submission", "bold"))
    lines = output.rstrip("\n").split("\n")
    head, tail = lines, list[str]()
    if len(lines) > MOST_OUTPUT_LINES:
        head, tail = lines[: MOST_OUTPUT_LINES * 3 // 4], lines[-MOST_OUTPUT_LINES // 4 :]
    for line in head:
        page.paragraph(line, lead="  │ ", lead_style="dim")
    if tail:
        page.line(("  │ ", "dim"), (f"… {len(lines) - len(head) - len(tail):,} lines left out …", "dim"))
    for line in tail:
        page.paragraph(line, lead="  │ ", lead_style="dim")


def colophon(page: Page, seconds: float, versions: Mapping[str, str], sandbox: Iterable[str]) -> None:
    """What it took and ran under; nothing where nothing was run."""
    if not seconds:
        return
    parts = [f"{seconds:.2f} s", *(f"{name} {version}" for name, version in versions.items())]
    parts.append(f"sandbox: {', '.join(sandbox) or 'none'}")
    page.blank()
    page.paragraph(" · ".join(parts), style="dim")


def sizes(shape: Mapping[str, int]) -> str:
    """Such as ``B=1, D=2, H=8, O=1``."""
    return ", ".join(f"{name}={size}" for name, size in shape.items())


def names(all_names: Iterable[str]) -> str:
    """Some names and how many more there are."""
    listed = list(all_names)
    shown = ", ".join(listed[:MOST_NAMES])
    return f"{shown} and {len(listed) - MOST_NAMES} more" if len(listed) > MOST_NAMES else shown


def _finding(page: Page, finding: Finding, submission: str, source: bytes | None) -> None:
    where = [finding.id]
    if finding.line:
        where.append(f"{submission}:{finding.line}" + (f":{finding.column}" if finding.column else ""))
    if finding.shape:
        where.append(sizes(finding.shape))
    page.blank()
    mark, style = _MARKS["fail"]
    page.paragraph(" · ".join(where), lead=f"{mark} ", style="bold", lead_style=style)
    page.paragraph(finding.message, indent=2, lines=MOST_MESSAGE_LINES)
    if finding.cases:
        page.paragraph(f"Cases that show it: {names(finding.cases)}", indent=2)
    if finding.line:
        code_frame(
            page, source, finding.line, finding.column, finding.end_line, finding.end_column, indent=4, context=1
        )
    for place in finding.also:
        _place(page, place, source)
    if finding.help:
        page.paragraph(finding.help, indent=2, lead="→ ", lead_style="bold green", lines=MOST_MESSAGE_LINES)


def _place(page: Page, place: Place, source: bytes | None) -> None:
    page.paragraph(f"line {place.line}: {place.note}", indent=2)
    code_frame(page, source, place.line, place.column, place.end_line, place.end_column, indent=4, context=0)


def _rules(page: Page, rules: tuple[RuleResult, ...]) -> None:
    if not rules:
        return
    page.line(("Rules", "bold"))
    for rule in rules:
        mark, style = _MARKS[rule.status]
        note = " (not judged)" if rule.status == "skipped" else ""
        title = f": {rule.title}" if rule.title and rule.status == "fail" else ""
        page.paragraph(rule.id + note + title, indent=2, lead=f"{mark} ", lead_style=style)


def _cases(page: Page, cases: tuple[CaseResult, ...]) -> None:
    if not cases:
        return
    by_status = {
        status: [each.name for each in cases if each.status == status] for status in ("pass", "fail", "skipped")
    }
    parts = [f"{len(by_status['pass'])} of {len(cases)} right"]
    if by_status["fail"]:
        parts.append(f"wrong: {names(by_status['fail'])}")
    if by_status["skipped"]:
        parts.append(f"not judged: {names(by_status['skipped'])}")
    status: Status = "fail" if by_status["fail"] else "skipped" if by_status["skipped"] else "pass"
    mark, style = _MARKS[status]
    page.line(("Cases", "bold"))
    page.paragraph("; ".join(parts), indent=2, lead=f"{mark} ", lead_style=style)


def _generated(page: Page, generated: Generated, submission: str, source: bytes | None) -> None:
    mark, style = _MARKS[generated.status]
    outcome = {"pass": "all right", "fail": "wrong", "skipped": "not judged"}[generated.status]
    page.line(("Generated inputs", "bold"))
    page.paragraph(
        f"{generated.examples:,} at {generated.shapes:,} of {generated.of_shapes:,} shapes: {outcome}",
        indent=2,
        lead=f"{mark} ",
        lead_style=style,
    )
    for place in generated.never_taken:
        _place(page, place, source)
    if generated.counterexample:
        counterexample(page, generated.counterexample, submission)


def counterexample(page: Page, found: Counterexample, submission: str) -> None:
    """An input on which the submission is wrong, and what came out."""
    page.blank()
    page.paragraph(f"Smallest wrong input ({sizes(found.shape)})", style="bold")
    _data(page, {"inputs": found.inputs})
    for name, right in found.expected.items():
        _data(page, right, lead=f"{name} expected ")
        if name in found.got:
            _data(page, found.got[name], lead=f"{name} got      ")
    page.paragraph(
        f"To run it again, save the braces as FILE.json, then: grader run {submission} --input FILE.json",
        indent=2,
        lead="→ ",
        lead_style="bold green",
    )


def _data(page: Page, value: Any, lead: str = "") -> None:
    lead = page.shown(lead)
    text = pretty(value, width=page.width - len(lead) - 10)
    page.paragraph(text, indent=2, lead=lead, lines=MOST_DATA_LINES, limit=OUTPUT_LIMIT)
