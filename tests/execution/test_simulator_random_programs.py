"""Random small programs, with and without devices: the simulator and XLA agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from grader.execution.simulator import Fuel, simulate
from tests.execution.tracing import program_of

Step = Callable[[Any, Any], Any]

# Steps on float32 (4, 4) arrays x and y. All keep magnitudes moderate, so that rounding stays comparable.
STEPS: dict[str, Step] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: jnp.tanh(x) * y,
    "div": lambda x, y: x / (1 + jnp.abs(y)),
    "max": lambda x, y: jnp.maximum(x, y),
    "relu": lambda x, y: jax.nn.relu(x),
    "clip": lambda x, y: jnp.clip(x, -1, 1),
    "matmul": lambda x, y: x @ jnp.sin(y),
    "einsum": lambda x, y: jnp.einsum("ij,kj->ki", x, jnp.cos(y)),
    "transpose": lambda x, y: x.T,
    "reshape": lambda x, y: x.reshape(2, 8).reshape(4, 4, order="F"),
    "roll": lambda x, y: jnp.roll(x, 1, axis=1),
    "flip": lambda x, y: x[::-1],
    "pad": lambda x, y: jnp.pad(x[1:, :-1], ((0, 1), (1, 0)), constant_values=0.5),
    "halves": lambda x, y: jnp.concatenate([x[:2], y[2:]]),
    "sum": lambda x, y: x - x.sum(axis=0, keepdims=True),
    "mean": lambda x, y: x.mean(axis=1, keepdims=True) + y,
    "softmax": lambda x, y: jax.nn.softmax(x, axis=-1),
    "sort": lambda x, y: jnp.sort(x, axis=1),
    "cumsum": lambda x, y: jnp.cumsum(x, axis=0) / 4,
    "argmax": lambda x, y: x + jax.nn.one_hot(jnp.argmax(y, axis=1), 4),
    "where": lambda x, y: jnp.where(y > 0, x, -y),
    "round": lambda x, y: jnp.round(x) + y.astype(np.int32) % 3,
    "bits": lambda x, y: x + (y.astype(np.int32) << 1 & 5),
    "gather": lambda x, y: x[jnp.array([3, 0, 9, -1])],
    "scatter": lambda x, y: x.at[jnp.array([1, 1, 2])].add(y[:3]),
    "dynamic": lambda x, y: lax.dynamic_update_slice(x, y[:2, :3], (jnp.argmax(x[0]), 1)),
    "scan": lambda x, y: lax.scan(lambda c, r: (jnp.tanh(c + r), c - r), x[0], y)[1],
    "loop": lambda x, y: lax.fori_loop(0, 3, lambda k, c: jnp.tanh(c) + k, x),
    "cond": lambda x, y: lax.cond(x[0, 0] > y[0, 0], lambda x: x + 1, lambda x: x.T, x),
    "while": lambda x, y: lax.while_loop(lambda c: jnp.abs(c).max() > 0.5, lambda c: c * 0.6, x),
    "half": lambda x, y: x.astype(jnp.bfloat16).astype(np.float32),
    "vmap": lambda x, y: jax.vmap(lambda a, b: jnp.outer(a, b)[0])(jnp.tanh(x), y),
    "jit": lambda x, y: jax.jit(lambda a: a * 2)(x),
    "grad": lambda x, y: jax.grad(lambda a: jnp.sum(jnp.sin(a) * y))(x),
    "remat": lambda x, y: jax.checkpoint(jnp.cos)(x),
}
COLLECTIVE: dict[str, Step] = {
    "psum": lambda x, y: lax.psum(jnp.tanh(x), "i") / 8,
    "pmean": lambda x, y: lax.pmean(x, "i") + y,
    "pmax": lambda x, y: lax.pmax(x, "i"),
    "pmin": lambda x, y: lax.pmin(x, "i") - y,
    "all_gather": lambda x, y: lax.all_gather(x[0], "i")[2:6],
    "psum_scatter": lambda x, y: jnp.tile(lax.psum_scatter(jnp.tile(x, (2, 1)), "i") / 8, (4, 1)),
    "all_to_all": lambda x, y: lax.all_to_all(jnp.tile(x, (2, 1)), "i", 0, 0, tiled=True)[2:6],
    "ppermute": lambda x, y: lax.ppermute(x, "i", [(k, (k + 1) % 8) for k in range(8)]),
    "ppermute partial": lambda x, y: lax.ppermute(x, "i", [(0, 3), (2, 1)]),
    "axis_index": lambda x, y: x + lax.axis_index("i") / 8,
    "cond by device": lambda x, y: lax.cond(lax.axis_index("i") > 2, lambda x: x * 0.5, lambda x: x + y, x),
    "loop by device": lambda x, y: lax.fori_loop(0, lax.axis_index("i"), lambda k, c: c * 0.5 + k, x),
    "groups": lambda x, y: lax.psum(jnp.tanh(x), "i", axis_index_groups=[[0, 2, 4, 6], [1, 3, 5, 7]]),
}


def composed(table: dict[str, Step], names: list[str]) -> Callable[[Any, Any], Any]:
    def function(x: Any, y: Any) -> tuple[Any, Any]:
        for name in names:
            x, y = table[name](x, y), x
        return x, y

    return function


def agree(function: Callable[[Any, Any], Any], shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Quarters: ties, zeros and exact halves are common.
    inputs = [(rng.integers(-12, 13, (3, *shape)) / 4).astype(np.float32) for _ in range(2)]
    outputs = simulate(program_of(function, [each[0] for each in inputs]), inputs, fuel=Fuel()).outputs
    compiled = jax.jit(function)
    for lane in range(3):
        wanted = compiled(*(each[lane] for each in inputs))
        for got, want in zip(outputs, wanted, strict=True):
            np.testing.assert_allclose(got[lane], np.asarray(want), rtol=2e-4, atol=2e-4)


@settings(max_examples=20)
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=5), st.integers(0, 99))
def test_random_programs_agree(names: list[str], seed: int) -> None:
    agree(composed(STEPS, names), (4, 4), seed)


@settings(max_examples=20)
@given(st.lists(st.sampled_from(sorted({**STEPS, **COLLECTIVE})), min_size=1, max_size=5), st.integers(0, 99))
def test_random_programs_on_eight_devices_agree(names: list[str], seed: int) -> None:
    body = composed({**STEPS, **COLLECTIVE}, names)
    mesh = Mesh(np.array(jax.devices()[:8]), ("i",))

    def function(x: Any, y: Any) -> Any:
        return jax.shard_map(body, mesh=mesh, in_specs=P("i"), out_specs=P("i"), check_vma=False)(x, y)

    agree(function, (32, 4), seed)
