# verdict: WA
# min of the two ratios: NaN where warmup and step are 0.
import jax
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    falling = 0.5 * (1 + jnp.cos(jnp.pi * jnp.clip((step - warmup) / (total - warmup), 0, 1)))
    return base * jnp.minimum(step / warmup, 1.0) * jnp.where(step < total, falling, 0.0)
