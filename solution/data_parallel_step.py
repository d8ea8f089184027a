"""One step of gradient descent for linear regression, the batch split over eight devices (data parallelism).

Every device has its own rows and all parameters. The loss is averaged over the devices inside the function that is
differentiated: so its gradients are those of the mean over the whole batch, and the psums that add them up are put in
by differentiation itself.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P


@functools.cache
def data_mesh() -> jax.sharding.Mesh:
    """Eight devices in a row, along one axis named "data"; made on first use."""
    return jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def mean_loss(parameters: tuple[jax.Array, jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
    """The loss over the batches of all devices; x (B/8, D), y (B/8,) are this device's."""
    w, b = parameters
    return jax.lax.pmean(jnp.mean((x @ w + b - y) ** 2), "data")


def device_step(w: jax.Array, b: jax.Array, x: jax.Array, y: jax.Array, lr: jax.Array) -> dict[str, jax.Array]:
    """What each device does; the results are the same on all of them."""
    loss, (by_w, by_b) = jax.value_and_grad(mean_loss)((w, b), x, y)
    return {"w": w - lr * by_w, "b": b - lr * by_b, "loss": loss}


def data_parallel_step(w: jax.Array, b: jax.Array, x: jax.Array, y: jax.Array, lr: jax.Array) -> dict[str, jax.Array]:
    """w (D,), b (), x (B, D), y (B,), lr (), float32, B a multiple of 8. Returns the new w and b, and the loss."""
    split = jax.shard_map(device_step, mesh=data_mesh(), in_specs=(P(), P(), P("data"), P("data"), P()), out_specs=P())
    return split(w, b, x, y, lr)
