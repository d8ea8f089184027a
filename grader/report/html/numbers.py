"""Arrays of numbers as tables.

Comes in: arrays as the report holds them, which need not have the right shape. Goes out: tables; what was
wanted, what came and the difference stand side by side.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from grader.report.html.markup import Markup, join, tag
from grader.report.model import Counterexample, Nested
from grader.report.rows import pretty
from grader.report.text import sizes

MOST_ROWS = 64
MOST_CELLS = 1_024
MOST_COLUMNS = 32
SAME = 1e-6
"""Relative difference up to which two float32 numbers are shown as the same."""


def counterexample(found: Counterexample, submission: str) -> Markup:
    names = dict.fromkeys([*found.expected, *found.got])
    data = json.dumps({"inputs": found.inputs}, ensure_ascii=False)
    return join(
        [
            tag("p", "On this input the submission is wrong. It was made as small as possible: ", sizes(found.shape)),
            tag("h3", "Inputs"),
            tag("div", *(grid(name, value) for name, value in found.inputs.items()), class_="grids"),
            tag("h3", "Outputs"),
            *(compared(name, found.expected.get(name), found.got.get(name)) for name in names),
            tag(
                "details",
                tag("summary", "Run it again"),
                tag("p", "Save this as FILE.json, then: ", tag("code", f"grader run {submission} --input FILE.json")),
                tag("pre", tag("code", data), class_="plain", tabindex=0, role="region", aria_label="The inputs"),
            ),
        ]
    )


def compared(name: str, wanted: Nested | None, got: Nested | None) -> Markup:
    """A row an element: wanted, got, difference; those that differ are marked. A word where none does."""
    left, right = dict(elements(wanted)), dict(elements(got))
    indices = list(dict.fromkeys([*left, *right]))
    differing = [each for each in indices if differs(left.get(each), right.get(each))]
    if not differing:
        return tag("p", tag("strong", name), ": no element differs.")
    note = f"{len(differing)} of {len(indices)} elements differ."
    if len(indices) > MOST_ROWS:
        indices = differing[:MOST_ROWS]
        note += f" The first {len(indices)} of them:" if len(differing) > MOST_ROWS else " These do:"
    marked = set(differing)
    rows = [_row(name, each, left.get(each), right.get(each), each in marked) for each in indices]
    heads = [tag("th", words, scope="col") for words in ("Element", "Wanted", "Got", "Got − wanted")]
    table = tag(
        "table",
        tag("caption", tag("strong", name), f" {note}"),
        tag("thead", tag("tr", *heads)),
        tag("tbody", *rows),
        class_="numbers",
    )
    return _scroll(table, f"{name}: wanted, got and difference")


def _row(name: str, index: tuple[int, ...], wanted: Any, got: Any, marked: bool) -> Markup:
    where = f"{name}[{', '.join(map(str, index))}]" if index else name
    difference = _difference(wanted, got)
    return tag(
        "tr",
        tag("th", where, scope="row"),
        tag("td", number(wanted)),
        tag("td", number(got)),
        tag("td", tag("strong", "≠ ") if marked else None, difference),
        class_="differs" if marked else None,
    )


def _difference(wanted: Any, got: Any) -> str:
    if not _is_number(wanted) or not _is_number(got):
        return ""
    difference = float(got) - float(wanted)
    return f"{difference:+.4g}" if difference else "0"


def differs(wanted: Any, got: Any) -> bool:
    if _is_number(wanted) and _is_number(got):
        return not math.isclose(float(wanted), float(got), rel_tol=SAME)
    return wanted != got or wanted is None


def _is_number(value: Any) -> bool:
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < 1 << 64
    return isinstance(value, float) and math.isfinite(value)


def grid(name: str, value: Nested, note: str = "") -> Markup:
    """An array of at most two axes as a table with its rows and columns; others as text."""
    table = _as_rows(value)
    caption = [tag("strong", name), f" {note}" if note else None]
    if table is None:
        words = pretty(value, width=60)
        return tag(
            "figure",
            tag("figcaption", *caption),
            tag("pre", tag("code", words), class_="plain", tabindex=0, role="region", aria_label=name),
        )
    columns = range(max(map(len, table), default=0))
    one = not (isinstance(value, list) and value and isinstance(value[0], list))
    heads = [] if one and len(columns) == 1 else [tag("th", str(each), scope="col") for each in columns]
    rows = [
        tag("tr", None if one else tag("th", str(number_), scope="row"), *(tag("td", number(each)) for each in row))
        for number_, row in enumerate(table)
    ]
    made = tag(
        "table",
        tag("caption", *caption),
        tag("thead", tag("tr", None if one else tag("td"), *heads)) if heads else None,
        tag("tbody", *rows),
        class_="numbers grid",
    )
    return _scroll(made, name)


def _as_rows(value: Nested) -> list[list[Any]] | None:
    """Rows of scalars, or None for what is no small array of at most two axes."""
    if not isinstance(value, list):
        return [[value]]
    rows = value if value and all(isinstance(each, list) for each in value) else [value]
    if any(isinstance(each, list) for row in rows for each in row):
        return None
    widest = max(map(len, rows), default=0)
    return rows if 0 < widest <= MOST_COLUMNS and len(rows) * widest <= MOST_CELLS else None


def elements(value: Nested | None, index: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Each scalar of a nested list with its index."""
    if isinstance(value, list):
        for position, each in enumerate(value):
            yield from elements(each, (*index, position))
    elif value is not None:
        yield index, value


def number(value: Any) -> str:
    if value is None:
        return "nothing"
    return value if isinstance(value, str) else json.dumps(value)


def _scroll(table: Markup, label: str) -> Markup:
    return tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=label)
