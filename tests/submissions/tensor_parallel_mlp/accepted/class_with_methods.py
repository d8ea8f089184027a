# verdict: AC
# A class owns the mesh and the specs; the entry function is one of its instances' methods.
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec


class ColumnRowParallel:
    def __init__(self, axis="model"):
        self.axis = axis
        self.mesh = Mesh(np.asarray(jax.devices()[:8]).reshape(8), (axis,))

    def spec(self, *names):
        return PartitionSpec(*names)

    def column(self, x, w, b):
        return jnp.maximum(jnp.matmul(x, w) + b, jnp.float32(0))

    def row(self, h, w):
        return jax.lax.psum(jnp.matmul(h, w), self.axis)

    def local(self, x, w1, b1, w2, b2):
        h = self.column(x, w1, b1)
        return self.row(h, w2) + b2, h

    def apply(self, x, w1, b1, w2, b2):
        s, axis = self.spec, self.axis
        out, hidden = jax.shard_map(
            self.local,
            mesh=self.mesh,
            in_specs=(s(), s(None, axis), s(axis), s(axis, None), s()),
            out_specs=(s(), s(None, axis)),
        )(x, w1, b1, w2, b2)
        return {"out": out, "hidden": hidden}


tensor_parallel_mlp = ColumnRowParallel().apply
