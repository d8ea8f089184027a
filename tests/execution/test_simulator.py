"""The simulator on programs written by hand: control flow, devices, budgets, lies."""

from __future__ import annotations

import numpy as np
import pytest

from grader.execution.simulator import Fuel, simulate
from tests.execution.programs import tensor_parallel_mlp


def test_the_split_perceptron_gives_the_dense_one() -> None:
    rng = np.random.default_rng(0)
    program = tensor_parallel_mlp()
    inputs = [rng.normal(size=(6, *each.shape)).astype(np.float32) for each in program.main.inputs]
    x, w1, b1, w2, b2 = inputs
    outcome = simulate(program, inputs, fuel=Fuel())
    hidden, out = outcome.outputs
    wanted = np.maximum(x @ w1 + b1[:, None], 0)
    np.testing.assert_allclose(hidden, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(out, wanted @ w2 + b2[:, None], rtol=1e-5, atol=1e-5)
    assert outcome.unequal == ()
    assert out.dtype == np.float32


def test_an_input_of_another_shape_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="inputs"):
        simulate(tensor_parallel_mlp(), [], fuel=Fuel())
