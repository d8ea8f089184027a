"""Where in the submission an equation was written: from JAX's traceback to a `Source`.

The place is that of the innermost frame whose code was compiled from the submission's file.
"""

from __future__ import annotations

import linecache
from types import CodeType
from typing import Any

from grader.program.types import Source
from grader.tracer.versions import frames

Position = tuple[int | None, int | None, int | None, int | None]


class Places:
    """The places of one file, ``filename`` being the name that its code was compiled under."""

    def __init__(self, filename: str) -> None:
        self.filename = filename
        self.known: dict[tuple[CodeType, int], Source | None] = {}
        self.positions: dict[CodeType, list[Position]] = {}

    def of(self, traceback: Any) -> Source | None:
        """The place of an equation, by ``eqn.source_info.traceback``; None: not from this file."""
        if traceback is None:
            return None
        filename = self.filename
        codes, offsets = frames(traceback)
        for index, code in enumerate(codes):
            if code.co_filename == filename:
                return self.in_code(code, offsets[index])
        return None

    def in_code(self, code: CodeType, offset: int) -> Source | None:
        """The place of the instruction at a byte offset."""
        key = (code, offset)
        if key not in self.known:
            positions = self.positions.get(code)
            if positions is None:
                positions = self.positions[code] = list(code.co_positions())
            index = offset // 2
            self.known[key] = self.source(positions[index]) if 0 <= index < len(positions) else None
        return self.known[key]

    def source(self, position: Position) -> Source | None:
        line, end_line, column, end_column = position
        if not line:
            return None
        end_line = end_line or line
        return Source(
            line=line,
            column=self.character(line, column),
            end_line=end_line,
            end_column=self.character(end_line, end_column),
        )

    def character(self, line: int, offset: int | None) -> int:
        """The column, from 1, of a byte of a line's UTF-8; 0 when it is not known."""
        if offset is None:
            return 0
        before = linecache.getline(self.filename, line).encode("utf-8", "surrogatepass")[:offset]
        if len(before) < offset:  # the line cannot be had; most lines are ASCII
            return offset + 1
        return len(before.decode("utf-8", "ignore")) + 1
