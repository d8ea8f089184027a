# verdict: WA
# The cosine runs from step 0.
import jax
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    falling = base * 0.5 * (1 + jnp.cos(jnp.pi * step / total))
    return jnp.where(step < warmup, base * step / jnp.maximum(warmup, 1), jnp.where(step < total, falling, 0.0))
