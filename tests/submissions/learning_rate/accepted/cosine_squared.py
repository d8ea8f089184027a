# verdict: AC
# ½ (1 + cos a) is cos² (a/2).
import jax
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    half = 0.5 * jnp.pi * (step - warmup) / (total - warmup)
    return jnp.where(step < warmup, base * step / jnp.maximum(warmup, 1), jnp.where(step < total, base * jnp.cos(half) ** 2, 0.0))
