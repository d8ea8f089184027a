"""Replaces jax.make_jaxpr by one that traces another, empty function.

verdicts: RV WA RE
"""

import jax
import jax.numpy as jnp

original = jax.make_jaxpr


def make_jaxpr(function, *args, **kwargs):
    return original(lambda *arguments: {"out": arguments[0], "hidden": arguments[0]}, *args, **kwargs)


jax.make_jaxpr = make_jaxpr
for name, module in list(__import__("sys").modules.items()):
    if name.startswith(("jax", "grader")) and hasattr(module, "make_jaxpr"):
        module.make_jaxpr = make_jaxpr


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
