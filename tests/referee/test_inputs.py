"""Generated inputs: the same every time, of every kind that finds mistakes, and always valid."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from grader.problem import Answer, Arrays, Dimension, Input, Output, Problem
from grader.problems.tensor_parallel_mlp import PROBLEM
from grader.program.types import Aval, Body, Constant, Container, Program
from grader.referee.inputs import LARGEST, Plan, Regime, arrays, literals, near, plan, valid

SHAPES = list(PROBLEM.shapes())
SHAPE = {"B": 3, "D": 4, "H": 8, "O": 2}


def one(regime: Regime, seed: int = 1, exponent: int = 3, literal: float | None = None) -> dict[str, np.ndarray]:
    """All five inputs in one regime."""
    plans = [Plan(0, (regime,) * 5, exponent, seed)]
    return arrays(PROBLEM, SHAPE, plans, () if literal is None else (literal,))


def everything(inputs: Arrays) -> np.ndarray:
    return np.concatenate([each.ravel() for each in inputs.values()])


# ── plans ────────────────────────────────────────────────────────────────────────────────────────


def test_every_shape_gets_a_normal_plan_first_and_then_round_again() -> None:
    plans = plan(PROBLEM, SHAPES, 2 * len(SHAPES) + 5, 0)
    assert [each.shape for each in plans] == [*range(320), *range(320), *range(5)]
    assert {each.regimes for each in plans[:320]} == {(Regime.NORMAL,) * 5}
    assert len({each.seed for each in plans}) == len(plans)


def test_every_shape_is_covered_even_when_fewer_examples_are_asked_for() -> None:
    assert {each.shape for each in plan(PROBLEM, SHAPES, 1, 0)} == set(range(320))


def test_no_shapes_no_plans() -> None:
    assert plan(PROBLEM, [], 10, 0) == []


def test_every_regime_occurs_for_every_input() -> None:
    plans = plan(PROBLEM, SHAPES, 1280, 0)
    for place in range(5):
        assert {each.regimes[place] for each in plans} == set(Regime)
    assert {each.exponent for each in plans} == {0, 1, 2, 3}


def test_another_seed_gives_other_plans() -> None:
    assert plan(PROBLEM, SHAPES, 640, 0) != plan(PROBLEM, SHAPES, 640, 1)


def test_another_process_with_other_modules_gives_the_same_plans(tmp_path: Path) -> None:
    code = (
        "import email, json, grader.program.types\n"
        "from grader.problems.tensor_parallel_mlp import PROBLEM\n"
        "from grader.referee.inputs import plan\n"
        "print([(p.shape, [int(r) for r in p.regimes], p.exponent, p.seed)\n"
        "       for p in plan(PROBLEM, list(PROBLEM.shapes())[:7], 300, 12)])\n"
    )
    there = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    here = [
        (each.shape, [int(regime) for regime in each.regimes], each.exponent, each.seed)
        for each in plan(PROBLEM, SHAPES[:7], 300, 12)
    ]
    assert there.strip() == str(here)
    assert list(tmp_path.iterdir()) == [], "drawing leaves no files behind"


# ── arrays ───────────────────────────────────────────────────────────────────────────────────────


def test_arrays_have_a_lane_for_each_plan_and_the_declared_shapes_and_dtypes() -> None:
    plans = [each for each in plan(PROBLEM, SHAPES, 1280, 0) if each.shape == 319]
    found = arrays(PROBLEM, SHAPES[319], plans)
    assert {name: array.shape for name, array in found.items()} == {
        "x": (4, 4, 5),
        "w1": (4, 5, 32),
        "b1": (4, 32),
        "w2": (4, 32, 4),
        "b2": (4, 4),
    }
    assert {array.dtype.name for array in found.values()} == {"float32"}


def test_a_plan_gives_the_same_arrays_whatever_its_neighbours() -> None:
    plans = [each for each in plan(PROBLEM, SHAPES, 12 * 320, 0) if each.shape == 100]
    together = arrays(PROBLEM, SHAPES[100], plans, (1e6,))
    for lane, each in enumerate(plans):
        alone = arrays(PROBLEM, SHAPES[100], [each], (1e6,))
        for name in together:
            np.testing.assert_array_equal(together[name][lane], alone[name][0])


def test_all_generated_inputs_are_valid() -> None:
    plans = plan(PROBLEM, SHAPES, 1280, 3)
    for index in range(0, 320, 13):
        found = arrays(PROBLEM, SHAPES[index], [each for each in plans if each.shape == index], (1e9, 3e8, -2e30))
        assert valid(PROBLEM, found).all()
        assert np.isfinite(everything(found)).all()


def test_normal_values_are_of_both_signs_and_use_the_whole_mantissa() -> None:
    values = everything(one(Regime.NORMAL))
    assert (values > 0).any()
    assert (values < 0).any()
    assert len(set(values.tolist())) == values.size
    # Rounded to bfloat16 (16 bits cut off) hardly any is still itself.
    assert (values.view(np.uint32) & 0xFFFF != 0).mean() > 0.95


def test_small_integers_make_ties_at_the_corner_of_relu() -> None:
    inputs = one(Regime.INTEGERS)
    assert set(everything(inputs).tolist()) <= {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0}
    ties = [
        (each["x"][0] @ each["w1"][0] + each["b1"][0] == 0).any()
        for each in (one(Regime.INTEGERS, seed) for seed in range(8))
    ]
    assert sum(ties) >= 4


@pytest.mark.parametrize(
    ("regime", "holds"),
    [
        (Regime.ZEROS, lambda v: (v == 0).all()),
        (Regime.ZEROS, lambda v: np.signbit(v).any() and not np.signbit(v).all()),
        (Regime.SPARSE, lambda v: 0.5 < (v == 0).mean() < 1),
        (Regime.POSITIVE, lambda v: (v > 0).all()),
        (Regime.NEGATIVE, lambda v: (v < 0).all()),
        (Regime.LARGE, lambda v: 1e5 < np.abs(v).max() < 1e7),
        (Regime.SMALL, lambda v: np.abs(v).max() < 1e-5 and (v != 0).all()),
        (Regime.MIXED, lambda v: np.abs(v).max() > 1e4 and np.abs(v).min() < 1e-4),
    ],
)
def test_what_a_regime_is_like(regime: Regime, holds: object) -> None:
    assert callable(holds)
    assert holds(everything(one(regime)))


def test_one_hot_is_one_once_in_each_input() -> None:
    for array in one(Regime.ONE_HOT).values():
        assert sorted(array.ravel().tolist())[-1] == 1.0
        assert np.count_nonzero(array) == 1


def test_distinct_values_differ_within_each_input_and_are_exact() -> None:
    for array in one(Regime.DISTINCT).values():
        assert len(set(array.ravel().tolist())) == array.size
        np.testing.assert_array_equal(array * 4, np.rint(array * 4))


def test_repeated_values_are_two() -> None:
    for array in one(Regime.REPEATED).values():
        assert len(set(array.ravel().tolist())) <= 2


@pytest.mark.parametrize("literal", [0.12345678, 1e6, 3.5e-4])
def test_a_literal_is_met_exactly_just_missed_and_reached_by_sums(literal: float) -> None:
    exact = float(np.float32(literal))
    elements: set[float] = set()
    sums: list[float] = []
    products: list[float] = []
    for seed in range(300):
        for array in one(Regime.LITERAL, seed, literal=exact).values():
            elements |= set(array.ravel().tolist())
            sums.append(abs(float(array.sum(dtype=np.float64))))
            products.append(float(array.ravel()[0]) ** 2)
    for value in near(exact)[:3]:
        assert value in elements
        assert -value in elements
    assert any(abs(each - exact) < 1e-5 * exact and each >= exact for each in sums)
    assert any(abs(each - exact) < 1e-5 * exact for each in products)


def test_without_literals_that_regime_is_normal() -> None:
    np.testing.assert_array_equal(everything(one(Regime.LITERAL)), everything(one(Regime.NORMAL)))


def test_a_literal_beyond_the_limit_is_left_alone() -> None:
    assert np.abs(everything(one(Regime.LITERAL, literal=1e12))).max() < 10


# ── other problems ───────────────────────────────────────────────────────────────────────────────


def _sums(inputs: Arrays) -> dict[str, Answer]:
    total = inputs["x"].sum(axis=1) ** 8
    return {"total": Answer(total, np.zeros_like(total))}


SMALL = Problem(
    id="total",
    dimensions=(Dimension("N", (2, 3)),),
    inputs=(
        Input("x", ("N",), limit=1e6),
        Input("step", (), "int32", limit=100),
        Input("mask", ("N",), "bool"),
    ),
    outputs=(Output("total", ()),),
    oracle=_sums,
    question=PROBLEM.question,
)


def test_integers_bools_and_scalars_within_their_limits() -> None:
    plans = plan(SMALL, list(SMALL.shapes()), 200, 0)
    found = arrays(SMALL, {"N": 2}, [each for each in plans if each.shape == 0], (7.0, 1e5))
    assert found["step"].dtype == np.int32
    assert found["step"].shape == (100,)
    assert np.abs(found["step"]).max() == 100
    assert found["mask"].dtype == np.bool_
    assert found["mask"].any()
    assert not found["mask"].all()


def test_integers_meet_a_literal_and_miss_it_by_one() -> None:
    plans = [Plan(0, (Regime.NORMAL, Regime.LITERAL, Regime.NORMAL), 0, seed) for seed in range(100)]
    steps = arrays(SMALL, {"N": 2}, plans, (7.0,))["step"]
    assert {6, 7, 8, -7} <= set(steps.tolist())


def test_inputs_whose_right_outputs_would_be_too_large_are_made_smaller() -> None:
    plans = [Plan(0, (Regime.LARGE, Regime.NORMAL, Regime.NORMAL), 3, seed) for seed in range(20)]
    found = arrays(SMALL, {"N": 2}, plans)
    assert valid(SMALL, found).all()
    assert (np.abs(found["x"]).max(axis=1) > 0).all()


def test_valid_refuses_what_is_not_finite_or_too_large() -> None:
    x = np.array([[1.0, 2.0], [np.nan, 0.0], [np.inf, 0.0], [2e6, 0.0], [9e3, 9e3], [1e3, 1e3]], np.float32)
    lanes = {"x": x, "step": np.zeros(6, np.int32), "mask": np.zeros((6, 2), np.bool_)}
    assert valid(SMALL, lanes).tolist() == [True, False, False, False, False, True]
    assert LARGEST < 18e3**8


def test_a_problem_with_other_limits_is_heeded() -> None:
    problem = dataclasses.replace(
        PROBLEM, inputs=tuple(dataclasses.replace(each, limit=2.0) for each in PROBLEM.inputs)
    )
    found = arrays(problem, SHAPE, [Plan(0, (Regime.LARGE,) * 5, 3, 1)])
    assert np.abs(everything(found)).max() == 2.0


# ── literals ─────────────────────────────────────────────────────────────────────────────────────


def program(*constants: np.ndarray) -> Program:
    return Program(
        (Body((), (), ()),),
        tuple(Constant(Aval(each.shape, each.dtype.name), each.tobytes()) for each in constants),
        Container("dict", (), ()),
    )


def test_literals_are_the_finite_numbers_worth_trying() -> None:
    found = literals(
        program(
            np.array(1e6, np.float32),
            np.array(0.0, np.float32),
            np.array(-1.0, np.float32),
            np.array(np.inf, np.float32),
            np.array(np.nan, np.float32),
            np.array(7, np.int32),
            np.array(True),
            np.array([0.25, 1e6, -3.0], np.float32),
            np.full(1000, 5.0, np.float32),
            np.array(2 + 3j, np.complex64),
        )
    )
    assert found == (1e6, 7.0, 0.25, -3.0)


def test_literals_are_bounded() -> None:
    assert len(literals(program(*(np.array(each + 0.5, np.float32) for each in range(100))))) == 32


def test_a_constant_with_too_few_bytes_is_passed_over() -> None:
    broken = Program((Body((), (), ()),), (Constant(Aval((), "float32"), b"1"),), Container("dict", (), ()))
    assert literals(broken) == ()
