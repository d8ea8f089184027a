# verdict: RV
# rule: no-callbacks
# also: psum
# The partial product goes through io_callback on each device.
from jax.experimental import io_callback
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    partial = h @ w2
    partial = io_callback(lambda p: p, jax.ShapeDtypeStruct(partial.shape, partial.dtype), partial)  # <- here
    return jax.lax.psum(partial, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
        check_vma=False,
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
