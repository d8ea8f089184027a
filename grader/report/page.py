"""A page of text for a terminal or a file, put together line by line.

Comes in: paragraphs and how they are to look. Goes out: one string, no line wider than asked for where
words allow it, in colour or not, with or without characters beyond ASCII. Every text is made clean on
its way in, so no renderer can forget it.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from grader.report.clean import LIMIT, clean, in_ascii


@dataclass(frozen=True)
class Look:
    """What the reader's terminal (or file) can show."""

    width: int = 80
    color: bool = False
    unicode: bool = True


_NARROWEST = 30


class Page:
    """Collects lines; ``text()`` gives the page."""

    def __init__(self, look: Look) -> None:
        self.width = max(look.width, _NARROWEST)
        self._unicode = look.unicode
        self._file = io.StringIO()
        self._console = Console(
            file=self._file,
            width=self.width,
            color_system="standard" if look.color else None,
            force_terminal=look.color,
            force_jupyter=False,
            no_color=not look.color,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
        )

    def text(self) -> str:
        return self._file.getvalue()

    def shown(self, text: str, *, lines: bool = False, limit: int = LIMIT) -> str:
        """``text`` as this page can show it, cut to ``limit`` characters."""
        return self.plain(clean(text, lines=lines, limit=limit))

    def plain(self, text: str) -> str:
        """Clean text in the characters that this page has."""
        return text if self._unicode else in_ascii(text)

    def blank(self) -> None:
        self._file.write("\n")

    def line(self, *parts: str | tuple[str, str]) -> None:
        """One line as it is, neither wrapped nor cut: parts of clean text, or (text, style)."""
        assembled = Text()
        for part in parts:
            words, style = (part, "") if isinstance(part, str) else part
            assembled.append(self.plain(words), style)
        assembled.rstrip()
        self._console.print(assembled, soft_wrap=True)

    def paragraph(
        self,
        text: str,
        *,
        indent: int = 0,
        lead: str = "",
        style: str = "",
        lead_style: str = "",
        lines: int = 1,
        limit: int = LIMIT,
    ) -> None:
        """Wrapped text, which need not be clean; ``lead`` (clean) stands before it on its first line.

        With ``lines`` above 1, the text's own line ends are kept, up to so many lines.
        """
        lead = self.plain(lead)
        hang = indent + cell_len(lead)
        before = Text(" " * indent).append(lead, lead_style)
        given = self.shown(text, lines=lines > 1, limit=limit).split("\n")
        if len(given) > lines:
            given = [*given[:lines], self.plain(f"… ({len(given) - lines:,} more lines)")]
        for line in given:
            for row in Text(line, style).wrap(self._console, max(self.width - hang, 10)) or [Text()]:
                row.rstrip()
                whole = before + row
                whole.rstrip()
                self._console.print(whole, soft_wrap=True)
                before = Text(" " * hang)
