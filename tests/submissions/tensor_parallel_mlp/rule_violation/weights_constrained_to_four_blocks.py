# verdict: RV
# rule: weights-stay-split
# An axis named model, but of another mesh: four blocks, and each on two devices.
import jax
import jax.numpy as jnp
from jax import lax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
INS = (P(), P(None, "model"), P("model"), P("model", None), P())
OUTS = (P(), P(None, "model"))

other = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 4), ("a", "model"))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    w1 = lax.with_sharding_constraint(w1, NamedSharding(other, P(None, "model")))
    w2 = lax.with_sharding_constraint(w2, NamedSharding(other, P("model")))

    def body(x, w1, b1, w2, b2):
        h = jax.nn.relu(x @ w1 + b1)
        return lax.psum(h @ w2, "model") + b2, h

    out, hidden = jax.shard_map(body, mesh=mesh, in_specs=INS, out_specs=OUTS)(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
