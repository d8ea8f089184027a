"""The right numbers of spectral_norm, how far float32 may miss them, and mistakes worth naming.

In: w (M, N) and u (M,) as float64 with any leading axes. Out: sigma (), u (M,), v (N,), likewise.

Every iteration adds a few roundings to u, and the iterations after it carry that on: what it does to the last u is, to
first order, the product of their Jacobians. An iteration is u -> A u / |A u| with A = w wᵀ, whose Jacobian is
P A / |A u|, P the projection away from the new u. Where the largest singular value stands out the product shrinks
quickly; where it does not, or where u starts with hardly anything of it, roundings decide what comes out. There, and
where a product cancels to nothing, only the length of u and v, and the largest possible sigma, are held against them.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake
from grader.rounding import SMALLEST_NORMAL, gamma

ITERATIONS = 50
SMALLEST = 1e-3
"""What is smaller, and not zero, is no input: squares of products must not underflow."""
LINEAR = 0.02
"""Errors of unit vectors up to this size follow the Jacobians; larger ones may do anything."""


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right ``sigma``, ``u`` and ``v``, each with its float32 error bound."""
    w = inputs["w"]
    start = inputs["u"]
    us, vs, lengths = _iterate(w, start, ITERATIONS)
    u, v = us[-1], vs[-1]
    sigma = (u * _times(w, v)).sum(axis=-1)

    u_error, v_error = _errors(w, us, vs, lengths)
    rows, columns = w.shape[-2:]
    frobenius = np.sqrt(np.square(w).sum(axis=(-2, -1)))
    wild = ~((u_error < LINEAR) & (v_error < LINEAR))
    # sigma hardly feels a turn of v: only what w makes of it along u counts, and the square.
    along = _times(np.swapaxes(w, -1, -2), u)
    across = along - (along * v).sum(axis=-1, keepdims=True) * v
    terms = (np.abs(u) * _times(np.abs(w), np.abs(v))).sum(axis=-1)
    felt = np.sqrt(np.square(across).sum(axis=-1)) * v_error + 4 * frobenius * (v_error + u_error) ** 2
    felt = felt + np.sqrt(np.square(_times(w, v) - sigma[..., None] * u).sum(axis=-1)) * u_error
    sigma_error = np.where(wild, 1.1 * frobenius, felt + gamma(rows + columns + 12) * terms) + SMALLEST_NORMAL
    return {
        "sigma": Answer(sigma, sigma_error),
        "u": Answer(u, _spread(np.where(wild, 2.1, u_error), u)),
        "v": Answer(v, _spread(np.where(wild, 2.1, v_error), v)),
    }


def _spread(error: np.ndarray, like: np.ndarray) -> np.ndarray:
    return np.broadcast_to(error[..., None], like.shape) + SMALLEST_NORMAL


def _times(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    product: np.ndarray = (matrix @ vector[..., None])[..., 0]
    return product


def _unit(vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The vector divided by its length (a zero vector stays), and the length."""
    length = np.sqrt(np.square(vector).sum(axis=-1))
    divisor = np.where(length > 0, length, 1.0)
    return vector / divisor[..., None], length


def _iterate(
    w: np.ndarray, u: np.ndarray, iterations: int
) -> tuple[list[np.ndarray], list[np.ndarray], list[tuple[np.ndarray, np.ndarray]]]:
    """All u (the first one given), all v, and the lengths before each was divided by it."""
    across = np.swapaxes(w, -1, -2)
    us, vs, lengths = [u], [], []
    for _ in range(iterations):
        v, first = _unit(_times(across, us[-1]))
        u, second = _unit(_times(w, v))
        us.append(u)
        vs.append(v)
        lengths.append((first, second))
    return us, vs, lengths


def _errors(
    w: np.ndarray, us: list[np.ndarray], vs: list[np.ndarray], lengths: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray]:
    """What the last u and v may be off by, as vectors: (...) each; huge where that cannot be told."""
    rows, columns = w.shape[-2:]
    across = np.swapaxes(w, -1, -2)
    frobenius = np.sqrt(np.square(w).sum(axis=(-2, -1)))
    fresh_v, fresh_u = [], []
    for k, (first, second) in enumerate(lengths):
        fresh_v.append(_fresh(across, us[k], first, rows, columns))
        own = _fresh(w, vs[k], second, columns, rows)
        fresh_u.append(own + _ratio(frobenius, second) * fresh_v[-1])
    # Backwards: what an error of u after step k has become at the end, and at the end but one (for v).
    last = len(lengths)
    total_u = _carried(w, us, lengths, fresh_u, last)
    before = _carried(w, us, lengths, fresh_u, last - 1)
    total_v = _ratio(frobenius, lengths[-1][0]) * before + fresh_v[-1]
    return 2 * total_u, 2 * total_v


def _carried(
    w: np.ndarray,
    us: list[np.ndarray],
    lengths: list[tuple[np.ndarray, np.ndarray]],
    fresh: list[np.ndarray],
    last: int,
) -> np.ndarray:
    size = w.shape[-2]
    product = np.broadcast_to(np.eye(size), (*w.shape[:-2], size, size))
    squared = w @ np.swapaxes(w, -1, -2)
    total = np.zeros(w.shape[:-2])
    for k in range(last - 1, -1, -1):
        u = us[k + 1]
        total = total + np.sqrt(np.square(product).sum(axis=(-2, -1))) * fresh[k]
        project = np.eye(size) - u[..., :, None] * u[..., None, :]
        scale = lengths[k][0] * lengths[k][1]
        jacobian = np.divide(
            project @ squared, scale[..., None, None], out=np.zeros_like(squared), where=scale[..., None, None] > 0
        )
        product = product @ jacobian
    return total


def _fresh(matrix: np.ndarray, vector: np.ndarray, length: np.ndarray, terms: int, entries: int) -> np.ndarray:
    """What one product and its division by the length may add, relative to the unit vector that they give."""
    size = np.sqrt(np.square(_times(np.abs(matrix), np.abs(vector))).sum(axis=-1))
    return gamma(terms + 2) * _ratio(size, length) + np.where(size > 0, gamma(entries + 6), 0.0)


def _ratio(size: np.ndarray, length: np.ndarray) -> np.ndarray:
    """size / length; 0 where there is nothing, huge where something cancels to nothing."""
    quotient = np.divide(size, length, out=np.full(size.shape, 1e9), where=length > 0)
    return np.where(size > 0, np.minimum(quotient, 1e9), 0.0)


def _power(inputs: Arrays, iterations: int) -> dict[str, np.ndarray]:
    us, vs, _ = _iterate(inputs["w"], inputs["u"], iterations)
    return {"sigma": (us[-1] * _times(inputs["w"], vs[-1])).sum(axis=-1), "u": us[-1], "v": vs[-1]}


def _once(inputs: Arrays) -> dict[str, np.ndarray]:
    return _power(inputs, 1)


def _squared(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"sigma": np.square(_power(inputs, ITERATIONS)["sigma"])}


def _frobenius(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"sigma": np.sqrt(np.square(inputs["w"]).sum(axis=(-2, -1)))}


MISTAKES = (
    Mistake("one-iteration", "This is what a single iteration gives; 50 are asked for.", _once),
    Mistake("sigma-squared", "sigma is the square of the largest singular value.", _squared),
    Mistake("frobenius", "sigma is the Frobenius norm: the root of the sum of all squares.", _frobenius),
)
