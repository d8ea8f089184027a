"""The right numbers of pairwise_distances, how far float32 may miss them, and mistakes worth naming.

In: x (N, D) and y (M, D) as float64 with any leading axes. Out: distances (N, M) with the same leading axes.

A difference of two float32 numbers misses by one rounding, so the distance misses by a few roundings of itself:
no term is larger than the result, whatever the size of the points. What is formed from squares and inner products
misses by roundings of the squares of the points instead.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake
from grader.rounding import SMALLEST_NORMAL, gamma

ROOT_OF_SMALLEST = 2.0**-62
"""Squares below the smallest normal number are flushed to zero: of differences up to this, nothing may be left."""


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right distances (N, M), each with its float32 error bound."""
    value = np.sqrt(np.square(_differences(inputs)).sum(axis=-1))
    features = inputs["x"].shape[-1]
    bound = gamma(features + 8) * value + features * ROOT_OF_SMALLEST + SMALLEST_NORMAL
    return {"distances": Answer(value, bound)}


def _differences(inputs: Arrays) -> np.ndarray:
    found: np.ndarray = inputs["x"][..., :, None, :] - inputs["y"][..., None, :, :]
    return found


def _squared(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"distances": np.square(_differences(inputs)).sum(axis=-1)}


def _manhattan(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"distances": np.abs(_differences(inputs)).sum(axis=-1)}


def _mean(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"distances": np.sqrt(np.square(_differences(inputs)).mean(axis=-1))}


def _transposed(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"distances": np.swapaxes(oracle(inputs)["distances"].value, -1, -2)}


MISTAKES = (
    Mistake("squared", "These are the squared distances: the square root is missing.", _squared),
    Mistake("manhattan", "These are sums of absolute differences; the Euclidean distance is asked for.", _manhattan),
    Mistake("mean", "The squared differences are averaged over the features; they are to be added up.", _mean),
    Mistake("transposed", "distances is transposed: row i belongs to x[i].", _transposed),
)
