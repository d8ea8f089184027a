"""Programs walked through, measured and spoiled."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from grader.execution.simulator import Fuel, simulate
from grader.program.prune import prune
from grader.program.spoil import spoiled
from grader.program.types import Program
from grader.program.walk import size, walk
from grader.tracer.places import Places
from grader.tracer.trace import trace


def program(function: object, *shapes: tuple[int, ...]) -> Program:
    traced = trace(function, [(shape, "float32") for shape in shapes], Places("here.py"))  # type: ignore[arg-type]
    assert isinstance(traced, Program)
    return prune(traced)


def test_calls_are_counted_written_out() -> None:
    once = jax.jit(lambda a: jnp.sin(a) + 1)
    assert size(program(lambda a: once(once(a)), (2,))) == 2 * size(program(lambda a: once(a), (2,)))


def test_a_loop_counts_once_and_its_body_is_walked() -> None:
    found = program(lambda a: jax.lax.fori_loop(0, 9, lambda i, b: jnp.sin(b), a), (2,))
    assert [each.primitive for each in walk(found)].count("sin") == 1


def test_a_spoiled_value_shows_in_what_is_made_of_it_and_zero_stays_zero() -> None:
    found = program(lambda a: (jnp.sin(a), jnp.cos(a), 0 * jnp.sin(a)), (3,))
    sines = {id(each.equation) for each in walk(found) if each.primitive == "sin"}
    given = [np.array([[0.5, 1.0, 1.5]], np.float32)]
    before = simulate(found, given, fuel=Fuel()).outputs
    after = simulate(spoiled(found, sines), given, fuel=Fuel()).outputs
    assert (before[0] != after[0]).all()
    assert (before[1] == after[1]).all()
    assert (before[2] == after[2]).all()
