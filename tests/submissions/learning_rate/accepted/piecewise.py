# verdict: AC
# jnp.select by conditions.
import jax
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    t = (step - warmup) / (total - warmup)
    parts = [base * (step / jnp.maximum(1, warmup)), base * (0.5 + 0.5 * jnp.cos(t * jnp.pi))]
    return jnp.select([step < warmup, step < total], parts, 0.0)
