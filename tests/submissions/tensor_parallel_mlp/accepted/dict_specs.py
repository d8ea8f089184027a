# verdict: AC
# One dict goes into the body, one comes out; the specs are dicts too, in another order.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
in_specs = {"b1": P("model"), "w1": P(None, "model"), "w2": P("model", None), "x": P(), "b2": P()}


def body(p):
    h = jnp.select([p["x"] @ p["w1"] + p["b1"] > 0.0], [p["x"] @ p["w1"] + p["b1"]], 0.0)
    return {"hidden": h, "out": jnp.add(jax.lax.psum(jnp.matmul(h, p["w2"]), "model"), p["b2"])}


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    fn = jax.shard_map(
        body, mesh=mesh, in_specs=(in_specs,), out_specs={"out": P(), "hidden": P(None, "model")}
    )
    return fn(dict(x=x, w1=w1, b1=b1, w2=w2, b2=b2))
