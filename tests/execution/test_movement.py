"""Movement primitives carry labels of any dtype to where they carry the elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from grader.execution.primitives import COLLECTIVES, MOVEMENT, RULES, Call
from grader.execution.simulator import Fuel, simulate
from grader.program.types import Aval, Equation
from tests.execution.tracing import program_of

X = np.random.default_rng(0).normal(size=(3, 4, 2)).astype(np.float32)
MOVES = {
    "reshape": lambda x: x.reshape(4, 6),
    "squeeze": lambda x: jnp.squeeze(x[:, :1], 1),
    "transpose": lambda x: x.T,
    "broadcast_in_dim": lambda x: lax.broadcast_in_dim(x, (2, 3, 4, 2), (1, 2, 3)),
    "slice": lambda x: x[1:, ::2],
    "rev": lambda x: lax.rev(x, (1,)),
    "split": lambda x: lax.split(x, (1, 3), axis=1),
    "pad": lambda x: lax.pad(x, x[0, 0, 0], [(1, -1, 1), (0, 2, 0), (0, 0, 0)]),
    "concatenate": lambda x: jnp.concatenate([x, x[1:]]),
    "copy": lambda x: jnp.array(x, copy=True),
    "optimization_barrier": lambda x: lax.optimization_barrier((x, x + 1)),
    "dynamic_slice": lambda x: lax.dynamic_slice(x, (jnp.int32(9), jnp.int32(1), jnp.int32(0)), (2, 2, 1)),
    "dynamic_update_slice": lambda x: lax.dynamic_update_slice(x, x[:1] + 1, (jnp.int32(1), 2, 0)),
    "gather": lambda x: jnp.take(x, jnp.array([0, 9, 2, -1]), axis=1, mode="fill"),
    "scatter": lambda x: x.at[jnp.array([2, 0, 7])].set(x + 1),
}


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.bool_])
@pytest.mark.parametrize("name", MOVES)
def test_labels_go_where_elements_go(name: str, dtype: type) -> None:
    seen = []

    class Watch:
        def after(self, each: Equation, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
            if each.primitive == name:
                seen.append((each, operands, results))

    simulate(program_of(MOVES[name], [X]), [np.stack([X, X + 100])], fuel=Fuel(), observer=Watch())
    [(each, operands, results)] = seen
    places = MOVEMENT[name] or range(len(operands))
    labels: list[Any] = list(operands)
    values = [np.zeros(1)]  # label 0: from nowhere
    for place in places:
        start = sum(value.size for value in values)
        labels[place] = np.arange(start, start + operands[place].size, dtype=np.int64).reshape(operands[place].shape)
        values.append(operands[place].reshape(-1))
    table = np.concatenate(values)
    for place in places:
        labels[place] = labels[place].astype(dtype) if dtype is not np.bool_ else labels[place] % 2 == 1
    call = Call(each, tuple(Aval(operand.shape[1:], operand.dtype.name) for operand in operands))
    moved = RULES[name](call, *labels)
    for label, result in zip([moved] if isinstance(moved, np.ndarray) else moved, results, strict=True):
        assert label.shape == result.shape
        assert label.dtype == dtype
        if dtype is not np.bool_:
            known = label != 0
            np.testing.assert_array_equal(table[label.astype(np.int64)][known], result[known])
            assert np.isnan(result[~known]).all()  # what a gather fills in


def test_every_movement_primitive_has_a_rule() -> None:
    assert set(MOVEMENT) <= set(RULES) | set(COLLECTIVES)


def test_a_call_can_say_what_a_gather_fills_in() -> None:
    seen = []

    class Watch:
        def after(self, each: Equation, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
            if each.primitive == "gather":
                seen.append((each, operands))

    simulate(program_of(MOVES["gather"], [X]), [X[None]], fuel=Fuel(), observer=Watch())
    [(each, operands)] = seen
    avals = tuple(Aval(operand.shape[1:], operand.dtype.name) for operand in operands)
    filled = np.asarray(RULES["gather"](Call(each, avals, fill=7), *operands))
    np.testing.assert_array_equal(filled[0, :, 1], np.full((3, 2), 7))
