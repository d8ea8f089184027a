# verdict: AC
# Semicolons, line continuations and one-letter names.
import jax, jax.numpy as jnp; from jax.sharding import *; P = PartitionSpec
m = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,)); M = "model"
def g(x, w, b, v): h = jnp.maximum(x @ w + b, 0); return jax.lax.psum(h @ v, M), h
def tensor_parallel_mlp(x, w1, b1, w2, b2):
    o, h = jax.shard_map(g, mesh=m, in_specs=(P(), P(None, M), P(M), P(M)), \
        out_specs=(P(), P(None, M)))(x, w1, b1, w2); return {"out": o + b2, "hidden": h}
