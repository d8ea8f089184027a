"""HTML and SVG put together from tags, so that no text can become markup.

Comes in: strings, which may hold anything, and markup made here. Goes out: `Markup`. A string becomes
markup only by `tag`, `text` and `join`, which make it clean and escape it.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from grader.report.clean import LIMIT, clean


@dataclass(frozen=True, slots=True)
class Markup:
    """Markup that is safe to show."""

    source: str


Child: TypeAlias = Markup | str | None
NOTHING = Markup("")

_VOID = frozenset({"meta", "link", "br", "rect", "path", "circle", "line"})


def text(words: str, *, lines: bool = False, limit: int = LIMIT) -> Markup:
    """Any text: clean (see `grader.report.clean`) and escaped."""
    return Markup(html.escape(clean(words, lines=lines, limit=limit)))


def join(children: Iterable[Child]) -> Markup:
    return Markup("".join(_source(each) for each in children))


def tag(name: str, /, *children: Child, **attributes: str | int | float | bool | None) -> Markup:
    """An element. In attribute names ``_`` stands for ``-`` (a final one is dropped, as in ``class_``).

    Attributes that are None or False are left out.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{written}>" if name in ("meta", "link", "br") else f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{join(children).source}</{name}>")


def _source(child: Child) -> str:
    if child is None:
        return ""
    return child.source if isinstance(child, Markup) else text(child).source


def _attribute(key: str, value: str | int | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    shown = text(value).source if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)
    return f' {name}="{shown}"'
