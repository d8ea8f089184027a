"""Imports the problem's declaration and its oracle from the judge's package.

verdicts: AC
harm: leak LEAKED
"""

import importlib

import jax
from jax.sharding import AxisType, PartitionSpec as P

for name in (
    "grader.problems.tensor_parallel_mlp",
    "grader.problems.tensor_parallel_mlp.oracle",
    "grader.problems",
    "grader.cases",
):
    try:
        print("LEAKED", vars(importlib.import_module(name)).keys())
    except ImportError:
        pass


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))

    def body(x, w1, b1, w2):
        hidden = jax.nn.relu(x @ w1 + b1)
        return hidden, jax.lax.psum(hidden @ w2, "model")

    hidden, out = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None)),
        out_specs=(P(None, "model"), P()),
    )(x, w1, b1, w2)
    return {"out": out + b2, "hidden": hidden}
