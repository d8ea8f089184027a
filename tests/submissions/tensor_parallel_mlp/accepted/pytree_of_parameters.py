# verdict: AC
# The parameters are packed into a NamedTuple; the specs are a pytree of the same form.
from typing import NamedTuple

import jax
from jax.sharding import AxisType, PartitionSpec as P


class Params(NamedTuple):
    w1: jax.Array
    b1: jax.Array
    w2: jax.Array
    b2: jax.Array


SPECS = Params(w1=P(None, "model"), b1=P("model"), w2=P("model", None), b2=P())


def forward(params: Params, x: jax.Array) -> dict[str, jax.Array]:
    h = jax.nn.relu(x @ params.w1 + params.b1)
    return {"hidden": h, "out": jax.lax.psum(h @ params.w2, "model") + params.b2}


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
    mapped = jax.shard_map(
        forward,
        mesh=mesh,
        in_specs=(SPECS, P()),
        out_specs={"hidden": P(None, "model"), "out": P()},
    )
    return mapped(Params(w1, b1, w2, b2), x)
