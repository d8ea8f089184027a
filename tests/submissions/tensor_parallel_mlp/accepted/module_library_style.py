# verdict: AC
# A small module library in the file: pytree classes, filtered specs, a sequential container.
import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from jax.sharding import AxisType, PartitionSpec as P


class Module:
    """Subclasses list their array fields in `fields`; everything else is static."""

    fields = ()

    def __init_subclass__(cls):
        jtu.register_pytree_node(cls, cls._flatten, cls._unflatten)

    def _flatten(self):
        return tuple(getattr(self, f) for f in self.fields), None

    @classmethod
    def _unflatten(cls, _aux, children):
        self = object.__new__(cls)
        for field, child in zip(cls.fields, children):
            setattr(self, field, child)
        return self


class ColumnLinear(Module):
    fields = ("w", "b")

    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return jnp.dot(x, self.w) + self.b


class RowLinear(ColumnLinear):
    fields = ("w", "b")

    def __call__(self, x):
        return jax.lax.psum(jnp.dot(x, self.w), "model") + self.b


class Network(Module):
    fields = ("layers",)

    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        first, second = self.layers
        hidden = jax.nn.relu(first(x))
        return second(hidden), hidden


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    net = Network(ColumnLinear(w1, b1), RowLinear(w2, b2))
    specs = Network(ColumnLinear(P(None, "model"), P("model")), RowLinear(P("model", None), P()))
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
    call = jax.shard_map(lambda n, x: n(x), mesh=mesh, in_specs=(specs, P()), out_specs=(P(), P(None, "model")))
    out, hidden = call(net, x)
    return {"out": out, "hidden": hidden}
