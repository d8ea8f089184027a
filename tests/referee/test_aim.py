"""Programs that are right only by the values they happen to get are found out."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from grader.execution.errors import Deadlock, OutOfFuel
from grader.execution.simulator import Fuel, simulate
from grader.problems.tensor_parallel_mlp import PROBLEM
from grader.program.types import Program
from grader.referee.aim import MOST_WRONG, QUICK_RUNS, Found, aim
from grader.referee.choices import Dark, Recorder
from grader.referee.compare import named, wrong_lanes
from grader.referee.inputs import arrays, literals, plan, valid
from tests.referee.traced import Wrong, mlp, trace

SHAPE = {"B": 2, "D": 3, "H": 16, "O": 2}
EXACT = 0.12345678


def watched(program: Program, examples: int = 4) -> tuple[Recorder, bool]:
    """A recorder that saw the program on generated inputs, and whether it was wrong on any."""
    recorder = Recorder()
    inputs = arrays(PROBLEM, SHAPE, plan(PROBLEM, [SHAPE], examples, 0), literals(program))
    ordered = [inputs[name] for name in PROBLEM.parameters]
    outcome = simulate(program, ordered, fuel=Fuel(), observer=recorder)
    return recorder, bool(wrong_lanes(PROBLEM, inputs, named(program, outcome.outputs)).any())


def search(program: Program, **options: Any) -> Found:
    recorder, wrong = watched(program)
    assert not wrong, "found without aiming: the test shows nothing"
    [dark] = recorder.dark([program])
    return aim(PROBLEM, SHAPE, program, dark, literals(program), Fuel, recorder, **options)


def proves_wrong(program: Program, found: Found) -> bool:
    if found.wrong is None:
        return False
    assert valid(PROBLEM, found.wrong).all()
    assert len(found.wrong["x"]) <= MOST_WRONG
    outcome = simulate(program, [found.wrong[name] for name in PROBLEM.parameters], fuel=Fuel())
    return bool(wrong_lanes(PROBLEM, found.wrong, named(program, outcome.outputs)).all())


def unless(condition: Any) -> Any:
    return jnp.where(condition, 1.0, 0.0)


ALMOST_RIGHT: dict[str, Wrong] = {
    "a sum beyond a threshold": lambda x, w1, b1, w2, b2, h, o: unless(x.sum() > 1e6),
    "a sum below a threshold": lambda x, w1, b1, w2, b2, h, o: unless(w1.sum() < -123456.0),
    "the first element exactly": lambda x, w1, b1, w2, b2, h, o: unless(x[0, 0] == EXACT),
    "the last element exactly": lambda x, w1, b1, w2, b2, h, o: unless(x[-1, -1] == EXACT),
    "an element somewhere exactly": lambda x, w1, b1, w2, b2, h, o: unless((w2 == EXACT).any()),
    "a sum exactly": lambda x, w1, b1, w2, b2, h, o: unless(x.sum() == 3.75),
    "a mean nearly": lambda x, w1, b1, w2, b2, h, o: unless(jnp.abs(w1.mean() - 0.777) < 1e-7),
    "a product of two": lambda x, w1, b1, w2, b2, h, o: unless(x[0, 0] * w1[0, 0] > 3e7),
    "a product of three": lambda x, w1, b1, w2, b2, h, o: unless(x[0, 0] * w1[0, 0] * w2[0, 0] < -7e7),
    "all of an array zero": lambda x, w1, b1, w2, b2, h, o: unless(jnp.all(b2 == 0)),
    "any element far below zero": lambda x, w1, b1, w2, b2, h, o: unless(jnp.any(x < -1e5)),
    "several elements far below zero": lambda x, w1, b1, w2, b2, h, o: unless((w1 < -1e5).sum() >= 3),
    "everything negative": lambda x, w1, b1, w2, b2, h, o: unless(
        jnp.all(x < 0) & jnp.all(w1 < 0) & jnp.all(b1 < -0.5)
    ),
    "a norm between two literals": lambda x, w1, b1, w2, b2, h, o: unless(
        (jnp.linalg.norm(w1) > 1000.0) & (jnp.linalg.norm(w1) < 1001.0)
    ),
    "very small but not zero": lambda x, w1, b1, w2, b2, h, o: unless(
        (jnp.abs(x).max() < 1e-7) & (jnp.abs(x).max() > 0)
    ),
    "steps of a minimal height": lambda x, w1, b1, w2, b2, h, o: unless(jnp.all(jnp.diff(b1) > 0.3)),
    "an output exactly": lambda x, w1, b1, w2, b2, h, o: unless(o[0, 0] == 1234.5),
    "a sine near one": lambda x, w1, b1, w2, b2, h, o: unless(jnp.sin(x[0, 0]) > 0.99999),
    "a remainder": lambda x, w1, b1, w2, b2, h, o: unless(jnp.mod(x[0, 0], 100.0) > 99.999),
    "two elements exactly, as a mask": lambda x, w1, b1, w2, b2, h, o: ((x[0, 0] == EXACT) & (b2[0] == EXACT)).astype(
        jnp.float32
    ),
    "by arithmetic with a sign": lambda x, w1, b1, w2, b2, h, o: (1 + jnp.sign(x.sum() - 12e5)) / 2,
    "by arithmetic with an absolute value": lambda x, w1, b1, w2, b2, h, o: jnp.abs(x.sum() - 12e5) + (x.sum() - 12e5),
    "a branch on a sum": lambda x, w1, b1, w2, b2, h, o: jax.lax.cond(x.sum() > 1e6, lambda: b2, lambda: b2 * 0),
    "a branch within a branch": lambda x, w1, b1, w2, b2, h, o: jax.lax.cond(
        x[0, 0] > 54321.0, lambda: jax.lax.cond(b2[0] == -17.25, lambda: 1.0, lambda: 0.0), lambda: 0.0
    ),
    "one of many branches": lambda x, w1, b1, w2, b2, h, o: jax.lax.switch(
        jnp.int32(b2[0]), [*[lambda: 0.0] * 5, lambda: 1.0, lambda: 0.0]
    ),
    "a loop that mostly does not run": lambda x, w1, b1, w2, b2, h, o: jax.lax.while_loop(
        lambda c: (c[0] < 3) & (x[0, 0] > 1e8), lambda c: (c[0] + 1, c[1] + 1.0), (0, 0.0)
    )[1],
    "a selection within a selection": lambda x, w1, b1, w2, b2, h, o: jnp.where(
        x[0, 0] == EXACT, unless(b2[0] > 777.5), 0.0
    ),
    "three selections deep": lambda x, w1, b1, w2, b2, h, o: jnp.where(
        x[0, 0] == EXACT, jnp.where(b2[0] > 777.5, unless(w1[0, 0] < -3.25e4), 0.0), 0.0
    ),
    "three unremarkable conditions": lambda x, w1, b1, w2, b2, h, o: jnp.where(
        x[0, 0] > 2.0, jnp.where(b2[0] < -2.0, unless(w2[0, 0] < -2.0), 0.0), 0.0
    ),
    "the bits of an element": lambda x, w1, b1, w2, b2, h, o: unless(
        jax.lax.bitcast_convert_type(x[0, 0], jnp.int32) == 0x42F6E979
    ),
    "ordered": lambda x, w1, b1, w2, b2, h, o: unless(
        (b1[0] > b1[1]) & (b1[1] > b1[2]) & (b1[2] > b1[3]) & (b1[3] > b1[4]) & (b1[4] > b1[5]) & (b1[5] > b1[6])
    ),
}


@pytest.mark.parametrize("name", ALMOST_RIGHT)
def test_a_program_that_is_wrong_on_rare_values_is_found_out(name: str) -> None:
    program = trace(mlp(ALMOST_RIGHT[name]), SHAPE)
    assert proves_wrong(program, search(program))


def test_a_choice_on_every_device_is_followed() -> None:
    program = trace(mlp(inside=lambda x, w1, b1, w2, b2, h, p: unless(h == 3.14159).sum()), SHAPE)
    assert proves_wrong(program, search(program))


def test_few_runs_find_what_a_literal_tells() -> None:
    program = trace(mlp(ALMOST_RIGHT["a sum beyond a threshold"]), SHAPE)
    assert proves_wrong(program, search(program, runs=QUICK_RUNS))


def test_a_side_that_no_value_takes_stays_dark_and_is_told() -> None:
    program = trace(mlp(lambda x, w1, b1, w2, b2, h, o: unless(jnp.tanh(x[0, 0]) > 2.0)), SHAPE)
    found = search(program)
    assert found.wrong is None
    assert found.error is None
    assert [each.note for each in found.dark] == [
        "no generated input makes this comparison true",
        "no generated input makes this condition true",
    ]
    assert all(each.source is not None and each.source.line for each in found.dark)


def test_a_harmless_rare_side_is_lit_and_nothing_is_wrong() -> None:
    program = trace(mlp(lambda x, w1, b1, w2, b2, h, o: unless(x.sum() > 1e6) * 0.0), SHAPE)
    found = search(program)
    assert found.wrong is None
    assert found.dark == ()


def test_the_search_gives_the_same_each_time() -> None:
    program = trace(mlp(ALMOST_RIGHT["three selections deep"]), SHAPE)
    first, second = search(program).wrong, search(program).wrong
    assert first is not None
    assert second is not None
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])


def test_a_branch_that_never_ends_is_an_error_with_its_input() -> None:
    program = trace(
        mlp(
            lambda x, w1, b1, w2, b2, h, o: jax.lax.while_loop(
                lambda c: (x[0, 0] > 1e8) & (c < 2.0), lambda c: c * 1.0, 0.0
            )
        ),
        SHAPE,
    )
    recorder, _ = watched(program)
    [dark] = recorder.dark([program])
    found = aim(PROBLEM, SHAPE, program, dark, literals(program), lambda: Fuel(20_000, 10**9), recorder)
    assert isinstance(found.error, OutOfFuel)
    assert found.failing is not None
    assert found.failing["x"].shape == (1, 2, 3)
    assert found.failing["x"][0, 0, 0] > 1e8


def test_a_deadlock_that_only_some_inputs_meet_is_an_error() -> None:
    def parting(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, h: Any, p: Any) -> Any:
        first = jax.lax.axis_index("model") == 0
        return jax.lax.cond((x[0, 0] > 1e8) & first, lambda: jax.lax.psum(p * 0, "model"), lambda: p * 0)

    program = trace(mlp(inside=parting, check_vma=False), SHAPE)
    found = search(program)
    assert isinstance(found.error, Deadlock)
    assert found.failing is not None
    assert found.failing["x"][0, 0, 0] > 1e8


def test_devices_that_disagree_only_on_some_inputs_are_found() -> None:
    def parting(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, h: Any, o: Any) -> Any:
        last = jax.lax.axis_index("model") == 7
        return unless((x[0, 0] > 12345.0) & last)

    program = trace(mlp(on_each=parting, check_vma=False), SHAPE)
    found = search(program)
    assert found.wrong is not None
    outcome = simulate(program, [found.wrong[name] for name in PROBLEM.parameters], fuel=Fuel())
    assert [len(each.devices) for each in outcome.unequal] == [len(found.wrong["x"])]


def test_empty_arrays_complex_numbers_and_random_keys_are_borne() -> None:
    def odd(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, h: Any, o: Any) -> Any:
        nothing = jnp.where(x[:0] > 5, 1.0, 0.0).sum() + (x[:0] > 0).any() + jnp.maximum(x[:0], 0).sum()
        turned = jax.lax.complex(x[0, 0], b2[0])
        key = jax.random.key(0)
        drawn = jax.random.bernoulli(key, 0.5, x.shape) & (x > 1e6)
        small = x[0, 0].astype(jnp.bfloat16) > 3e5
        return nothing + jnp.where(turned == 1 + 2j, 0.0, 0.0) + drawn.sum() * 0.0 + unless(small) * 0.0

    program = trace(mlp(odd), SHAPE)
    found = search(program)
    assert found.wrong is None
    assert found.error is None


def test_where_nothing_is_dark_every_regime_is_tried() -> None:
    dark = Dark((0,), ())
    right = trace(mlp(), SHAPE)
    assert aim(PROBLEM, SHAPE, right, dark, (), Fuel) == Found(None, ())
    smooth = trace(mlp(lambda x, w1, b1, w2, b2, h, o: jax.nn.sigmoid((x[0, 0] - 200.0) * 10)), SHAPE)
    assert proves_wrong(smooth, aim(PROBLEM, SHAPE, smooth, dark, literals(smooth), Fuel))
