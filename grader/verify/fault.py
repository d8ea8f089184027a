"""One thing that is wrong with a problem's package."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    where: str
    """A file, a rule, a mistake: what is to be mended."""
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"
