# verdict: AC
# No choice by where for the cosine: its argument is clipped to 0 and 1, but for the end.
import jax
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    up = jnp.clip(step / jnp.maximum(warmup, 1), 0, 1)
    up = jnp.where(warmup == 0, 1.0, up)
    along = jnp.clip((step - warmup) / (total - warmup), 0, 1)
    down = jnp.where(step >= total, 0.0, 0.5 * (1 + jnp.cos(jnp.pi * along)))
    return base * up * down
