# verdict: WA
# After total the cosine goes on.
import jax
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    falling = base * 0.5 * (1 + jnp.cos(jnp.pi * (step - warmup) / (total - warmup)))
    return jnp.where(step < warmup, base * step / jnp.maximum(warmup, 1), falling)
