"""The nearer an input comes to a side of a choice, the smaller its distance."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from grader.execution.simulator import Fuel, simulate
from grader.program.types import Program
from grader.referee.choices import Recorder
from grader.referee.distances import Gauge
from tests.referee.traced import Wrong, mlp, trace

SHAPE = {"B": 1, "D": 3, "H": 8, "O": 1}


def lanes(*rows: list[float]) -> list[np.ndarray]:
    """Inputs whose x are these; everything else is zero."""
    x = np.array(rows, np.float32)[:, None, :]
    shapes = {"w1": (3, 8), "b1": (8,), "w2": (8, 1), "b2": (1,)}
    return [x, *(np.zeros((len(rows), *shape), np.float32) for shape in shapes.values())]


def measured(wrong: Wrong, primitive: str, side: int, *rows: list[float]) -> tuple[list[float], list[bool]]:
    """Distance to a side of the last choice by that primitive, and whether it is taken, for each x."""
    program: Program = trace(mlp(wrong), SHAPE)
    inputs = lanes(*rows)
    recorder = Recorder()
    simulate(program, inputs, fuel=Fuel(), observer=recorder)
    keys = [key for key, entry in recorder.entries.items() if entry.equation.primitive == primitive]
    gauge = Gauge(program, [(keys[-1], side)], len(rows))
    simulate(program, inputs, fuel=Fuel(), observer=gauge)
    return [round(each, 4) for each in gauge.distance[0].tolist()], gauge.taken[0].tolist()


def condition(function: Any) -> Wrong:
    return lambda x, w1, b1, w2, b2, h, o: jnp.where(function(x[0, 0], x[0, 1], x[0, 2]), 1.0, 0.0)


@pytest.mark.parametrize(
    ("function", "distances"),
    [
        (lambda a, b, c: a > 5, [4, 0]),
        (lambda a, b, c: a == 5, [4, 4]),
        (lambda a, b, c: (a > 5) & (b > 10), [4 + 8, 8]),
        (lambda a, b, c: (a > 5) | (b > 10), [4, 0]),
        (lambda a, b, c: ~(a <= 5), [4, 0]),
        (lambda a, b, c: (a > 5) ^ (b < 10), [0, 4]),
        (lambda a, b, c: jnp.any(jnp.stack([a, b, c]) > 10), [7, 1]),
        (lambda a, b, c: jnp.all(jnp.stack([a, b, c]) > 1.5), [0.5, 0]),
        (lambda a, b, c: (jnp.stack([a, b, c]) > 10).sum() > 0, [7, 1]),
        (lambda a, b, c: (a > 5).astype(jnp.float32) * (b > 10).astype(jnp.float32) > 0, [12, 8]),
        (lambda a, b, c: jnp.where(c > 0, a > 5, b > 10), [4, 0]),
    ],
)
def test_the_distance_of_a_condition(function: Any, distances: list[float]) -> None:
    found, taken = measured(condition(function), "select_n", 1, [1.0, 2.0, 3.0], [9.0, 2.0, 3.0])
    assert found == pytest.approx(distances, abs=1e-3)
    assert taken == [each == 0 for each in distances]


@pytest.mark.parametrize(
    ("wrong", "primitive", "side", "distance"),
    [
        (lambda a: jnp.maximum(a, 5.0), "max", 0, 4),
        (lambda a: jnp.minimum(a, -5.0), "min", 0, 6),
        (lambda a: jax.lax.clamp(-3.0, a, 7.0), "clamp", 0, 4),
        (lambda a: jax.lax.clamp(-3.0, a, 7.0), "clamp", 2, 6),
        (lambda a: jnp.abs(a), "abs", 1, 1),
        (lambda a: jnp.sign(a), "sign", 1, 1),
        (lambda a: jax.lax.cond(a > 5, lambda: 1.0, lambda: 0.0), "cond", 1, 4),
        (lambda a: jax.lax.switch(a.astype(jnp.int32), [lambda: 1.0, lambda: 2.0, lambda: 3.0]), "cond", 2, 1),
        (lambda a: jax.lax.while_loop(lambda c: c < a - 3.0, lambda c: c + 1.0, 0.0), "while", 1, 2),
    ],
)
def test_the_distance_of_other_choices(wrong: Any, primitive: str, side: int, distance: float) -> None:
    function: Wrong = lambda x, w1, b1, w2, b2, h, o: wrong(x[0, 0])  # noqa: E731
    found, taken = measured(function, primitive, side, [1.0, 0.0, 0.0])
    assert found == pytest.approx([distance], abs=1e-3)
    assert taken == [False]


def test_a_choice_that_is_not_reached_is_infinitely_far() -> None:
    def wrong(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, h: Any, o: Any) -> Any:
        return jax.lax.cond(x[0, 0] > 5, lambda: jnp.where(x[0, 1] > 3, 1.0, 0.0), lambda: 0.0)

    found, taken = measured(wrong, "gt", 1, [9.0, 1.0, 0.0], [1.0, 1.0, 0.0])
    assert found == pytest.approx([2.0, np.inf], abs=1e-3)
    assert taken == [False, False]


def test_the_nearest_device_counts() -> None:
    def inside(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, h: Any, p: Any) -> Any:
        device = jax.lax.axis_index("model").astype(jnp.float32)
        return jnp.where(x[0, 0] + device > 10, 1.0, 0.0)

    program = trace(mlp(inside=inside), SHAPE)
    inputs = lanes([1.0, 0.0, 0.0], [5.0, 0.0, 0.0])
    recorder = Recorder()
    simulate(program, inputs, fuel=Fuel(), observer=recorder)
    [key] = [key for key, entry in recorder.entries.items() if entry.equation.primitive == "gt"]
    gauge = Gauge(program, [(key, 1)], 2)
    simulate(program, inputs, fuel=Fuel(), observer=gauge)
    assert gauge.distance[0] == pytest.approx([2.0, 0.0], abs=1e-3)
    assert gauge.taken[0].tolist() == [False, True]
