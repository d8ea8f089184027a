# verdict: AC
# A logging decorator of the learner's own around the entry, with functools.wraps.
import functools
import logging
import time

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

log = logging.getLogger(__name__)
mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        try:
            return fn(*args, **kwargs)
        finally:
            log.info("traced %s in %.3f s", fn.__name__, time.perf_counter() - start)

    return wrapper


@timed
@jax.jit
def tensor_parallel_mlp(x, w1, b1, w2, b2):
    """Megatron-style MLP: column-parallel, then row-parallel."""
    if w1.shape[1] % 8:
        raise ValueError(f"{w1.shape[1]} hidden units do not divide by 8")
    print("tracing for", x.shape, w1.shape, w2.shape)

    def device_fn(x, w1, b1, w2, b2):
        hidden = jax.nn.relu(jnp.matmul(x, w1) + b1)
        return jax.lax.psum(jnp.matmul(hidden, w2), "model") + b2, hidden

    out, hidden = jax.shard_map(
        device_fn,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
