"""The device picture for a terminal: the mesh, the map of each array, and what each device holds beside it.

Comes in: how arrays lie on the devices. Goes out: lines on a `Page`. Every device has its colour and its
number; without colour the numbers say all.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from itertools import zip_longest

from grader.report.clean import OUTPUT_LIMIT
from grader.report.layout import arrays, device_count, in_words, is_whole, mesh, shape, slices
from grader.report.map_text import Part, array_map, chip
from grader.report.model import Held, Layout, Nested, Report, RunReport
from grader.report.page import Page

_MOST_VALUE_LINES = 8
_NARROWEST_COLUMN = 34
"""Characters that what the devices hold needs to stand beside the map and not below it."""


def overview(page: Page, report: Report) -> None:
    """The map of every array, without what each device holds."""
    layouts = arrays(report)
    if not layouts:
        return
    count = device_count(report)
    page.blank()
    page.line(("What each device holds", "bold"))
    mesh_line(page, report, indent=2)
    for layout in layouts:
        page.paragraph(
            f"{shape(layout.shape)}: {in_words(layout, count)}", indent=2, lead=f"{page.shown(layout.name)} "
        )
        if not all_whole(layout, count):
            for row in array_map(layout, count):
                page.line("    ", *row)


def mesh_line(page: Page, report: Report | RunReport, indent: int = 0) -> None:
    """The devices in their colours, and the mesh's axes."""
    count = device_count(report)
    named = ", ".join(f"{name}={size}" for name, size in mesh(report).items())
    title = page.shown(f"Devices ({named})  " if named else "Devices  ")
    chips = [part for each in range(count) for part in (chip(each), (" ", ""))]
    if indent + len(title) + len(chips) <= page.width:
        page.line(" " * indent, (title, "bold"), *chips)
        return
    page.paragraph(title.rstrip(), indent=indent, style="bold")
    room = page.width - indent - 2
    for start in range(0, len(chips), room):
        page.line(" " * (indent + 2), *chips[start : start + room])


def all_whole(layout: Layout, count: int) -> bool:
    return len(layout.blocks) == count and all(is_whole(each.block, layout.shape) for each in layout.blocks)


Holding = tuple[Part, str, Nested | None]
"""The device as on the map, which part of the array it holds, and the values there."""


def holding(device: int, block: tuple[tuple[int, int], ...], held: Held | None = None) -> Holding:
    number, style = chip(device)
    name = f"device {device}" if number == str(device) else f"device {device} ({number})"
    return (name, style), f" {slices(block)}", None if held is None else held.value


def beside(page: Page, drawn: list[list[Part]], held: Sequence[Holding]) -> None:
    """The map of the whole array on the left, what each device holds on the right (or below, where it is narrow)."""
    width = max((sum(len(text) for text, _ in row) for row in drawn), default=0)
    if drawn and page.width - width - 7 < _NARROWEST_COLUMN:
        for row in drawn:
            page.line("    ", *row)
        drawn, width = [], 0
    right = [row for each in held for row in _rows(page, each, page.width - width - (7 if drawn else 4))]
    nothing: list[Part] = []
    for left, told in zip_longest(drawn, right, fillvalue=nothing):
        used = sum(len(text) for text, _ in left)
        page.line("    ", *left, " " * (width - used + (3 if drawn else 0)), *told)


def _rows(page: Page, holding: Holding, room: int) -> list[list[Part]]:
    """What one device holds: on one line where its values fit, else the values below."""
    name, where, value = holding
    if value is None:
        return [[name, (where, "")]]
    words = page.shown(json.dumps(value, ensure_ascii=False), limit=OUTPUT_LIMIT)
    if len(name[0]) + len(where) + 3 + len(words) <= room:
        return [[name, (f"{where} = {words}", "")]]
    rows = textwrap.wrap(words, max(room - 2, 10))
    if len(rows) > _MOST_VALUE_LINES:
        rows = [*rows[:_MOST_VALUE_LINES], page.plain(f"… ({len(rows) - _MOST_VALUE_LINES:,} more lines)")]
    return [[name, (f"{where} =", "")], *([(f"  {row}", "")] for row in rows)]
