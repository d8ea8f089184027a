"""Changes JAX's global settings for whoever traces next: 64 bits, precision, matrix products in bfloat16, no jit.

verdicts: RE CE RV WA AC
"""

import jax
from jax.sharding import AxisType, PartitionSpec as P

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "bfloat16")
jax.config.update("jax_disable_jit", True)
jax.config.update("jax_numpy_dtype_promotion", "strict")


def right(x, w1, b1, w2, b2):
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))

    def body(x, w1, b1, w2):
        hidden = jax.nn.relu(x @ w1 + b1)
        return hidden, jax.lax.psum(hidden @ w2, "model")

    hidden, out = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None)),
        out_specs=(P(None, "model"), P()),
    )(x, w1, b1, w2)
    return {"out": out + b2, "hidden": hidden}


tensor_parallel_mlp = right
