"""Why a traced program cannot be handed over although JAX traced it."""

from __future__ import annotations


class Unsupported(Exception):
    """The program has something that cannot be written down as data; a limit of the judge's."""


class TooLarge(Exception):
    """The program has more equations, or longer constants, than the judge reads."""
