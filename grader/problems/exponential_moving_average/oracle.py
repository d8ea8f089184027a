"""The right numbers of exponential_moving_average, how far float32 may miss them, and mistakes worth naming.

In: x (T, D) and decay () as float64 with any leading axes. Out: averaged (T, D) with the same leading axes.

Each step adds a few roundings of what it mixes, and passes on the error of the step before, times decay.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake
from grader.rounding import SMALLEST_NORMAL, gamma


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right ``averaged`` (T, D) with its float32 error bound."""
    x, decay = inputs["x"], inputs["decay"][..., None]
    value, bound = np.empty_like(x), np.empty_like(x)
    value[..., 0, :] = x[..., 0, :]
    bound[..., 0, :] = gamma(4) * np.abs(x[..., 0, :])  # where the first step mixes x[0] with itself
    for t in range(1, x.shape[-2]):
        before, new = value[..., t - 1, :], x[..., t, :]
        value[..., t, :] = decay * before + (1 - decay) * new
        # y + (1 - decay) (x - y) and decay y + x - decay x are the same on paper: count all their terms.
        rounded = gamma(5) * (np.abs(before) + np.abs(new)) + 4 * SMALLEST_NORMAL
        bound[..., t, :] = decay * bound[..., t - 1, :] * (1 + gamma(5)) + rounded
    return {"averaged": Answer(value, bound)}


def _recurrence(inputs: Arrays, first: float, old: np.ndarray, new: np.ndarray) -> dict[str, np.ndarray]:
    x = inputs["x"]
    value = np.empty_like(x)
    value[..., 0, :] = x[..., 0, :] if first == 1 else new[..., None] * x[..., 0, :]
    for t in range(1, x.shape[-2]):
        value[..., t, :] = old[..., None] * value[..., t - 1, :] + new[..., None] * x[..., t, :]
    return {"averaged": value}


def _swapped(inputs: Arrays) -> dict[str, np.ndarray]:
    return _recurrence(inputs, 1, 1 - inputs["decay"], inputs["decay"])


def _from_zero(inputs: Arrays) -> dict[str, np.ndarray]:
    return _recurrence(inputs, 0, inputs["decay"], 1 - inputs["decay"])


def _sum(inputs: Arrays) -> dict[str, np.ndarray]:
    return _recurrence(inputs, 1, inputs["decay"], np.ones_like(inputs["decay"]))


def _late(inputs: Arrays) -> dict[str, np.ndarray]:
    right = oracle(inputs)["averaged"].value
    return {"averaged": np.concatenate([right[..., :1, :], right[..., :-1, :]], axis=-2)}


MISTAKES = (
    Mistake("decay-swapped", "decay and 1 - decay are swapped: decay is the share of what was there before.", _swapped),
    Mistake("from-zero", "The average starts from zero; y[0] is x[0].", _from_zero),
    Mistake("not-averaged", "x[t] is added whole; its share is 1 - decay.", _sum),
    Mistake("one-late", "Each entry is the one before: return the carry after the step, not before it.", _late),
)
