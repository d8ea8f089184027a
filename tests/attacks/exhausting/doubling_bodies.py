"""A chain of shared bodies, each calling the next twice: 2^60 equations, written in sixty.

verdicts: TLE RV WA RE
harm: seconds 7
options: --time-limit 6
"""

import jax


def double(function):
    return jax.jit(lambda x: function(function(x)))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    function = jax.jit(lambda x: x + 1)
    for _ in range(60):
        function = double(function)
    x = function(x)
    return {"out": x, "hidden": x}
