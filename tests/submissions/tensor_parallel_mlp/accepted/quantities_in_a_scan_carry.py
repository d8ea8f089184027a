# verdict: AC
# A scan over layers of different kinds by an index and a switch, unrolled by hand where shapes differ.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    def step(carry, _):
        i, z = carry
        z = jax.lax.switch(i, [lambda z: z + b1, jax.nn.relu], z)
        return (i + 1, z), None

    (_, h), _ = jax.lax.scan(step, (0, x @ w1), None, length=2)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
