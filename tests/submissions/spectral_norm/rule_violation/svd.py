# verdict: RV
# rule: no-factorisation
# also: loop
# The true singular vectors, with the sign that u has.
import jax
import jax.numpy as jnp


def spectral_norm(w, u):
    left, s, right = jnp.linalg.svd(w, full_matrices=False)  # <- here
    sign = jnp.sign(u @ left[:, 0]) * (s[0] > 0)
    return {"sigma": s[0], "u": sign * left[:, 0], "v": sign * right[0]}
