# verdict: AC
# b2 never enters the body: it is added to the replicated result, outside.
import jax
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((jax.device_count(),), ("model",), axis_types=(AxisType.Auto,))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    def local(x, w1, b1, w2):
        hidden = lax.max(x @ w1 + b1[None, :], 0.0)
        return {"y": lax.psum(hidden @ w2, "model"), "hidden": hidden}

    result = jax.shard_map(
        local,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None)),
        out_specs={"y": P(), "hidden": P(None, "model")},
    )(x, w1, b1, w2)
    return {"out": result["y"] + b2, "hidden": result["hidden"]}
