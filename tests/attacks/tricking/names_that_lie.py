"""Gives its functions, axes and file the names and line numbers of the reference's.

verdicts: RV RE CE
"""

import sys

import jax
from jax.sharding import AxisType, PartitionSpec as P


def dense(x, w1, b1, w2, b2):
    hidden = jax.nn.relu(x @ w1 + b1)
    return {"out": hidden @ w2 + b2, "hidden": hidden}


code = compile("def body(x):\n    return x\n", "solution/tensor_parallel_mlp.py", "exec")
exec(code.replace(co_firstlineno=2**31 - 1, co_name="\x1b[2J"), globals())
dense.__code__ = dense.__code__.replace(
    co_filename="/etc/passwd\n\x1b[2J", co_firstlineno=2**31 - 100, co_name="AC\n\x1b"
)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return jax.jit(dense)(body(x), w1, b1, w2, b2)
