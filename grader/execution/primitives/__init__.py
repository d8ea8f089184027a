"""What each primitive computes, in NumPy, with a leading axis of lanes.

``RULES[name](call, *arrays)`` takes arrays (lanes, *aval.shape) and returns one, or a sequence of them; a rule
without operands (iota) returns a single lane (1, *shape) for the caller to broadcast.
``COLLECTIVES[name](call, mesh, *arrays)`` works across the lanes of a mesh; ``axis_index`` returns one value a
device, for the caller to repeat for each example.
``MOVEMENT`` names the primitives that only move the elements of the operands at the given positions (``()``: of
all operands); their rules take arrays of any dtype at those positions. (``select_n`` chooses between all of its
operands but the first, whatever their number and dtype: it is not listed.)
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.execution.primitives import (
    contraction,
    elementwise,
    indexing,
    linalg,
    movement,
    random,
    reduction,
    sorting,
    windows,
)
from grader.execution.primitives.call import Call, MeshFrame, Results, Rule
from grader.execution.primitives.collectives import COLLECTIVES, COMMUNICATION

RULES: Mapping[str, Rule] = {
    **elementwise.RULES,
    **movement.RULES,
    **contraction.RULES,
    **reduction.RULES,
    **indexing.RULES,
    **sorting.RULES,
    **windows.RULES,
    **random.RULES,
    **linalg.RULES,
}

MOVEMENT: Mapping[str, tuple[int, ...]] = {**movement.MOVEMENT, **indexing.MOVEMENT, **random.MOVEMENT, "pvary": ()}

__all__ = ["COLLECTIVES", "COMMUNICATION", "MOVEMENT", "RULES", "Call", "MeshFrame", "Results", "Rule"]
