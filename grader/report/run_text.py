"""What a run returned, for people: each output, and what each device holds of it.

A pure function of the report, the submission's text and what the reader's terminal can show.
"""

from __future__ import annotations

from grader.report.clean import OUTPUT_LIMIT
from grader.report.model import Held, RunOutput, RunReport, verdict
from grader.report.page import Look, Page
from grader.report.rows import pretty
from grader.report.text import colophon, findings, printed

_MOST_LINES = 100


def headline(report: RunReport) -> str:
    if report.findings:
        code = verdict(report.findings)
        return f"{code.words} ({code.value}): {report.submission}"
    return f"Ran: {report.submission}"


def render(report: RunReport, source: bytes | None = None, look: Look | None = None) -> str:
    page = Page(look or Look())
    page.paragraph(headline(report), style="bold red" if report.findings else "bold")
    if report.problem:
        page.paragraph(f"Problem: {report.problem}", style="dim")
    findings(page, report.findings, report.submission, source)
    for output in report.outputs:
        page.blank()
        _output(page, output)
    printed(page, report.output)
    colophon(page, report.seconds, report.versions, report.sandbox)
    return page.text()


def _output(page: Page, output: RunOutput) -> None:
    shape = ", ".join(map(str, output.shape)) + ("," if len(output.shape) == 1 else "")
    page.paragraph(f"{output.name}  {output.dtype} ({shape})", style="bold")
    _value(page, output.value, "")
    if not output.devices:
        return
    if all(each.value == output.devices[0].value and _whole(each, output) for each in output.devices):
        page.paragraph(f"All {len(output.devices)} devices hold the whole of it.", indent=2)
        return
    for each in output.devices:
        block = ", ".join(f"{start}:{stop}" for start, stop in each.block)
        _value(page, each.value, page.shown(f"device {each.device} holds [{block}] = "))


def _whole(held: Held, output: RunOutput) -> bool:
    return all(pair == (0, size) for pair, size in zip(held.block, output.shape, strict=True))


def _value(page: Page, value: object, lead: str) -> None:
    page.paragraph(
        pretty(value, width=page.width - len(lead) - 4), indent=2, lead=lead, lines=_MOST_LINES, limit=OUTPUT_LIMIT
    )
