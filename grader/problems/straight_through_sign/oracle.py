"""The right numbers of straight_through_sign, and mistakes worth naming.

In: x (N,) and weights (N,) as float64 with any leading axes. Out: sign (N,) and gradient (N,), likewise. Both are
exact: nothing is added up, and a product with 0 or 1 loses nothing.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake
from grader.rounding import UNIT_ROUNDOFF


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right ``sign`` and ``gradient``, each with its float32 error bound."""
    x, weights = inputs["x"], inputs["weights"]
    sign = np.where(x >= 0, 1.0, -1.0)
    gradient = np.where(np.abs(x) <= 1, weights, 0.0)
    return {"sign": Answer(sign, np.zeros_like(sign)), "gradient": Answer(gradient, UNIT_ROUNDOFF * np.abs(gradient))}


def _zero_gradient(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"gradient": np.zeros_like(inputs["x"])}


def _identity(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"gradient": inputs["weights"]}


def _sign_of_zero(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"sign": np.sign(inputs["x"])}


def _open_interval(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"gradient": np.where(np.abs(inputs["x"]) < 1, inputs["weights"], 0.0)}


def _unweighted(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"gradient": np.where(np.abs(inputs["x"]) <= 1, 1.0, 0.0)}


MISTAKES = (
    Mistake(
        "zero-gradient", "The gradient is zero, as a true sign's is: pass it through where |x| ≤ 1.", _zero_gradient
    ),
    Mistake("identity-everywhere", "The gradient passes everywhere; it should be 0 where |x| > 1.", _identity),
    Mistake("sign-of-zero", "The sign of 0 is given as 0; here it is 1.", _sign_of_zero),
    Mistake("open-interval", "The gradient is 0 at |x| = 1; it should still pass there.", _open_interval),
    Mistake("unweighted", "The gradient is 1 where it should be what comes in from behind.", _unweighted),
)
