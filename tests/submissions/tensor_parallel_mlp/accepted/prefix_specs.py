# verdict: AC
# A pytree of parameters with one spec standing for several leaves.
import jax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(whole, rows, columns):
    # rows: everything split over its first dimension; whole: x and b2, under a single P().
    h = jax.nn.relu(whole["x"] @ columns[0] + rows["b1"])
    return jax.lax.psum(h @ rows["w2"], "model") + whole["b2"], [h]


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, (hidden,) = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P("model"), P(None, "model")),
        out_specs=(P(), P(None, "model")),
    )({"x": x, "b2": b2}, {"b1": b1, "w2": w2}, [w1])
    return {"out": out, "hidden": hidden}
