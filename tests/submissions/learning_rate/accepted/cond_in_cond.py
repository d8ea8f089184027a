# verdict: AC
# Nested lax.cond.
import jax
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    def falling():
        return base * (1 + jnp.cos(jnp.pi * (step - warmup) / (total - warmup))) / 2
    def after():
        return jax.lax.cond(step < total, falling, lambda: 0.0)
    return jax.lax.cond(step < warmup, lambda: base * step / warmup, after)
