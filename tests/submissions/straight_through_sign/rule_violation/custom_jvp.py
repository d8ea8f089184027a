# verdict: RV
# rule: custom-vjp
# A rule for forward mode, which reverse mode transposes.
import jax
import jax.numpy as jnp


@jax.custom_jvp
def straight_through_sign(x):
    return jnp.where(x >= 0, 1.0, -1.0)


@straight_through_sign.defjvp
def rule(primals, tangents):
    (x,), (t,) = primals, tangents
    return straight_through_sign(x), jnp.where(jnp.abs(x) <= 1, t, 0.0)
