# verdict: AC
# Written for any number of layers, used with two; reduce and operator instead of formulas.
import operator
from functools import reduce

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def compose(*functions):
    return reduce(lambda f, g: lambda a: g(f(a)), functions)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    def body(layers, x):
        activations = [x]
        for index, (w, b) in enumerate(layers):
            last = index == len(layers) - 1
            steps = [lambda a, w=w: operator.matmul(a, w)]
            if last:
                steps.append(lambda a: jax.lax.psum(a, "model"))
            steps.append(lambda a, b=b: operator.add(a, b))
            if not last:
                steps.append(lambda a: jnp.maximum(a, 0))
            activations.append(compose(*steps)(activations[-1]))
        _, hidden, out = activations
        return {"hidden": hidden, "out": out}

    layers = [(w1, b1), (w2, b2)]
    specs = [(P(None, "model"), P("model")), (P("model", None), P())]
    return jax.shard_map(
        body, mesh=mesh, in_specs=(specs, P()), out_specs={"hidden": P(None, "model"), "out": P()}
    )(layers, x)
