# verdict: AC
# A batch dimension in both products: each example is its own one-row matrix.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    batch = x.shape[0]
    each_w1 = jnp.broadcast_to(w1, (batch, *w1.shape))
    h = jax.nn.relu(jax.lax.batch_matmul(x[:, None, :], each_w1)[:, 0] + b1)
    y = jnp.einsum("bij,bjo->bio", h[:, None], jnp.tile(w2[None], (batch, 1, 1)))[:, 0]
    return jax.lax.psum(y, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
