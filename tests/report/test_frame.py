"""Code frames: the right line, the right columns, whatever bytes the file has."""

from __future__ import annotations

from grader.report.frame import code_frame
from grader.report.page import Look, Page


def frame(source: bytes, *place: int | None, width: int = 60, context: int = 0) -> list[str]:
    page = Page(Look(width=width))
    code_frame(page, source, *place, indent=0, context=context)
    return page.text().splitlines()


def test_one_column() -> None:
    assert frame(b"a = b\n", 1, 5) == ["1 │ a = b", "  │     ^"]


def test_no_column_no_underline() -> None:
    assert frame(b"a = b\n", 1) == ["1 │ a = b"]


def test_end_is_exclusive() -> None:
    assert frame(b"a = bcd\n", 1, 5, 1, 8) == ["1 │ a = bcd", "  │     ^^^"]


def test_several_lines() -> None:
    source = b"f(\n  1,\n  2,\n  3,\n)\n"
    assert frame(source, 1, 1, 5, 2) == ["1 │ f(", "  │ ^^", "2 │   1,", "3 │   2,"]


def test_context_and_gutter() -> None:
    source = b"x\n" * 9 + b"y\n"
    assert frame(source, 10, 1, context=1) == [" 9 │ x", "10 │ y", "   │ ^"]


def test_columns_count_bytes_and_wide_characters_are_two_cells() -> None:
    line = "s = '数é' + bad\n".encode()
    column = line.index(b"bad") + 1
    assert frame(line, 1, column, 1, column + 3) == ["1 │ s = '数é' + bad", "  │             ^^^"]


def test_tabs_and_every_kind_of_line_end() -> None:
    assert frame(b"a\r\nb\r\tc\n", 3, 2) == ["3 │     c", "  │     ^"]


def test_form_feeds_and_separators_end_no_line() -> None:
    assert frame("a\x0cb\u2028c\nd\n".encode(), 2, 1) == ["2 │ d", "  │ ^"]


def test_undecodable_bytes_are_shown_as_such() -> None:
    assert frame(b"x = '\xff\x1b'\n", 1, 1) == ["1 │ x = '\N{REPLACEMENT CHARACTER}\\x1b'", "  │ ^"]


def test_long_lines_are_moved_until_the_place_shows() -> None:
    source = b"a" * 200 + b"HERE" + b"b" * 200 + b"\n"
    shown, underline = frame(source, 1, 201, 1, 205, width=44)
    assert len(shown) <= 44
    assert shown[underline.index("^") : underline.rindex("^") + 1] == "HERE"


def test_places_outside_the_file_show_nothing() -> None:
    assert frame(b"a\n", 7, 1) == []
    assert frame(b"a\n", 0, 1) == []
    assert frame(b"a\n", 1, 999) == ["1 │ a", "  │  ^"]
