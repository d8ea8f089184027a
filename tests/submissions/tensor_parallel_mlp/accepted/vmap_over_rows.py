# verdict: AC
# The body is written for one example and mapped over the batch; the psum is inside the vmap.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def one_example(row, w1, b1, w2, b2):
    h = jax.nn.relu(row @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def body(x, w1, b1, w2, b2):
    return jax.vmap(one_example, in_axes=(0, None, None, None, None))(x, w1, b1, w2, b2)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    specs = (P(), P(None, "model"), P("model"), P("model"), P())
    out, hidden = jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=(P(), P(None, "model")))(
        x, w1, b1, w2, b2
    )
    return {"out": out, "hidden": hidden}
