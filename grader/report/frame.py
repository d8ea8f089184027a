"""The lines of a submission that a finding is about, with the place underlined.

Comes in: the submission's bytes (decoded for showing only, whatever they are) and a place. Goes out:
lines on a `Page`.
"""

from __future__ import annotations

from rich.cells import cell_len, get_character_cell_size

from grader.report.clean import clean
from grader.report.page import Page

_MOST_LINES = 3


def source_lines(source: bytes) -> list[bytes]:
    """The lines of a Python file, as Python numbers them."""
    return source.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def code_frame(
    page: Page,
    source: bytes | None,
    line: int,
    column: int | None = None,
    end_line: int | None = None,
    end_column: int | None = None,
    *,
    indent: int = 2,
    context: int = 1,
) -> None:
    """Show ``line`` (and ``context`` lines before it); nothing when the source has no such line."""
    if source is None:
        return
    lines = source_lines(source)
    if not 1 <= line <= len(lines):
        return
    first = max(1, line - context)
    last = min(len(lines), max(line, min(end_line or line, line + _MOST_LINES - 1)))
    gutter = len(str(last))
    room = max(page.width - indent - gutter - 3, 10)

    marked = lines[line - 1]
    start, stop = _span(page, marked, line, column, end_line, end_column)
    # All lines of a frame are moved by the same amount, so that they stay aligned.
    shift = 0 if stop <= room else max(0, min(start - room // 3, _cells(page, marked) - room))
    for number in range(first, last + 1):
        text = _window(_shown(page, lines[number - 1]), shift, room)
        page.line(" " * indent, (f"{number:>{gutter}} │ ", "dim"), text)
        if number == line and column is not None:
            underline = "^" * max(1, min(stop - shift, room) - (start - shift))
            page.line(" " * indent, (" " * gutter + " │ ", "dim"), " " * (start - shift), (underline, "bold red"))


def _span(
    page: Page, line_bytes: bytes, line: int, column: int | None, end_line: int | None, end_column: int | None
) -> tuple[int, int]:
    """The cells [start, stop) of a shown line that a place covers."""
    if column is None:
        return 0, 0
    start = _cells(page, line_bytes[: max(column - 1, 0)])
    if end_line is not None and end_line > line:
        stop = _cells(page, line_bytes.rstrip())
    elif end_column is not None:
        stop = _cells(page, line_bytes[: max(end_column - 1, 0)])
    else:
        stop = start + 1
    return start, max(stop, start + 1)


def _shown(page: Page, line: bytes) -> str:
    return page.plain(clean(line.decode("utf-8", "replace"), lines=True))


def _cells(page: Page, line: bytes) -> int:
    return cell_len(_shown(page, line))


def _window(text: str, shift: int, room: int) -> str:
    """The part of ``text`` that falls into the cells [shift, shift + room)."""
    if shift == 0 and cell_len(text) <= room:
        return text
    kept, position = [], 0
    for character in text:
        size = get_character_cell_size(character)
        if shift <= position and position + size <= shift + room:
            kept.append(character)
        position += size
    return "".join(kept)
