# verdict: WA
# The warmup reaches base one step too early.
import jax
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    falling = base * 0.5 * (1 + jnp.cos(jnp.pi * (step - warmup) / (total - warmup)))
    return jnp.where(step < warmup, base * (step + 1) / jnp.maximum(warmup, 1), jnp.where(step < total, falling, 0.0))
