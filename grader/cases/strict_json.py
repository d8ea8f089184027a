"""JSON read so that nothing in it is passed over.

Comes in: a file's bytes. Goes out: plain values, in which objects are `Members` (duplicate keys and all)
and numbers that Python would read as infinite or not a number are `NoNumber`. `NotJson` says where it is
no JSON at all.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

_MOST_DIGITS = 300


class NotJson(Exception):
    """``place`` is where, such as ``line 3, column 7`` (may be empty)."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(message)
        self.place = place
        self.message = message


@dataclass(frozen=True)
class Members:
    """An object's members in order, duplicates included."""

    pairs: tuple[tuple[str, Any], ...]

    def duplicates(self) -> list[str]:
        names = [name for name, _ in self.pairs]
        return sorted({name for name in names if names.count(name) > 1})

    def __contains__(self, name: str) -> bool:
        return any(name == each for each, _ in self.pairs)

    def __getitem__(self, name: str) -> Any:
        return dict(self.pairs)[name]


@dataclass(frozen=True)
class NoNumber:
    """A number that is not finite, as it was written."""

    text: str


def read(data: bytes) -> Any:
    """The value that ``data`` holds. Raises `NotJson`."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJson(f"byte {error.start}", "expected UTF-8 text") from None
    if text.startswith("\N{ZERO WIDTH NO-BREAK SPACE}"):
        raise NotJson("line 1, column 1", "expected UTF-8 without a byte order mark")
    try:
        return json.loads(
            text,
            object_pairs_hook=lambda pairs: Members(tuple(pairs)),
            parse_constant=NoNumber,
            parse_float=_float,
            parse_int=_int,
        )
    except json.JSONDecodeError as error:
        raise NotJson(f"line {error.lineno}, column {error.colno}", f"not JSON: {error.msg}") from None
    except RecursionError:
        raise NotJson("", "nested too deep") from None


def describe(value: Any) -> str:
    """What a value is, in a few words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, Members):
        return "an object"
    if isinstance(value, NoNumber):
        return value.text[:20]
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def _float(text: str) -> float | NoNumber:
    value = float(text)
    return value if abs(value) != float("inf") else NoNumber(text)


def _int(text: str) -> int | NoNumber:
    return int(text) if len(text) <= _MOST_DIGITS else NoNumber(text)
