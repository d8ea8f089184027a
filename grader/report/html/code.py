"""The lines of a submission that a finding is about: highlighted, numbered, the place marked.

Comes in: the submission's bytes (decoded for showing only, whatever they are) and a place. Goes out: a
figure, empty when the file has no such line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]
from pygments.token import Comment, Keyword, Literal, Name, Operator  # type: ignore[import-untyped]

from grader.report.clean import clean
from grader.report.frame import source_lines
from grader.report.html.markup import NOTHING, Markup, join, tag, text
from grader.report.model import Finding, Place

MOST_LINES = 8
"""Lines shown of a place that covers more."""
MOST_HIGHLIGHTED = 20_000
"""Characters of a file up to which it is lexed from its beginning, so that long strings look like strings."""
MOST_COLUMNS = 300
"""Characters shown of one line."""

_CLASSES: tuple[tuple[Any, str], ...] = (
    (Comment, "t-comment"),
    (Literal.String, "t-string"),
    (Literal.Number, "t-number"),
    (Keyword, "t-keyword"),
    (Operator.Word, "t-keyword"),
    (Name.Function, "t-name"),
    (Name.Class, "t-name"),
    (Name.Decorator, "t-name"),
    (Name.Builtin, "t-builtin"),
)

Piece = tuple[str, str]
"""Text and its class ("" for none)."""


def frame(source: bytes | None, place: Finding | Place, submission: str, context: int = 2) -> Markup:
    """The place with ``context`` lines around it."""
    if source is None or place.line is None:
        return NOTHING
    lines = source_lines(source)
    line = place.line
    if not 1 <= line <= len(lines):
        return NOTHING
    last_marked = min(len(lines), max(line, min(place.end_line or line, line + MOST_LINES - 1)))
    first, last = max(1, line - context), min(len(lines), last_marked + context)
    while first < line and not lines[first - 1].strip():
        first += 1
    while last > last_marked and not lines[last - 1].strip():
        last -= 1
    colored = _colored(lines, first, last)
    rows = []
    for number in range(first, last + 1):
        start, stop = _marked(lines, place, number) if line <= number <= last_marked else (0, 0)
        pieces, moved = _windowed(colored[number - first], start)
        at = line <= number <= last_marked
        rows.append(_row(number, len(str(last)), pieces, start - moved, stop - moved, at=at))
    where = f"line {line}" if last == first else f"lines {first} to {last}"
    return tag(
        "pre",
        tag("code", *rows),
        class_="code",
        tabindex=0,
        role="region",
        aria_label=f"{submission}, {where}",
    )


def _row(number: int, digits: int, pieces: Sequence[Piece], start: int, stop: int, *, at: bool) -> Markup:
    before, marked, after = _cut(pieces, start, stop)
    return tag(
        "span",
        tag("span", f"{number:>{digits}} ", class_="number"),
        _pieces(before),
        tag("mark", _pieces(marked)) if marked else None,
        _pieces(after),
        Markup("\n"),
        class_="line at" if at else "line",
    )


def _pieces(pieces: Sequence[Piece]) -> Markup:
    return join(tag("span", _shown(words), class_=kind) if kind else _shown(words) for words, kind in pieces)


def _shown(words: str) -> Markup:
    return text(words, lines=True)


def _cut(pieces: Sequence[Piece], start: int, stop: int) -> tuple[list[Piece], list[Piece], list[Piece]]:
    """The pieces before ``start``, from there to ``stop``, and after it."""
    before: list[Piece] = []
    marked: list[Piece] = []
    after: list[Piece] = []
    position = 0
    for words, kind in pieces:
        low = min(max(start - position, 0), len(words))
        high = min(max(stop - position, low), len(words))
        for part, where in ((words[:low], before), (words[low:high], marked), (words[high:], after)):
            if part:
                where.append((part, kind))
        position += len(words)
    return before, marked, after


def _marked(lines: list[bytes], place: Finding | Place, number: int) -> tuple[int, int]:
    """The characters [start, stop) of a shown line that a place covers; nothing without a column."""
    shown = _line(lines[number - 1])
    if place.column is None or place.line is None:
        return 0, 0
    start = len(shown) - len(shown.lstrip())
    stop = len(shown.rstrip())
    if number == place.line:
        start = _characters(lines[number - 1], place.column)
    if number == (place.end_line or place.line):
        end = place.end_column if place.end_column is not None else place.column + 1
        stop = _characters(lines[number - 1], end)
    return start, max(stop, start + 1)


def _characters(line: bytes, column: int) -> int:
    return len(_line(line[: max(column - 1, 0)]))


def _line(line: bytes) -> str:
    return clean(line.decode("utf-8", "replace"), lines=True)


def _windowed(pieces: Sequence[Piece], start: int) -> tuple[list[Piece], int]:
    """At most `MOST_COLUMNS` characters of a line, those at ``start`` among them, and by how many it is moved left."""
    length = sum(len(words) for words, _ in pieces)
    if length <= MOST_COLUMNS:
        return list(pieces), 0
    low = 0 if start < MOST_COLUMNS * 2 // 3 else start - MOST_COLUMNS // 3
    _, kept, after = _cut(pieces, low, low + MOST_COLUMNS)
    dots = [("…", "left-out")]
    return [*(dots if low else []), *kept, *(dots if after else [])], low - 1 if low else 0


def _colored(lines: list[bytes], first: int, last: int) -> list[list[Piece]]:
    """The pieces of the lines ``first`` to ``last``."""
    begin = 1 if sum(map(len, lines[:last])) <= MOST_HIGHLIGHTED else first
    shown = [_line(each) for each in lines[begin - 1 : last]]
    rows: list[list[Piece]] = [[]]
    for _, token, words in PythonLexer().get_tokens_unprocessed("\n".join(shown)):
        kind = _class(token)
        for position, part in enumerate(words.split("\n")):
            if position:
                rows.append([])
            if part and rows[-1] and rows[-1][-1][1] == kind:
                rows[-1][-1] = (rows[-1][-1][0] + part, kind)
            elif part:
                rows[-1].append((part, kind))
    return rows[first - begin :]


def _class(token: Any) -> str:
    return next((name for parent, name in _CLASSES if token in parent), "")
