# verdict: AC
# Indented with tabs.
import jax
import jax.numpy as jnp
from jax.sharding import Mesh, PartitionSpec as P
import numpy as np


def tensor_parallel_mlp(x, w1, b1, w2, b2):
	mesh = Mesh(np.array(jax.devices()), ("model",))

	def body(x, w1, b1, w2, b2):
		h = jnp.maximum(x @ w1 + b1, 0)
		partial = h @ w2
		total = jax.lax.psum(partial, "model")
		return total + b2, h

	out, hidden = jax.shard_map(
		body,
		mesh=mesh,
		in_specs=(P(None, None), P(None, "model"), P("model"), P("model", None), P(None)),
		out_specs=(P(None, None), P(None, "model")),
	)(x, w1, b1, w2, b2)
	return {"out": out, "hidden": hidden}
