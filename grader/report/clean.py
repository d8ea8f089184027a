"""Make text that a submission may have written fit to be shown.

Comes in: any string. Goes out: a string of bounded length that moves no cursor, rings no bell, turns no
text around, hides nothing and can be encoded: control characters, invisible format characters, separators
and lone surrogates are written as escapes.
"""

from __future__ import annotations

import unicodedata
from typing import Any

LIMIT = 4_000
"""Characters shown of one text."""
OUTPUT_LIMIT = 64_000
"""Characters shown of what a submission printed."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
_MARKS = frozenset({"Mn", "Me"})
_MOST_MARKS = 3
"""Accents in a row that a character may carry; more would run over the lines around it."""

_IN_ASCII = str.maketrans(
    {
        "✓": "+", "✗": "x", "│": "|", "→": ">", "·": "*", "…": "...", "–": "-", "—": "-", "−": "-", "─": "-",
        "━": "=", "×": "x", "≤": "<=", "≥": ">=", "‘": "'", "’": "'", "“": '"', "”": '"', "•": "*", "▌": "|",
        "\N{NO-BREAK SPACE}": " ",
    }
)  # fmt: skip


def clean(text: str, *, lines: bool = False, limit: int = LIMIT) -> str:
    """``text`` with what cannot safely be shown escaped, cut to ``limit`` characters.

    With ``lines``, line ends are kept (as ``\\n``) and tabs are made spaces; without, they are escaped too.
    """
    left_out = len(text) - limit
    if left_out > 0:
        text = text[:limit]
    if lines:
        text = text.replace("\r\n", "\n").expandtabs(4)
    plain = text.isascii() and text.isprintable()
    shown = text if plain else "".join(_escaped(text, keep="\n" if lines else ""))
    return f"{shown}… ({left_out:,} more characters)" if left_out > 0 else shown


def in_ascii(text: str) -> str:
    """Clean text for a reader whose terminal has only ASCII: common signs by others, the rest escaped."""
    if text.isascii():
        return text
    return "".join(each if each.isascii() else escape(each) for each in text.replace(" · ", " - ").translate(_IN_ASCII))


def cleaned(value: Any) -> Any:
    """Plain data (dicts, lists, strings, numbers) with every string in it clean; line ends are kept."""
    if isinstance(value, str):
        return clean(value, lines=True, limit=OUTPUT_LIMIT)
    if isinstance(value, dict):
        return {clean(str(key)): cleaned(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [cleaned(each) for each in value]
    return value


def _escaped(text: str, keep: str) -> list[str]:
    parts = []
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category in _MARKS else 0
        if character not in keep and (category in _HIDDEN or marks > _MOST_MARKS):
            parts.append(escape(character))
        else:
            parts.append(character)
    return parts


def escape(character: str) -> str:
    """A character as Python would write it in a string: ``\\x1b``, ``\\u202e``."""
    code = ord(character)
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    return short or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
