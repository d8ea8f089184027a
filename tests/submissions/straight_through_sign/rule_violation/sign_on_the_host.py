# verdict: RV
# rule: no-callbacks
# NumPy takes the signs.
import jax
import jax.numpy as jnp
import numpy as np


@jax.custom_vjp
def straight_through_sign(x):
    return jax.pure_callback(lambda a: np.where(a >= 0, 1, -1).astype(np.float32), jax.ShapeDtypeStruct(x.shape, x.dtype), x)  # <- here


straight_through_sign.defvjp(lambda x: (straight_through_sign(x), x), lambda x, g: (jnp.where(jnp.abs(x) <= 1, g, 0.0),))
