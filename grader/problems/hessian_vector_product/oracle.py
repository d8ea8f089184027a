"""The right numbers of hessian_vector_product, how far float32 may miss them, and mistakes worth naming.

In: w (D,), v (D,), x (N, D), y (N,) as float64 with any leading axes. Out: product (D,), likewise.

With margins m = y·(x·w) and s = σ(m) σ(−m), H v = mean of s (x·v) x, since y² = 1. What differentiation makes of the
loss takes σ from 1 at large negative margins, and margins from sums of their size: s misses by roundings of 1 + |m|,
and by what the margin itself misses, for σ σ' changes by at most its own size with each unit of m.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake
from grader.rounding import FUNCTION, SMALLEST_NORMAL, UNIT_ROUNDOFF, dot_bound, gamma


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right ``product`` (D,) with its float32 error bound."""
    w, v, x = (inputs[name] for name in ("w", "v", "x"))
    count = x.shape[-2]
    margin = _times(x, w)
    slope = _slope(margin)
    along = _times(x, v)
    value = (slope * along)[..., None, :] @ x / count

    margin_error = dot_bound(x, w[..., None])[..., 0]
    # s changes by a factor of at most exp(error) either way, and never lies outside 0 to 1/4.
    moved = np.minimum(slope * np.expm1(np.minimum(margin_error, 60.0)), 0.25)
    slope_error = np.minimum(moved + 2 * FUNCTION * UNIT_ROUNDOFF * (1 + np.abs(margin)), 0.5)
    along_error = dot_bound(x, v[..., None])[..., 0]
    size = (slope + slope_error) * (np.abs(along) + along_error)
    each = slope_error * np.abs(along) + (slope + slope_error) * along_error
    total = (each + gamma(count + 8) * size)[..., None, :] @ np.abs(x) / count
    bound = total + (count + 1) * SMALLEST_NORMAL * (1 + np.abs(x).max(axis=-2, keepdims=True))
    return {"product": Answer(value[..., 0, :], bound[..., 0, :])}


def _times(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    product: np.ndarray = (matrix @ vector[..., None])[..., 0]
    return product


def _slope(margin: np.ndarray) -> np.ndarray:
    """σ(m) σ(−m), without overflow."""
    small = np.exp(-np.abs(margin))
    slope: np.ndarray = small / (1 + small) ** 2
    return slope


def _summed(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"product": oracle(inputs)["product"].value * inputs["x"].shape[-2]}


def _gradient(inputs: Arrays) -> dict[str, np.ndarray]:
    x, y = inputs["x"], inputs["y"]
    margin = y * _times(x, inputs["w"])
    with np.errstate(over="ignore"):
        pull = -y / (1 + np.exp(margin))
    return {"product": (pull[..., None, :] @ x)[..., 0, :] / x.shape[-2]}


def _gauss_newton(inputs: Arrays) -> dict[str, np.ndarray]:
    x = inputs["x"]
    return {"product": (_times(x, inputs["v"])[..., None, :] @ x)[..., 0, :] / x.shape[-2]}


MISTAKES = (
    Mistake("summed", "The losses are added up; the loss is their mean.", _summed),
    Mistake("gradient", "This is the gradient of the loss, not the Hessian times v.", _gradient),
    Mistake("unweighted", "Each example counts in full: its share σ(m) σ(−m) is missing.", _gauss_newton),
)
