# verdict: RV
# rule: differences
# |x|² − 2 x·y + |y|²: right on paper.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    squares = (x ** 2).sum(-1)[:, None] - 2 * x @ y.T + (y ** 2).sum(-1)
    return jnp.sqrt(jnp.maximum(squares, 0))
