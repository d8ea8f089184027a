"""The right numbers of bucketed_mean, how far float32 may miss them, and mistakes worth naming.

In: x (L, D) as float64 with any leading axes. Out: padded (bucket, D), mask (bucket,) of 0 and 1, mean (D,), likewise.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake, Shape
from grader.rounding import gamma, sum_bound

BUCKETS = (8, 16, 32, 64)


def bucket(shape: Shape) -> int:
    """The smallest bucket that L rows fit into."""
    return next(each for each in BUCKETS if each >= shape["L"])


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right ``padded``, ``mask`` and ``mean``, each with its float32 error bound."""
    x = inputs["x"]
    length = x.shape[-2]
    rows = bucket({"L": length})
    padded = np.concatenate([x, np.zeros((*x.shape[:-2], rows - length, x.shape[-1]))], axis=-2)
    mask = np.broadcast_to(np.arange(rows) < length, (*x.shape[:-2], rows)).astype(np.float64)
    mean = x.mean(axis=-2)
    bound = sum_bound(x, -2) / length + gamma(4) * np.abs(mean)
    return {
        "padded": Answer(padded, np.zeros_like(padded)),
        "mask": Answer(mask, np.zeros_like(mask)),
        "mean": Answer(mean, bound),
    }


def _over_padding(inputs: Arrays) -> dict[str, np.ndarray]:
    length = inputs["x"].shape[-2]
    return {"mean": inputs["x"].sum(axis=-2) / bucket({"L": length})}


def _summed(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"mean": inputs["x"].sum(axis=-2)}


def _mask_turned(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"mask": 1 - oracle(inputs)["mask"].value}


MISTAKES = (
    Mistake("over-padding", "The mean is taken over the padding too: divide by L, not by the bucket.", _over_padding),
    Mistake("summed", "This is the sum of the rows; divide it by L.", _summed),
    Mistake("mask-turned", "The mask is true at the padding; it should be true at the L rows of x.", _mask_turned),
)
