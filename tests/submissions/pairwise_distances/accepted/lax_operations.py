# verdict: AC
# Broadcast, subtract, square, reduce: spelt out in jax.lax.
from jax import lax


def pairwise_distances(x, y):
    shape = (x.shape[0], y.shape[0], x.shape[1])
    a = lax.broadcast_in_dim(x, shape, (0, 2))
    b = lax.broadcast_in_dim(y, shape, (1, 2))
    d = lax.sub(b, a)
    return lax.sqrt(lax.reduce_sum(lax.mul(d, d), (2,)))
