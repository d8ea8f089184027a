# verdict: RV
# rule: mesh
# also: weight-blocks, psum, hidden-split
# Hidden units over both axes of a 4 by 2 mesh: the blocks are right, the mesh is not.
import jax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("model", "more"), axis_types=(AxisType.Auto, AxisType.Auto))
BOTH = ("model", "more")


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, BOTH) + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(  # <- here
        body,
        mesh=mesh,
        in_specs=(P(), P(None, BOTH), P(BOTH), P(BOTH, None), P()),
        out_specs=(P(), P(None, BOTH)),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
