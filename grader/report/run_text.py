"""What a run returned, for people: each output, and what each device holds of it.

A pure function of the report, the submission's text and what the reader's terminal can show.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.report.clean import OUTPUT_LIMIT
from grader.report.device_text import all_whole, beside, holding, mesh_line
from grader.report.layout import arrays, copies_differ, device_count, in_words, shape
from grader.report.map_text import array_map
from grader.report.model import Layout, RunOutput, RunReport, verdict
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
    layouts = arrays(report)
    count = device_count(report)
    if layouts:
        page.blank()
        mesh_line(page, report)
    for layout in layouts:
        if layout.role == "input":
            page.blank()
            _input(page, layout, count)
    drawn = {each.name: each for each in layouts if each.role == "output"}
    for output in report.outputs:
        page.blank()
        _output(page, output, drawn.get(output.name), count)
    printed(page, report.output)
    colophon(page, report.seconds, report.versions, report.sandbox)
    return page.text()


def _title(page: Page, name: str, dtype: str, sizes: Sequence[int], role: str = "") -> None:
    page.paragraph(f"{name}  {dtype} {shape(sizes)}{role}", style="bold")


def _input(page: Page, layout: Layout, count: int) -> None:
    _title(page, layout.name, layout.dtype, layout.shape, "  input")
    page.paragraph(in_words(layout, count), indent=2)
    if not all_whole(layout, count):
        beside(page, array_map(layout, count), [holding(each.device, each.block) for each in layout.blocks])


def _output(page: Page, output: RunOutput, layout: Layout | None, count: int) -> None:
    _title(page, output.name, output.dtype, output.shape)
    page.paragraph(pretty(output.value, width=page.width - 4), indent=2, lines=_MOST_LINES, limit=OUTPUT_LIMIT)
    if layout is None:
        return
    differ = copies_differ(output)
    page.paragraph(in_words(layout, count) + (" Their copies differ." if differ else ""), indent=2)
    if all_whole(layout, count) and not differ:
        return
    held = [holding(each.device, each.block, each) for each in output.devices]
    beside(page, array_map(layout, count), held)
