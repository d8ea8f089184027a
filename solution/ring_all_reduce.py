"""An all-reduce around a ring of eight devices: reduce-scatter, then all-gather, a chunk a step.

In reduce-scatter a device passes on a partial sum and adds its own chunk to the one that it gets; after seven steps
the sum that it holds is complete. In all-gather it passes complete sums on and keeps a copy of each.
"""

from __future__ import annotations

import functools

import jax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

DEVICES = 8
NEIGHBOURS = [(device, (device + 1) % DEVICES) for device in range(DEVICES)]


@functools.cache
def ring_mesh() -> jax.sharding.Mesh:
    """Eight devices in a row, along one axis named "ring"; made on first use."""
    return jax.make_mesh((DEVICES,), ("ring",), axis_types=(AxisType.Auto,))


def device_row(row: jax.Array) -> jax.Array:
    """What each device does: its own row (1, N) in, the total (1, N) out."""
    chunks = row.reshape(DEVICES, -1)
    device = jax.lax.axis_index("ring")

    def passed_on(chunk: jax.Array) -> jax.Array:
        return jax.lax.ppermute(chunk, "ring", NEIGHBOURS)

    partial = chunks[device]
    for step in range(1, DEVICES):
        partial = passed_on(partial) + chunks[(device - step) % DEVICES]
    total = chunks.at[(device + 1) % DEVICES].set(partial)
    for step in range(DEVICES - 1):
        partial = passed_on(partial)
        total = total.at[(device - step) % DEVICES].set(partial)
    return total.reshape(row.shape)


def ring_all_reduce(x: jax.Array) -> jax.Array:
    """x (8, N), float32, N a multiple of 8. Returns (8, N), every row the sum of x's rows."""
    split = jax.shard_map(device_row, mesh=ring_mesh(), in_specs=P("ring", None), out_specs=P("ring", None))
    return split(x)
