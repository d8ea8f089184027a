# verdict: AC
# make_mesh with an explicit list of devices, made anew at every call.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec

AXIS = "model"
N_DEVICES = 8


def make():
    return jax.make_mesh((N_DEVICES,), (AXIS,), devices=jax.devices()[:N_DEVICES], axis_types=(AxisType.Auto,))


REPLICATED = PartitionSpec()
COLUMNS = PartitionSpec(None, (AXIS,))
ROWS = PartitionSpec((AXIS,))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    def kernel(x_full, w1_cols, b1_part, w2_rows, b2_full):
        assert w1_cols.shape[1] * N_DEVICES == w1.shape[1]
        hid = jnp.maximum(x_full @ w1_cols + b1_part, 0)
        return jax.lax.psum(hid @ w2_rows, AXIS) + b2_full, hid

    out, hid = jax.shard_map(
        kernel,
        mesh=make(),
        in_specs=(REPLICATED, COLUMNS, ROWS, ROWS, REPLICATED),
        out_specs=(REPLICATED, COLUMNS),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hid}
