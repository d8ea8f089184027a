"""What each device holds of inputs and outputs, as the device picture shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from grader.analysis.flow import analyse
from grader.execution.simulator import Fuel
from grader.problems.tensor_parallel_mlp import PROBLEM
from grader.referee.holdings import holdings
from grader.report.model import Devices
from tests.referee.traced import mlp, trace

SHAPE = {"B": 2, "D": 3, "H": 16, "O": 4}


def found(function: Callable[..., dict[str, Any]]) -> Devices | None:
    program = trace(function, SHAPE)
    random = np.random.default_rng(0)
    probe = [random.uniform(0.5, 1.5, each.shape).astype(np.float32) for each in program.main.inputs]
    return holdings(analyse(program, PROBLEM.parameters, PROBLEM.question, probe, Fuel()))


def blocks(devices: Devices | None, name: str) -> list[tuple[tuple[int, int], ...]]:
    assert devices is not None
    [layout] = [each for each in devices.arrays if each.name == name]
    assert [each.device for each in layout.blocks] == list(range(8))
    return [each.block for each in layout.blocks]


def test_the_right_answer() -> None:
    devices = found(mlp())
    assert devices is not None
    assert devices.mesh == {"model": 8}
    assert [(each.name, each.role, each.shape) for each in devices.arrays] == [
        ("x", "input", (2, 3)),
        ("w1", "input", (3, 16)),
        ("b1", "input", (16,)),
        ("w2", "input", (16, 4)),
        ("b2", "input", (4,)),
        ("hidden", "output", (2, 16)),
        ("out", "output", (2, 4)),
    ]
    assert blocks(devices, "x") == [((0, 2), (0, 3))] * 8
    assert blocks(devices, "w1") == [((0, 3), (2 * each, 2 * each + 2)) for each in range(8)]
    assert blocks(devices, "b1") == [((2 * each, 2 * each + 2),) for each in range(8)]
    assert blocks(devices, "w2") == [((2 * each, 2 * each + 2), (0, 4)) for each in range(8)]
    assert blocks(devices, "hidden") == [((0, 2), (2 * each, 2 * each + 2)) for each in range(8)]
    assert blocks(devices, "out") == [((0, 2), (0, 4))] * 8


def test_what_is_changed_before_or_after_is_left_out() -> None:
    def function(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> dict[str, Any]:
        mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
        specs = (P(), P("model", None), P("model"))
        body = jax.shard_map(lambda x, w, b: x @ w.T + b, mesh=mesh, in_specs=specs, out_specs=P(None, "model"))
        hidden = body(x, w1.T, jnp.flip(b1))
        return {"hidden": hidden + 1.0, "out": (x @ w1 + b1) @ w2 + b2}

    devices = found(function)
    assert devices is not None
    assert [each.name for each in devices.arrays] == ["x"]


def test_without_a_shard_map_there_is_no_picture() -> None:
    assert found(lambda x, w1, b1, w2, b2: {"hidden": x @ w1 + b1, "out": (x @ w1) @ w2 + b2}) is None
