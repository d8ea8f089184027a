# verdict: RV
# rule: no-loop
# Row after row written into an array.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    def row(i, out):
        return out.at[i].set(jnp.sqrt(((x[i] - y) ** 2).sum(-1)))
    return jax.lax.fori_loop(0, x.shape[0], row, jnp.zeros((x.shape[0], y.shape[0])))  # <- here
