# verdict: AC
# Steps that move and change nothing, everywhere: copy, stop_gradient, barrier, name, cast, transpose undone.
import jax
import jax.numpy as jnp
from jax.ad_checkpoint import checkpoint_name
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    w1 = jnp.array(w1)  # a copy
    b1 = jax.lax.stop_gradient(b1)
    w2 = w2.T.T
    x, w2 = jax.lax.optimization_barrier((x, w2))
    b2 = b2.astype(jnp.float32)

    def body(x, w1, b1, w2, b2):
        h = checkpoint_name(jax.nn.relu(x @ jnp.copy(w1) + b1), "h")
        y = jax.lax.psum(h @ jax.lax.stop_gradient(w2), "model")
        return jnp.array(y + b2), jax.lax.stop_gradient(h)

    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    hidden = jnp.swapaxes(jnp.swapaxes(hidden, 0, 1), 0, 1)
    return {"out": jax.lax.optimization_barrier(out), "hidden": jnp.array(hidden.astype("float32"))}
