# verdict: RV
# rule: mesh
# also: weight-blocks, weights-stay-split, psum, out-replicated, hidden-split, b2-once
# jax.pmap over stacked blocks instead of jax.shard_map.
import jax
import jax.numpy as jnp


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    d, h = w1.shape

    def body(w1, b1, w2):
        hidden = jax.nn.relu(x @ w1 + b1)
        return jax.lax.psum(hidden @ w2, "model"), hidden

    blocks = w1.reshape(d, 8, h // 8).transpose(1, 0, 2), b1.reshape(8, h // 8), w2.reshape(8, h // 8, -1)
    out, hidden = jax.pmap(body, axis_name="model", out_axes=(None, 0))(*blocks)
    return {"out": out + b2, "hidden": jnp.moveaxis(hidden, 0, 1).reshape(x.shape[0], h)}
