"""The right numbers of clipped_gradient, how far float32 may miss them, and mistakes worth naming.

In: w (D,), x (B, D), y (B,), clip () as float64 with any leading axes. Out: gradient (D,), likewise.

With the residual r = x·w − y of an example, its gradient is 2 r x, and clipped it is sign(r) min(2|r|, clip/|x|) x.
That is a continuous function of r, with slope 2|x| at most and a range of clip each way: so what the residual misses
moves it by that much, on either side of the kink; everything after it adds a few roundings of what comes out.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake
from grader.rounding import SMALLEST_NORMAL, gamma


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right ``gradient`` (D,) with its float32 error bound."""
    x, clip = inputs["x"], inputs["clip"][..., None, None]
    count, features = x.shape[-2:]
    gradients = _gradients(inputs)
    clipped = gradients * _scale(gradients, clip)
    value = clipped.mean(axis=-2)

    terms = (np.abs(x) @ np.abs(inputs["w"])[..., None])[..., 0] + np.abs(inputs["y"])
    missed = (gamma(features + 2) * terms + (features + 2) * SMALLEST_NORMAL)[..., None]
    length = np.sqrt(np.square(x).sum(axis=-1, keepdims=True))
    share = np.divide(np.abs(x), length, out=np.zeros_like(x), where=length > 0)
    moved = np.minimum(2 * missed * np.abs(x), 2 * clip * share)
    each = moved + gamma(features + 10) * (np.abs(clipped) + moved)
    bound = each.mean(axis=-2) + gamma(count + 2) * (np.abs(clipped) + each).mean(axis=-2)
    return {"gradient": Answer(value, bound + (count + 2) * 2.0**-62)}


def _gradients(inputs: Arrays) -> np.ndarray:
    """Gradients (B, D) of the single examples."""
    residual = (inputs["x"] @ inputs["w"][..., None])[..., 0] - inputs["y"]
    gradients: np.ndarray = 2 * residual[..., None] * inputs["x"]
    return gradients


def _scale(gradients: np.ndarray, clip: np.ndarray) -> np.ndarray:
    """min(1, clip / norm), for gradients along the last axis."""
    norms = np.sqrt(np.square(gradients).sum(axis=-1, keepdims=True))
    with np.errstate(divide="ignore"):
        scale: np.ndarray = np.minimum(1.0, np.where(norms > 0, clip / norms, 1.0))
    return scale


def _mean_clipped(inputs: Arrays) -> dict[str, np.ndarray]:
    mean = _gradients(inputs).mean(axis=-2)
    return {"gradient": mean * _scale(mean, inputs["clip"][..., None])}


def _never_clipped(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"gradient": _gradients(inputs).mean(axis=-2)}


def _by_value(inputs: Arrays) -> dict[str, np.ndarray]:
    clip = inputs["clip"][..., None, None]
    return {"gradient": np.clip(_gradients(inputs), -clip, clip).mean(axis=-2)}


def _summed(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"gradient": oracle(inputs)["gradient"].value * inputs["x"].shape[-2]}


def _always_scaled(inputs: Arrays) -> dict[str, np.ndarray]:
    gradients = _gradients(inputs)
    norms = np.sqrt(np.square(gradients).sum(axis=-1, keepdims=True))
    unit = np.divide(gradients, norms, out=np.zeros_like(gradients), where=norms > 0)
    return {"gradient": (unit * inputs["clip"][..., None, None]).mean(axis=-2)}


def _halved(inputs: Arrays) -> dict[str, np.ndarray]:
    half = _gradients(inputs) / 2
    return {"gradient": (half * _scale(half, inputs["clip"][..., None, None])).mean(axis=-2)}


MISTAKES = (
    Mistake("mean-clipped", "The mean is clipped; clip every example's gradient, then average.", _mean_clipped),
    Mistake("never-clipped", "Nothing is clipped.", _never_clipped),
    Mistake("clipped-by-value", "Each entry is clipped; it is the norm of a whole gradient that is to be.", _by_value),
    Mistake("summed", "The clipped gradients are added up; they are to be averaged.", _summed),
    Mistake("always-scaled", "Short gradients are made longer: the factor is min(1, clip / norm).", _always_scaled),
    Mistake("factor-two", "The 2 of the square's derivative is missing.", _halved),
)
