# verdict: AC
# 0/0 in the part that is not taken.
import jax
import jax.numpy as jnp


@jax.jit
def learning_rate(step, base, warmup, total):
    rising = base * (step / warmup)
    falling = 0.5 * base * (1.0 + jnp.cos(jnp.pi * ((step - warmup) / (total - warmup))))
    return jnp.where(step >= total, 0, jnp.where(step < warmup, rising, falling))
