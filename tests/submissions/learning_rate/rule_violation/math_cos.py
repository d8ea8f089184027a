# verdict: RV
# rule: stays-traced
# math.cos wants a float.
import math
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    along = (step - warmup) / (total - warmup)
    falling = base * 0.5 * (1 + math.cos(math.pi * along))  # <- here
    return jnp.where(step < warmup, base * step / warmup, jnp.where(step < total, falling, 0.0))
