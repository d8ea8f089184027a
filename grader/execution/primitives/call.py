"""What a primitive's rule is given, and the checks that rules share.

A rule gets a `Call` and its operands as arrays with a leading axis of lanes, ``(lanes, *aval.shape)``, and
returns the result array, or a sequence of them. Rules read the params as hostile data: before they allocate
anything they compare what the params ask for with the declared result (`expect`), and they may raise
`Malformed`, `Unsupported`, or what Python and NumPy raise on wrong values (the simulator turns that into
`Unsupported`: XLA then decides).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.execution.errors import Malformed
from grader.program.types import Aval, Equation

Results = np.ndarray | Sequence[np.ndarray]
Rule = Callable[..., Results]


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a primitive.

    ``operands`` are the avals of the operands. ``fill``, when given, is what a gather puts where the index is
    out of bounds, in place of what the params say; an operand whose array has not the dtype of its aval (a
    channel of labels) is filled with 0 anyway.
    """

    equation: Equation
    operands: tuple[Aval, ...]
    fill: int | float | None = None

    @property
    def params(self) -> dict[str, Any]:
        return self.equation.params

    @property
    def results(self) -> tuple[Aval, ...]:
        return self.equation.results

    @property
    def result(self) -> Aval:
        """The first, and mostly the only, result."""
        return self.equation.results[0]


@dataclass(frozen=True, slots=True)
class MeshFrame:
    """The mesh axes over which a body runs; its lanes are (examples, *sizes) in C order."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def devices(self) -> int:
        count = 1
        for size in self.sizes:
            count *= size
        return count


def expect(call: Call, shape: Sequence[int], index: int = 0) -> tuple[int, ...]:
    """``shape`` as a tuple, once it is known to be the declared shape of result ``index``."""
    shape = tuple(shape)
    if shape != call.equation.results[index].shape:
        raise Malformed(
            f"{call.equation.primitive} declares a result of shape {call.equation.results[index].shape}, "
            f"but its operands and params give {shape}",
            call.equation,
        )
    return shape


def aligned(call: Call, *arrays: np.ndarray) -> list[np.ndarray]:
    """Operands of an elementwise primitive, so that NumPy broadcasts them to the declared result and no further.

    A scalar operand has shape (lanes,) and goes with every element of its lane.
    """
    shape = call.equation.results[0].shape
    rank = len(shape)
    found = []
    for array in arrays:
        own = array.shape[1:]
        if own == shape:
            found.append(array)
        elif own == ():
            found.append(array.reshape(array.shape + (1,) * rank))
        elif len(own) == rank and all(mine in (1, whole) for mine, whole in zip(own, shape, strict=True)):
            found.append(array)
        else:
            raise Malformed(
                f"{call.equation.primitive} declares a result of shape {shape}, but an operand has shape {own}",
                call.equation,
            )
    return found
