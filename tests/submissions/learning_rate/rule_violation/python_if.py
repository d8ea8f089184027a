# verdict: RV
# rule: stays-traced
# if on a traced number.
import jax
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    if step < warmup:  # <- here
        return base * step / warmup
    if step >= total:
        return jnp.float32(0)
    return base * 0.5 * (1 + jnp.cos(jnp.pi * (step - warmup) / (total - warmup)))
