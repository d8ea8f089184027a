# verdict: AC
# Everything in one lambda.
import jax
from jax.sharding import AxisType, PartitionSpec as P

tensor_parallel_mlp = lambda x, w1, b1, w2, b2: jax.shard_map(
    lambda x, w1, b1, w2, b2: (lambda h: {"out": jax.lax.psum(h @ w2, "model") + b2, "hidden": h})(
        jax.nn.relu(x @ w1 + b1)
    ),
    mesh=jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,)),
    in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
    out_specs={"out": P(), "hidden": P(None, "model")},
)(x, w1, b1, w2, b2)
