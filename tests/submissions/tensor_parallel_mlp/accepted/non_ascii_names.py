# verdict: AC
# Greek letters as names, accents and arrows in comments: Größe → Höhe, ∑ über alle Geräte.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def körper(x, w1, b1, w2, β):
    ζ = x @ w1 + b1
    η = jnp.maximum(ζ, 0.0)  # η = max(ζ, 0)
    Σ = jax.lax.psum(η @ w2, "model")
    return Σ + β, η


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        körper,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
