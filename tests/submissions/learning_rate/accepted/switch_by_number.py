# verdict: AC
# lax.switch by how many of the limits are passed.
import jax
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    s, w, t = (a.astype(jnp.float32) for a in (step, warmup, total))
    number = (step >= warmup).astype(jnp.int32) + (step >= total)
    return jax.lax.switch(number, [
        lambda: base * s / w,
        lambda: base * 0.5 * (1 + jnp.cos(jnp.pi * (s - w) / (t - w))),
        lambda: jnp.float32(0),
    ])
