"""Why a traced program cannot be handed over although JAX traced it."""

from __future__ import annotations

from grader.program.types import Source


class Unsupported(Exception):
    """The program has something that cannot be written down as data; a limit of the judge's."""


class TooLarge(Exception):
    """The program has more equations, or longer constants, than the judge reads."""


class Leaked(Exception):
    """The program holds a value that another trace has left behind; ``place`` is where it is used first."""

    def __init__(self, place: Source | None) -> None:
        super().__init__("The traced program holds a value of another trace.")
        self.place = place
