# verdict: RV
# rule: mesh
# also: weight-blocks, psum, hidden-split
# Everything is right but for the axis' name.
import jax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("tp",), axis_types=(AxisType.Auto,))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    def body(x, w1, b1, w2, b2):
        h = jax.nn.relu(x @ w1 + b1)
        return jax.lax.psum(h @ w2, "tp") + b2, h

    out, hidden = jax.shard_map(  # <- here
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "tp"), P("tp"), P("tp", None), P()),
        out_specs=(P(), P(None, "tp")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
