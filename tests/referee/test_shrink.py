"""Failing inputs become small: mostly zeros, round numbers, and they still fail."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from grader.problem import Answer, Arrays, Dimension, Input, Output, Problem
from grader.problems.tensor_parallel_mlp import PROBLEM
from grader.referee.inputs import Plan, Regime, arrays, valid
from grader.referee.shrink import MOST_LANES, MOST_RUNS, shrink

SHAPE = {"B": 2, "D": 3, "H": 16, "O": 2}
Condition = Callable[[Arrays], np.ndarray]


def start(regime: Regime = Regime.NORMAL, seed: int = 3) -> dict[str, np.ndarray]:
    return arrays(PROBLEM, SHAPE, [Plan(0, (regime,) * 5, 1, seed)])


def nonzeros(inputs: Arrays) -> dict[str, list[float]]:
    found = {name: array[array != 0].tolist() for name, array in inputs.items()}
    return {name: values for name, values in found.items() if values}


def shrunk(condition: Condition, inputs: Arrays) -> dict[str, np.ndarray]:
    assert condition(inputs).all(), "the input to shrink must fail"
    found = shrink(PROBLEM, SHAPE, inputs, condition)
    assert condition(found).all()
    assert valid(PROBLEM, found).all()
    return found


def test_what_fails_everywhere_becomes_all_zero() -> None:
    found = shrunk(lambda inputs: np.ones(len(inputs["x"]), np.bool_), start())
    assert nonzeros(found) == {}
    assert not any(np.signbit(each).any() for each in found.values())
    assert {name: each.shape for name, each in found.items()} == {name: each.shape for name, each in start().items()}
    assert {each.dtype.name for each in found.values()} == {"float32"}


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        (lambda i: (i["b2"] != 0).any(axis=1), {"b2": [1.0]}),
        (lambda i: i["b1"][:, 5] < 0, {"b1": [-1.0]}),
        (lambda i: (i["x"].reshape(-1, 6) < -0.5).any(axis=1), {"x": [-1.0]}),
        (lambda i: np.abs(i["w1"]).sum(axis=(1, 2)) > 20, None),
        (lambda i: (np.einsum("ebd,edh->ebh", i["x"], i["w1"]) > 0.1).any(axis=(1, 2)), {"x": [1.0], "w1": [1.0]}),
    ],
)
def test_only_what_the_failure_needs_is_left(condition: Condition, left: dict[str, list[float]] | None) -> None:
    found = nonzeros(shrunk(condition, start()))
    if left is None:
        assert list(found) == ["w1"]
        assert all(value == round(value) for value in found["w1"])
    else:
        assert found == left


def test_numbers_lose_the_digits_that_the_failure_does_not_need() -> None:
    inputs = start()
    inputs["b2"][0] = [0.123456, 0.777777]

    def condition(lanes: Arrays) -> np.ndarray:
        return np.abs(lanes["b2"][:, 0] - 0.12) < 0.01

    assert nonzeros(shrunk(condition, inputs)) == {"b2": [pytest.approx(0.12)]}


def test_an_exact_value_is_kept_to_the_last_bit() -> None:
    inputs = start()
    inputs["x"][0, 1, 2] = np.float32(0.12345678)
    found = shrunk(lambda lanes: (lanes["x"] == np.float32(0.12345678)).any(axis=(1, 2)), inputs)
    assert nonzeros(found) == {"x": [float(np.float32(0.12345678))]}


def test_a_threshold_on_a_sum() -> None:
    found = nonzeros(shrunk(lambda i: i["w1"].sum(axis=(1, 2)) > 1e5, start(Regime.LARGE, 11)))
    assert found == {"w1": [200000.0]}


def test_several_elements_become_one_where_their_sum_matters() -> None:
    inputs = {name: np.zeros_like(array) for name, array in start().items()}
    inputs["x"][0, 0] = [1.0, 0.25, 123455.99]
    found = nonzeros(shrunk(lambda i: i["x"].sum(axis=(1, 2)) > 123456, inputs))
    assert found == {"x": [200000.0]}


def test_nothing_invalid_is_tried_and_runs_are_bounded() -> None:
    runs: list[int] = []

    def condition(lanes: Arrays) -> np.ndarray:
        assert valid(PROBLEM, lanes).all()
        runs.append(len(lanes["x"]))
        # Fails while the values are no rounder than they are: the longest search there is.
        return np.array([(lane != np.rint(lane)).all() for lane in lanes["w1"].reshape(len(lanes["w1"]), -1)])

    shrink(PROBLEM, SHAPE, start(), condition)
    assert len(runs) <= MOST_RUNS
    assert max(runs) <= MOST_LANES


def test_the_same_input_shrinks_to_the_same() -> None:
    def condition(lanes: Arrays) -> np.ndarray:
        return np.abs(lanes["w2"]).sum(axis=(1, 2)) > 3

    first, second = (shrink(PROBLEM, SHAPE, start(), condition) for _ in range(2))
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])


def test_integers_and_bools_keep_their_dtypes() -> None:
    def oracle(inputs: Arrays) -> dict[str, Answer]:
        return {"y": Answer(inputs["step"] * 1.0, np.zeros(len(inputs["step"])))}

    problem = Problem(
        id="y",
        dimensions=(Dimension("N", (3,)),),
        inputs=(Input("step", (), "int32"), Input("mask", ("N",), "bool")),
        outputs=(Output("y", ()),),
        oracle=oracle,
        question=PROBLEM.question,
    )
    found = shrink(
        problem,
        {"N": 3},
        {"step": np.array([77], np.int32), "mask": np.array([[True, True, True]])},
        lambda lanes: (lanes["step"] > 4) & lanes["mask"][:, 1],
    )
    assert found["step"].dtype == np.int32
    assert 5 <= found["step"][0] <= 10
    assert found["mask"].tolist() == [[False, True, False]]
