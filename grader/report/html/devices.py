"""The device picture: the mesh, and of every array the part that each device holds, coloured by device.

Comes in: a report. Goes out: a section of the page. Each drawing is one image with a description in words;
a table says the same to those who see no picture. Colour is never alone: the devices' numbers stand on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.report.html.markup import NOTHING, Markup, join, tag
from grader.report.layout import (
    Region,
    arrays,
    device_count,
    device_names,
    in_words,
    is_whole,
    mesh,
    regions,
    shape,
    short_names,
    slices,
)
from grader.report.model import Layout, Report, RunReport

FULL_WIDTH, FULL_HEIGHT, LARGEST_CELL = 200.0, 120.0, 20.0
SMALL_WIDTH, SMALL_HEIGHT = 64.0, 40.0
MOST_LINES = 64
"""Rows or columns up to which each is ruled off."""
COLORS = 8


def section(report: Report | RunReport) -> Markup:
    """Empty when the report does not say what the devices hold."""
    layouts = arrays(report)
    if not layouts:
        return NOTHING
    count = device_count(report)
    return tag(
        "section",
        tag("h2", "What each device holds", id="devices-title"),
        _mesh(mesh(report), count),
        *(_array(each, count) for each in layouts),
        _table(layouts, count),
        id="devices",
        aria_labelledby="devices-title",
    )


def _mesh(axes: dict[str, int], count: int) -> Markup:
    if axes:
        words = "Mesh: " + ", ".join(f"axis {name!r} of {size}" for name, size in axes.items()) + " devices"
    else:
        words = f"{count} devices"
    chips = [
        join(
            [
                tag("rect", x=each * 36 + 1, y=1, width=30, height=26, rx=4, class_=_color(each)),
                tag("text", str(each), x=each * 36 + 16, y=19, text_anchor="middle", class_="ink"),
                tag("path", d=f"M{each * 36 + 31} 14h6", class_="wire") if each + 1 < count else None,
            ]
        )
        for each in range(count)
    ]
    picture = _svg(count * 36, 28, words, *chips, class_="mesh")
    return tag("p", tag("span", words, class_="mesh-words"), picture, class_="mesh-line")


def _array(layout: Layout, count: int) -> Markup:
    words = in_words(layout, count)
    found = regions(layout)
    drawn = len(layout.shape) <= 2
    parts = tag("ul", *(_part(layout, found, each) for each in range(count)), class_="parts", aria_hidden="true")
    return tag(
        "figure",
        tag(
            "figcaption",
            tag("strong", layout.name),
            f" {layout.role}, {layout.dtype}, {shape(layout.shape)}. {words}",
        ),
        tag("div", _full(layout, found, count, words), parts, class_="picture") if drawn else None,
        class_="array",
    )


def _full(layout: Layout, found: Sequence[Region], count: int, words: str) -> Markup:
    rows, columns = _grid(layout.shape)
    cell = min(LARGEST_CELL, FULL_WIDTH / max(columns, 1), FULL_HEIGHT / max(rows, 1))
    width, height = max(columns * cell, 2.0), max(rows * cell, 2.0)
    drawing = [tag("rect", x=1, y=1, width=width, height=height, class_="nobody")]
    for each in found:
        x, y, w, h = _rectangle(each.block, cell)
        color = _color(each.devices[0]) if len(each.devices) == 1 else "shared"
        drawing.append(tag("rect", x=x + 1, y=y + 1, width=w, height=h, class_=color))
    drawing.append(_rules(rows, columns, cell))
    for each in found:
        x, y, w, h = _rectangle(each.block, cell)
        label = "all" if len(each.devices) == count > 1 else short_names(each.devices)
        if w >= 8 * len(label) and h >= 11:
            middle = {"x": x + w / 2 + 1, "y": y + h / 2 + 5}
            halo = "ink" if len(each.devices) == 1 else "ink-shared"
            drawing.append(tag("text", label, text_anchor="middle", class_=halo, **middle))
    return _svg(width + 2, height + 2, f"{layout.name}: {words}", *drawing, class_="full")


def _rules(rows: int, columns: int, cell: float) -> Markup:
    """Lines between the elements."""
    steps = []
    if columns <= MOST_LINES:
        steps += [f"M{each * cell + 1:g} 1v{rows * cell:g}" for each in range(1, columns)]
    if rows <= MOST_LINES:
        steps += [f"M1 {each * cell + 1:g}h{columns * cell:g}" for each in range(1, rows)]
    return tag("path", d="".join(steps), class_="rule") if steps else NOTHING


def _part(layout: Layout, found: Sequence[Region], device: int) -> Markup:
    """The array's outline, with what one device holds of it filled."""
    rows, columns = _grid(layout.shape)
    cell = min(LARGEST_CELL / 2, SMALL_WIDTH / max(columns, 1), SMALL_HEIGHT / max(rows, 1))
    width, height = max(columns * cell, 2.0), max(rows * cell, 2.0)
    held = [each for each in found if device in each.devices]
    drawing = [tag("rect", x=1, y=1, width=width, height=height, class_="nobody")]
    for each in held:
        x, y, w, h = _rectangle(each.block, cell)
        drawing.append(tag("rect", x=x + 1, y=y + 1, width=w, height=h, class_=_color(device)))
    picture = tag("svg", *drawing, viewBox=f"0 0 {width + 2:g} {height + 2:g}", width=width + 2, height=height + 2)
    return tag("li", picture, tag("span", f"device {device}"), tag("code", _held(layout, held)))


def _held(layout: Layout, held: Sequence[Region]) -> str:
    if not held:
        return "nothing"
    if is_whole(held[0].block, layout.shape):
        return "all"
    return " ".join(slices(each.block) for each in held)


def _table(layouts: Sequence[Layout], count: int) -> Markup:
    heads = [tag("th", each.name, scope="col") for each in layouts]
    rows = []
    for device in range(count):
        cells = [
            tag("td", tag("code", _held(each, [part for part in regions(each) if device in part.devices])))
            for each in layouts
        ]
        rows.append(tag("tr", tag("th", device_names([device]), scope="row"), *cells))
    table = tag(
        "table",
        tag("caption", "The part of each array that each device holds", class_="unseen"),
        tag("thead", tag("tr", tag("th", "Device", scope="col"), *heads)),
        tag("tbody", *rows),
    )
    scrolled = tag("div", table, class_="scroll", tabindex=0, role="region", aria_label="What each device holds")
    return tag("details", tag("summary", "The same as a table"), scrolled)


def _grid(sizes: Sequence[int]) -> tuple[int, int]:
    """Rows and columns that an array of at most two axes is drawn with."""
    rows, columns = [1, 1, *sizes][-2:]
    return rows, columns


def _rectangle(block: Sequence[tuple[int, int]], cell: float) -> tuple[float, float, float, float]:
    (top, bottom), (left, right) = [(0, 1), (0, 1), *block][-2:]
    return left * cell, top * cell, (right - left) * cell, (bottom - top) * cell


def _svg(width: float, height: float, words: str, *drawing: Markup, class_: str) -> Markup:
    return tag(
        "svg",
        *drawing,
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        role="img",
        aria_label=words,
        class_=class_,
    )


def _color(device: int) -> str:
    return f"d{device % COLORS}"
