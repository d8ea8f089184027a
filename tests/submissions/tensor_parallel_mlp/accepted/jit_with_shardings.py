# verdict: AC
# An inner jit with in_shardings and out_shardings that repeat the layout.
import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
SPECS = (P(), P(None, "model"), P("model"), P("model", None), P())


def named(spec):
    return NamedSharding(mesh, spec)


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    return {"out": jax.lax.psum(h @ w2, "model") + b2, "hidden": h}


OUT = {"out": P(), "hidden": P(None, "model")}
tensor_parallel_mlp = jax.jit(
    jax.shard_map(body, mesh=mesh, in_specs=SPECS, out_specs=OUT),
    in_shardings=tuple(map(named, SPECS)),
    out_shardings={name: named(spec) for name, spec in OUT.items()},
)
