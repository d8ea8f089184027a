# verdict: AC
# Named scopes and annotations for the profiler.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    with jax.named_scope("column_parallel"):
        h = jax.nn.relu(x @ w1 + b1)
    with jax.named_scope("row_parallel"), jax.profiler.TraceAnnotation("row"):
        partial = h @ w2
    reduce = lambda p: jax.lax.psum(p, "model")
    if hasattr(jax, "named_call"):
        reduce = jax.named_call(reduce, name="all_reduce")
    return reduce(partial) + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
