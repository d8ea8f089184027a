# verdict: AC
# Explicit axes (make_mesh's default): the inputs are first resharded to what the specs say.
import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Explicit,))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    specs = (P(None, None), P(None, "model"), P("model"), P("model", None), P(None))
    arrays = [
        jax.sharding.reshard(a, NamedSharding(mesh, s)) for a, s in zip((x, w1, b1, w2, b2), specs)
    ]

    def body(x, w1, b1, w2, b2):
        h = jax.nn.relu(x @ w1 + b1)
        return jax.lax.psum(h @ w2, "model") + b2, h

    out, hidden = jax.shard_map(
        body, mesh=mesh, in_specs=specs, out_specs=(P(None, None), P(None, "model"))
    )(*arrays)
    return {"out": out, "hidden": hidden}
