# verdict: RE or RV
# A psum in a cond on the device's number, with the check off: four devices wait for the others.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    y = jax.lax.cond(
        jax.lax.axis_index("model") < 4, lambda p: jax.lax.psum(p, "model"), lambda p: 2.0 * p, h @ w2
    )
    return y + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
        check_vma=False,
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
