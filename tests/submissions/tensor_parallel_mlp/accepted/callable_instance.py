# verdict: AC
# The entry is an instance with __call__, which binds nothing but the mesh.
import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P


class TensorParallelMLP:
    axis_name = "model"

    @functools.cached_property
    def mesh(self):
        return jax.make_mesh((8,), (self.axis_name,), axis_types=(AxisType.Auto,))

    @staticmethod
    def activation(z):
        return jnp.where(jnp.signbit(z), 0.0, z)

    def __call__(self, x, w1, b1, w2, b2):
        def per_device(params, x, *, act):
            h = act(x @ params["up"]["kernel"] + params["up"]["bias"])
            y = jax.lax.psum(h @ params["down"]["kernel"], self.axis_name)
            return y, h

        params = {"up": {"kernel": w1, "bias": b1}, "down": {"kernel": w2}}
        specs = {"up": {"kernel": P(None, "model"), "bias": P("model")}, "down": {"kernel": P("model", None)}}
        y, h = jax.shard_map(
            functools.partial(per_device, act=self.activation),
            mesh=self.mesh,
            in_specs=(specs, P()),
            out_specs=(P(), P(None, "model")),
        )(params, x)
        return {"out": y + b2, "hidden": h}


tensor_parallel_mlp = TensorParallelMLP()
