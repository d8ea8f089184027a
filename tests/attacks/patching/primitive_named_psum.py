"""Registers a primitive of its own under the name psum: to the eye the program reduces, in truth it does nothing.

The judge runs the program that it was shown, so such a psum is a psum: accepted is right, as long as what is judged is
what is run.

verdicts: RV WA RE AC
"""

import jax
from jax.extend.core import Primitive
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

psum = Primitive("psum")
psum.def_impl(lambda x, **_: x)
psum.def_abstract_eval(lambda x, **_: x)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))

    def body(x, w1, b1, w2):
        hidden = jax.nn.relu(x @ w1 + b1)
        return hidden, psum.bind(hidden @ w2, axes=("model",), axis_index_groups=None)

    hidden, out = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None)),
        out_specs=(P(None, "model"), P()),
        check_vma=False,
    )(x, w1, b1, w2)
    return {"out": out + b2, "hidden": hidden}
