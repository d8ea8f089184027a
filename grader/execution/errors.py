"""Why a program could not be run to its end: one exception a reason, all of them `SimulationError`."""

from __future__ import annotations

from grader.program.types import Equation


class SimulationError(Exception):
    """A program could not be run; ``equation`` is where, when that is known."""

    def __init__(self, message: str, equation: Equation | None = None) -> None:
        super().__init__(message)
        self.equation = equation


class OutOfFuel(SimulationError):
    """The budget of steps or element operations is spent: the program takes too long."""


class OutOfMemory(SimulationError):
    """An array did not fit into memory."""


class Malformed(SimulationError):
    """The program contradicts itself: params, shapes or dtypes that cannot be true together."""


class Deadlock(SimulationError):
    """Only some of the devices that a collective needs arrive at it: on real devices it never ends."""


class Unsupported(SimulationError):
    """There is no rule for this primitive (``primitive``), or not for these params of it."""

    def __init__(self, primitive: str, reason: str = "", equation: Equation | None = None) -> None:
        super().__init__(f"the simulator cannot run {primitive}" + (f": {reason}" if reason else ""), equation)
        self.primitive = primitive
