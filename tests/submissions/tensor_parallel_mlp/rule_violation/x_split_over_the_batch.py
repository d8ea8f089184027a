# verdict: RV
# rule: weight-blocks
# also: hidden-split
# x is padded to eight rows and dealt out one a device, then gathered.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2):
    x = jax.lax.all_gather(x, "model", axis=0, tiled=True)
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model"), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    rows = x.shape[0]
    out, hidden = jax.shard_map(
        lambda x, *weights: tuple(a[:rows] for a in body(x, *weights)),
        mesh=mesh,
        in_specs=(P("model", None), P(None, "model"), P("model"), P("model", None)),
        out_specs=(P(), P(None, "model")),
    )(jnp.pad(x, ((0, 8 - rows), (0, 0))), w1, b1, w2)
    return {"out": out + b2, "hidden": hidden}
