# verdict: AC
# A while_loop with a counter over the device's units.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)

    def more(state):
        j, _ = state
        return j < h.shape[1]

    def step(state):
        j, acc = state
        return j + 1, acc + jnp.outer(h[:, j], w2[j])

    _, partial = jax.lax.while_loop(more, step, (0, jnp.zeros_like(h[:, :1] * w2[:1])))
    return jax.lax.psum(partial, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
