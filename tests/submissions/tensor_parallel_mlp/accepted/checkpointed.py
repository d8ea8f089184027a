# verdict: AC
# The body is rematerialised (jax.checkpoint), with a named activation and a policy.
import jax
from jax.ad_checkpoint import checkpoint_name
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def layer(x, w1, b1):
    return checkpoint_name(jax.nn.relu(x @ w1 + b1), "hidden")


@jax.checkpoint
def first_half(x, w1, b1):
    return layer(x, w1, b1)


def body(x, w1, b1, w2, b2):
    h = first_half(x, w1, b1)
    second = jax.checkpoint(
        lambda h, w: jax.lax.psum(h @ w, "model"), policy=jax.checkpoint_policies.dots_saveable
    )
    return second(h, w2) + b2, h


@jax.checkpoint
def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
