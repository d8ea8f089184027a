"""The right numbers of ring_all_reduce, how far float32 may miss them, and mistakes worth naming.

In: x (8, N) as float64 with any leading axes. Out: total (8, N), likewise: every row the sum of all.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake
from grader.rounding import sum_bound

DEVICES = 8


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right ``total`` (8, N) with its float32 error bound."""
    x = inputs["x"]
    return {"total": Answer(_everywhere(x.sum(axis=-2), x), _everywhere(sum_bound(x, -2), x))}


def _everywhere(row: np.ndarray, like: np.ndarray) -> np.ndarray:
    return np.broadcast_to(row[..., None, :], like.shape).copy()


def _chunk_of(x: np.ndarray) -> np.ndarray:
    """For each column the chunk that it is in."""
    chunks: np.ndarray = np.arange(x.shape[-1]) // (x.shape[-1] // DEVICES)
    return chunks


def _scattered_only(inputs: Arrays) -> dict[str, np.ndarray]:
    """Device d has the total of chunk d, and zeros elsewhere."""
    x = inputs["x"]
    own = _chunk_of(x)[None, :] == np.arange(DEVICES)[:, None]
    return {"total": np.where(own, _everywhere(x.sum(axis=-2), x), 0.0)}


def _untouched(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"total": inputs["x"]}


def _mean(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"total": oracle(inputs)["total"].value / DEVICES}


def _twice(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"total": oracle(inputs)["total"].value * 2}


MISTAKES = (
    Mistake(
        "scattered-only", "Each device has the total of its own chunk only: the all-gather is missing.", _scattered_only
    ),
    Mistake("untouched", "Every row comes out as it went in.", _untouched),
    Mistake("mean", "This is the mean of the rows; the total is asked for.", _mean),
    Mistake("twice", "Every row is counted twice.", _twice),
)
