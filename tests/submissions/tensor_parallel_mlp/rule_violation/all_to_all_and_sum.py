# verdict: RV
# rule: psum
# Partial products, padded to eight columns, are exchanged by all_to_all, added, and gathered.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    partial = jnp.pad(h @ w2, ((0, 0), (0, 8 - w2.shape[1])))
    columns = jax.lax.all_to_all(partial[None], "model", split_axis=2, concat_axis=0, tiled=True)
    total = jax.lax.all_gather(columns.sum(axis=0), "model", axis=1, tiled=True)
    return total[:, : w2.shape[1]] + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
        check_vma=False,
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
