# verdict: RV
# rule: no-callbacks
# also: psum, hidden-split
# relu is computed by NumPy on the host.
import numpy as np
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def host_relu(z):
    return np.maximum(z, 0)


def body(x, w1, b1, w2, b2):
    z = x @ w1 + b1
    h = jax.pure_callback(host_relu, jax.ShapeDtypeStruct(z.shape, z.dtype), z)  # <- here
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
        check_vma=False,
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
