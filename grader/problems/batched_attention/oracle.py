"""The right numbers of batched_attention, how far float32 may miss them, and mistakes worth naming.

In: q, k, v (B, T, E) as float64 with any leading axes. Out: attended (B, T, E), likewise.

A logit z misses by roundings of the terms of its sum, and by those of the scaling. A softmax weight
exp(z_s − max) / Σ changes by a factor of exp of that miss, times exp of what the largest logit misses. So the
relative error of a weight is bounded by expm1 of the two, and the rest is a weighted sum of v.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake
from grader.rounding import FUNCTION, SMALLEST_NORMAL, UNIT_ROUNDOFF, dot_bound, gamma

LARGEST_EXPONENT = 60.0
"""Past this a logit's error leaves nothing to say of the weights but that they lie between 0 and 1."""


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right ``attended`` (B, T, E) with its float32 error bound."""
    q, k, v = (inputs[name] for name in ("q", "k", "v"))
    features, times = q.shape[-1], q.shape[-2]
    across = np.swapaxes(k, -1, -2)
    logits = q @ across / np.sqrt(features)
    weights = _softmax(logits)
    value = weights @ v

    # Scaling may come before the product or after it, by a quotient or a product with a rounded 1/sqrt(E).
    missed = dot_bound(np.abs(q), np.abs(across)) / np.sqrt(features) + gamma(4) * np.abs(q) @ np.abs(across) / np.sqrt(
        features
    )
    below = logits.max(axis=-1, keepdims=True) - logits
    # Only logits that still have some weight can be mistaken for the largest.
    exponent = missed + missed.max(axis=-1, keepdims=True) + UNIT_ROUNDOFF * (below + 1)
    relative = np.expm1(np.minimum(exponent + (FUNCTION + times + 2) * UNIT_ROUNDOFF, LARGEST_EXPONENT))
    # A weight is off by its own factor and by that of the sum; none is ever further off than 1.
    mean_error = (weights * relative).sum(axis=-1, keepdims=True)
    off = np.minimum(weights * (relative + mean_error) * (1 + mean_error), 1.0) + times * SMALLEST_NORMAL
    bound = off @ np.abs(v) + gamma(times + 3) * ((weights + off) @ np.abs(v)) + (times + 2) * SMALLEST_NORMAL
    return {"attended": Answer(value, bound)}


def _softmax(logits: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=axis, keepdims=True))
    shares: np.ndarray = powers / powers.sum(axis=axis, keepdims=True)
    return shares


def _logits(inputs: Arrays, scale: float) -> np.ndarray:
    found: np.ndarray = inputs["q"] @ np.swapaxes(inputs["k"], -1, -2) * scale
    return found


def _unscaled(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"attended": _softmax(_logits(inputs, 1.0)) @ inputs["v"]}


def _over_features(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"attended": _softmax(_logits(inputs, 1 / inputs["q"].shape[-1])) @ inputs["v"]}


def _over_queries(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"attended": _softmax(_logits(inputs, inputs["q"].shape[-1] ** -0.5), axis=-2) @ inputs["v"]}


def _causal(inputs: Arrays) -> dict[str, np.ndarray]:
    logits = _logits(inputs, inputs["q"].shape[-1] ** -0.5)
    later = np.triu(np.ones(logits.shape[-2:], bool), 1)
    return {"attended": _softmax(np.where(later, -np.inf, logits)) @ inputs["v"]}


MISTAKES = (
    Mistake("unscaled", "The logits are not divided by the square root of E.", _unscaled),
    Mistake("scaled-by-features", "The logits are divided by E; it should be the square root of E.", _over_features),
    Mistake(
        "softmax-over-queries",
        "The softmax runs over the queries (axis 1 of the logits); a query's weights over the keys must add up to 1.",
        _over_queries,
    ),
    Mistake("causal", "Later positions are masked out; here every query sees all positions.", _causal),
)
