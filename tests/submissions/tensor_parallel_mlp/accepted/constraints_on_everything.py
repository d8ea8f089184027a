# verdict: AC
# Every array is constrained to the layout that it has anyway, several times over.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


from jax.sharding import NamedSharding


def put(a, *spec):
    sharding = NamedSharding(mesh, P(*spec))
    return jax.lax.with_sharding_constraint(jax.device_put(a, sharding), sharding)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    x, b2 = put(x), put(b2, None)
    w1, b1, w2 = put(w1, None, "model"), put(b1, "model"), put(w2, "model", None)

    def body(x, w1, b1, w2, b2):
        h = jax.nn.relu(x @ w1 + b1)
        return jax.lax.psum(h @ w2, "model") + b2, h

    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": put(out, None, None), "hidden": put(put(hidden, None, "model"), None, "model")}
