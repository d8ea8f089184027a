# verdict: AC
# The weights are constrained to their blocks before, hidden to the same layout afterwards.
import jax
from jax.lax import with_sharding_constraint as constrain
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def on(*spec):
    return NamedSharding(mesh, P(*spec))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    x = constrain(x, on())
    w1 = constrain(w1, on(None, "model"))
    b1 = constrain(b1, on("model"))
    w2 = jax.device_put(w2, on("model", None))

    def body(x, w1, b1, w2):
        h = jax.nn.relu(x @ w1 + b1)
        return jax.lax.psum(h @ w2, "model"), h

    y, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None)),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2)
    return {"out": constrain(y + b2, on()), "hidden": constrain(hidden, on(None, "model"))}
