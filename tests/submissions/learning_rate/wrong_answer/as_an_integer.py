# verdict: WA
# The rate is rounded to int32.
import jax
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    return jnp.where(step < warmup, step, warmup)
