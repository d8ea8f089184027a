# verdict: RV
# rule: no-callbacks
# NumPy's cosine.
import jax
import jax.numpy as jnp
import numpy as np


def learning_rate(step, base, warmup, total):
    angle = jnp.pi * (step - warmup) / (total - warmup)
    cosine = jax.pure_callback(lambda a: np.cos(a).astype(np.float32), jax.ShapeDtypeStruct((), jnp.float32), angle)  # <- here
    falling = base * 0.5 * (1 + cosine)
    return jnp.where(step < warmup, base * step / jnp.maximum(warmup, 1), jnp.where(step < total, falling, 0.0))
