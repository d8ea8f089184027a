"""Which sides of a program's choices the inputs so far took."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from grader.execution.errors import OutOfFuel
from grader.execution.simulator import Fuel, simulate
from grader.problem import Arrays
from grader.problems.tensor_parallel_mlp import PROBLEM
from grader.program.types import Program
from grader.referee.choices import Dark, Recorder, independent, skeleton
from grader.referee.compare import answers, telling
from grader.referee.inputs import Plan, Regime, arrays
from tests.referee.traced import mlp, trace

SHAPE = {"B": 2, "D": 3, "H": 16, "O": 2}
OTHER = {"B": 3, "D": 5, "H": 8, "O": 1}
NORMAL = arrays(PROBLEM, SHAPE, [Plan(0, (Regime.NORMAL,) * 5, 0, seed) for seed in range(4)])


def watch(recorder: Recorder, program: Program, inputs: Arrays = NORMAL) -> None:
    simulate(program, [inputs[name] for name in PROBLEM.parameters], fuel=Fuel(), observer=recorder)


def dark(program: Program, inputs: Arrays = NORMAL) -> list[tuple[str, int]]:
    recorder = Recorder()
    watch(recorder, program, inputs)
    return [(each.primitive, each.side) for some in recorder.dark([program]) for each in some.choices]


def add(wrong: Any) -> Program:
    return trace(mlp(wrong), SHAPE)


def test_relu_is_lit_by_normal_inputs() -> None:
    assert dark(trace(mlp(), SHAPE)) == []


def test_relu_stays_dark_on_one_side_when_everything_is_positive() -> None:
    inputs = arrays(PROBLEM, SHAPE, [Plan(0, (Regime.POSITIVE,) * 5, 0, 1)])
    assert dark(trace(mlp(), SHAPE), inputs) == [("max", 1)]


def test_a_threshold_is_dark_beyond() -> None:
    assert dark(add(lambda x, w1, b1, w2, b2, h, o: jnp.where(x.sum() > 1e6, 1.0, 0.0))) == [
        ("gt", 1),
        ("select_n", 1),
    ]


def test_ties_are_no_side() -> None:
    zeros = {name: np.zeros_like(array) for name, array in NORMAL.items()}
    assert dark(trace(mlp(), SHAPE), zeros) == [("max", 0), ("max", 1)]


def test_what_inputs_cannot_decide_is_no_choice() -> None:
    def device_and_index(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, h: Any, p: Any) -> Any:
        never = jnp.where(jax.lax.axis_index("model") > 100, 1.0, 0.0)
        return never + jax.lax.fori_loop(0, 3, lambda i, c: jnp.where(i < 5, c, 1.0), 0.0)

    assert dark(trace(mlp(inside=device_and_index), SHAPE)) == []


def test_a_count_that_starts_from_an_input_is_a_choice() -> None:
    program = add(
        lambda x, w1, b1, w2, b2, h, o: jax.lax.fori_loop(0, jnp.int32(b2[0]) - 99, lambda i, c: c + 1.0, 0.0)
    )
    assert ("while", 1) in dark(program)


def test_one_function_called_twice_makes_two_choices() -> None:
    @jax.jit
    def positive(value: Any) -> Any:
        return jnp.where(value > 0, value, 0.0)

    both = add(lambda x, w1, b1, w2, b2, h, o: positive(o) + positive(o - 1e7))
    assert dark(both) == [("gt", 1), ("select_n", 1)]


def test_dark_choices_in_branches_and_loops_are_found() -> None:
    def nested(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, h: Any, o: Any) -> Any:
        inner = jax.lax.cond(x[0, 0] > 1e6, lambda: 1.0, lambda: 0.0)
        return inner + jax.lax.scan(lambda c, row: (c, jnp.clip(row, -1e6, 1e6)), 0.0, x)[1].sum() * 0

    assert dark(add(nested)) == [("gt", 1), ("cond", 1), ("max", 0), ("min", 0)]


def test_choices_know_their_line() -> None:
    program = add(lambda x, w1, b1, w2, b2, h, o: jnp.where(x.sum() > 1e6, 1.0, 0.0))
    recorder = Recorder()
    watch(recorder, program)
    [found] = recorder.dark([program])
    assert found.choices[0].source is not None
    assert found.choices[0].source == found.choices[1].source
    assert found.choices[0].note == "no generated input makes this comparison true"


def test_what_one_shape_lit_is_lit_for_programs_that_differ_only_in_sizes() -> None:
    def wrong(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, h: Any, o: Any) -> Any:
        return jnp.where(x.sum() > 1e3, 1.0, 0.0)

    programs = [trace(mlp(wrong), SHAPE), trace(mlp(wrong), OTHER)]
    assert skeleton(programs[0]) == skeleton(programs[1])
    recorder = Recorder()
    watch(recorder, programs[0])
    large = arrays(PROBLEM, OTHER, [Plan(0, (Regime.LARGE,) * 5, 3, seed) for seed in range(8)])
    watch(recorder, programs[1], large)
    assert recorder.dark(programs) == []
    assert [each.programs for each in recorder.dark(programs[:1])] == [(0,)]


def test_a_program_with_another_constant_is_another_program() -> None:
    def above(limit: float) -> Any:
        return lambda x, w1, b1, w2, b2, h, o: jnp.where(x.sum() > limit, 1.0, 0.0)

    programs = [trace(mlp(above(1e3)), SHAPE), trace(mlp(above(1e6)), OTHER)]
    recorder = Recorder()
    watch(recorder, programs[0], arrays(PROBLEM, SHAPE, [Plan(0, (Regime.LARGE,) * 5, 3, s) for s in range(8)]))
    watch(recorder, programs[1], arrays(PROBLEM, OTHER, [Plan(0, (Regime.NORMAL,) * 5, 3, s) for s in range(8)]))
    assert [each.programs for each in recorder.dark(programs)] == [(1,)]


def test_sides_never_taken_together_are_a_pair() -> None:
    program = add(lambda x, w1, b1, w2, b2, h, o: jnp.where(x[0, 0] > 1.0, 1.0, 0.0) * jnp.where(b2[0] > 1.0, 1.0, 0.0))
    inputs = {name: array[:2].copy() for name, array in NORMAL.items()}
    inputs["x"][:, 0, 0] = [2.0, 0.0]
    inputs["b2"][:, 0] = [0.0, 2.0]
    recorder = Recorder()
    watch(recorder, program, inputs)
    [found] = recorder.dark([program])
    assert found.choices == ()
    sides = {frozenset([(one.primitive, one.side), (other.primitive, other.side)]) for one, other in found.pairs}
    assert frozenset([("gt", 1)]) in sides  # both comparisons true
    assert frozenset([("select_n", 1)]) in sides
    # That a comparison is true and what it selects is the other case is no pair: it cannot be.
    for one, other in found.pairs:
        assert independent(program, [(one, other)]) == [True]
        assert one.place[0] != other.place[0]


def test_examples_in_which_errors_could_hide_light_nothing() -> None:
    program = add(lambda x, w1, b1, w2, b2, h, o: jnp.where(x[0, 0] > 1e6, 1.0, 0.0))
    inputs = {name: array.copy() for name, array in NORMAL.items()}
    inputs["x"][0, 0, 0] = 2e6
    right = answers(PROBLEM, inputs)
    assert telling(right).tolist() == [False, True, True, True]
    recorder = Recorder()
    recorder.heed(telling(right))
    watch(recorder, program, inputs)
    [found] = recorder.dark([program])
    assert [(each.primitive, each.side) for each in found.choices] == [("gt", 1), ("select_n", 1)]
    assert dark(program, inputs) == []


def test_after_a_run_that_failed_the_recorder_goes_on() -> None:
    program = add(lambda x, w1, b1, w2, b2, h, o: jnp.where(x.sum() > 1e6, 1.0, 0.0))
    recorder = Recorder()
    with pytest.raises(OutOfFuel):
        simulate(program, [NORMAL[n] for n in PROBLEM.parameters], fuel=Fuel(steps=8), observer=recorder)
    watch(recorder, program)
    [found] = recorder.dark([program])
    assert isinstance(found, Dark)
    assert [(each.primitive, each.side) for each in found.choices] == [("gt", 1), ("select_n", 1)]
