# verdict: AC
# x and b2 reach the body by closure; only the three weights go through the specs.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    @jax.shard_map(
        mesh=mesh,
        in_specs=(P(None, "model"), P("model"), P("model", None)),
        out_specs=(P(), P(None, "model")),
    )
    def block(w1_cols, b1_cols, w2_rows):
        pre = jnp.einsum("bd,dh->bh", x, w1_cols) + b1_cols
        h = jnp.where(pre > 0, pre, 0.0)
        return jax.lax.psum(jnp.einsum("bh,ho->bo", h, w2_rows), "model") + b2, h

    out, hidden = block(w1, b1, w2)
    return {"hidden": hidden, "out": out}
