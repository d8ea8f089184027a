"""Nothing that a submission wrote reaches a terminal or a file as anything but visible text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.report.clean import LIMIT, clean, cleaned, in_ascii


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("héllo ✓ 数", "héllo ✓ 数"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\rb", "a\\rb"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("bell\x07 del\x7f c1\x9b", "bell\\x07 del\\x7f c1\\x9b"),
        ("\u202eright to left\u2066", "\\u202eright to left\\u2066"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("line\u2028separator", "line\\u2028separator"),
        ("surrogate \udcff", "surrogate \\udcff"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("e\u0301", "e\u0301"),
        ("e" + "\u0301" * 5, "e" + "\u0301" * 3 + "\\u0301" * 2),
    ],
)
def test_clean(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_line_ends_and_tabs_are_kept_when_asked_for() -> None:
    assert clean("a\r\nb\tc\rd\n", lines=True) == "a\nb   c\\rd\n"


def test_long_text_is_cut_and_says_so() -> None:
    assert clean("x" * (LIMIT + 1234)) == "x" * LIMIT + "… (1,234 more characters)"
    assert clean("x" * LIMIT) == "x" * LIMIT
    assert clean("abc", limit=2) == "ab… (1 more characters)"


@given(st.text(st.characters(), max_size=50), st.booleans())
def test_anything_comes_out_visible_and_encodable(text: str, lines: bool) -> None:
    shown = clean(text, lines=lines)
    shown.encode("utf-8")
    hidden = {each for each in shown if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert hidden <= ({"\n"} if lines else set())


def test_every_string_in_plain_data_is_cleaned() -> None:
    data = {"a\x1b": ["\x07", {"b": ("\udc80", 1, None, 2.5)}]}
    assert cleaned(data) == {"a\\x1b": ["\\x07", {"b": ["\\udc80", 1, None, 2.5]}]}


def test_ascii_has_other_signs_for_common_ones_and_escapes_for_the_rest() -> None:
    assert in_ascii("✓ a · b d·H … 3 × 4 − 1 │ é数\U0001f600") == "+ a - b d*H ... 3 x 4 - 1 | \\xe9\\u6570\\U0001f600"
