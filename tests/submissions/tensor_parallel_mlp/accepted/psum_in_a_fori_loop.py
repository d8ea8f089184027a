# verdict: AC
# A psum for each hidden unit inside a fori_loop, added onto b2.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    start = jnp.zeros((x.shape[0], b2.shape[0]), x.dtype)
    total = jax.lax.fori_loop(0, h.shape[1], lambda j, acc: acc + jax.lax.psum(jnp.outer(h[:, j], w2[j]), "model"), start)
    return total + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
