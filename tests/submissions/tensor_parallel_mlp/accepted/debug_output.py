# verdict: AC
# debug.print with device numbers, debug.callback to a logger, print while tracing.
import logging

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
log = logging.getLogger("mlp")


def body(x, w1, b1, w2, b2):
    print("block of w1:", w1.shape)
    me = jax.lax.axis_index("model")
    h = jax.nn.relu(x @ w1 + b1)
    jax.debug.print("device {me}: largest activation {m:.3f}", me=me, m=jnp.max(h))
    jax.debug.callback(lambda n: log.debug("device %s", n), me)
    out = jax.lax.psum(h @ w2, "model") + b2
    jax.debug.print("out = {}", out, ordered=False)
    return out, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
