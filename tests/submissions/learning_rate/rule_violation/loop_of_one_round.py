# verdict: RV
# rule: no-loop
# A while_loop for an if.
import jax
import jax.numpy as jnp


def learning_rate(step, base, warmup, total):
    falling = base * 0.5 * (1 + jnp.cos(jnp.pi * (step - warmup) / (total - warmup)))
    rate = jnp.where(step < total, falling, 0.0)
    def rise(state):
        return False, base * step / warmup
    return jax.lax.while_loop(lambda state: state[0], rise, (step < warmup, rate))[1]  # <- here
