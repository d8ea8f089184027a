"""A two-layer MLP whose hidden units are dealt out over eight devices (tensor parallelism).

Device d keeps hidden units d*H/8 up to (d+1)*H/8 - 1: those columns of w1 and b1, and those rows of
w2. From the whole x it computes its own block of the hidden layer without asking anybody. Its block
of ``hidden @ w2`` is only a part of each sum, so one psum adds the eight parts up; that is the only
communication. b2 belongs to the whole sum and is added once, after the psum.
"""

from __future__ import annotations

import functools

import jax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P


@functools.cache
def model_mesh() -> jax.sharding.Mesh:
    """Eight devices in a row, along one axis named "model".

    Made on first use, so that importing this file starts no device. The axis type is Auto: make_mesh
    makes Explicit axes by default, and those would want every input to carry its sharding already.
    """
    return jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def device_block(x: jax.Array, w1: jax.Array, b1: jax.Array, w2: jax.Array, b2: jax.Array) -> dict[str, jax.Array]:
    """What each device does: x (B, D), w1 (D, H/8), b1 (H/8,), w2 (H/8, O), b2 (O,).

    Returns the whole ``out`` (B, O), the same on every device, and the device's own block of
    ``hidden``, (B, H/8).
    """
    hidden = jax.nn.relu(x @ w1 + b1)
    out = jax.lax.psum(hidden @ w2, "model") + b2
    return {"out": out, "hidden": hidden}


def tensor_parallel_mlp(
    x: jax.Array, w1: jax.Array, b1: jax.Array, w2: jax.Array, b2: jax.Array
) -> dict[str, jax.Array]:
    """hidden = relu(x @ w1 + b1), out = hidden @ w2 + b2, everything float32.

    x (B, D), w1 (D, H), b1 (H,), w2 (H, O), b2 (O,), H a multiple of 8. Returns ``out`` (B, O),
    replicated, and ``hidden`` (B, H), split over its columns.
    """
    sharded = jax.shard_map(
        device_block,
        mesh=model_mesh(),
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs={"out": P(), "hidden": P(None, "model")},
    )
    return sharded(x, w1, b1, w2, b2)
