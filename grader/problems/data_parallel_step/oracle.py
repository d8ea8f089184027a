"""The right numbers of data_parallel_step, how far float32 may miss them, and mistakes worth naming.

In: w (D,), b (), x (B, D), y (B,), lr () as float64 with any leading axes. Out: w (D,), b () and loss (), likewise.

A residual r misses by e, a few roundings of its terms; its square by 2|r|e + e², a gradient's term r x by e|x|; sums
and what follows add roundings of their terms.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake
from grader.rounding import SMALLEST_NORMAL, gamma

DEVICES = 8


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right ``w``, ``b`` and ``loss``, each with its float32 error bound."""
    w, b, x, y, lr = (inputs[name] for name in ("w", "b", "x", "y", "lr"))
    batch, features = x.shape[-2:]
    residual = _residual(inputs)
    right = _step(inputs)

    terms = (np.abs(x) @ np.abs(w)[..., None])[..., 0] + np.abs(b)[..., None] + np.abs(y)
    missed = gamma(features + 4) * terms + (features + 4) * SMALLEST_NORMAL
    size = np.abs(residual) + missed
    chain = gamma(batch + DEVICES + 8)
    flushed = (batch + 8) * SMALLEST_NORMAL * (1 + np.abs(x).max(axis=(-2, -1)) + np.abs(residual).max(axis=-1))

    loss_error = (missed * (2 * np.abs(residual) + missed) + chain * size**2).mean(axis=-1) + flushed
    by_b = 2 * (missed + chain * size).mean(axis=-1) + flushed
    by_w = 2 * ((missed + chain * size)[..., None] * np.abs(x)).mean(axis=-2) + flushed[..., None]
    rate = np.abs(lr)
    gradient = _gradients(inputs)
    w_error = rate[..., None] * (by_w + gamma(4) * np.abs(gradient["w"])) + gamma(2) * (
        np.abs(w) + rate[..., None] * np.abs(gradient["w"])
    )
    b_error = rate * (by_b + gamma(4) * np.abs(gradient["b"])) + gamma(2) * (np.abs(b) + rate * np.abs(gradient["b"]))
    tiny = 4 * SMALLEST_NORMAL
    return {
        "w": Answer(right["w"], w_error + tiny),
        "b": Answer(right["b"], b_error + tiny),
        "loss": Answer(right["loss"], loss_error + tiny),
    }


def _residual(inputs: Arrays) -> np.ndarray:
    predicted = (inputs["x"] @ inputs["w"][..., None])[..., 0] + inputs["b"][..., None]
    residual: np.ndarray = predicted - inputs["y"]
    return residual


def _gradients(inputs: Arrays) -> dict[str, np.ndarray]:
    residual = _residual(inputs)
    return {"w": 2 * (residual[..., None] * inputs["x"]).mean(axis=-2), "b": 2 * residual.mean(axis=-1)}


def _step(inputs: Arrays, times: float = 1.0) -> dict[str, np.ndarray]:
    """The step with gradients taken so many times."""
    gradients, lr = _gradients(inputs), inputs["lr"]
    return {
        "w": inputs["w"] - times * lr[..., None] * gradients["w"],
        "b": inputs["b"] - times * lr * gradients["b"],
        "loss": np.square(_residual(inputs)).mean(axis=-1),
    }


def _mean_of_sums(inputs: Arrays) -> dict[str, np.ndarray]:
    per_device = inputs["x"].shape[-2] / DEVICES
    step = _step(inputs, per_device)
    return {**step, "loss": step["loss"] * per_device}


def _gradient_times_eight(inputs: Arrays) -> dict[str, np.ndarray]:
    step = _step(inputs, DEVICES)
    return {"w": step["w"], "b": step["b"]}


def _loss_times_eight(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"loss": _step(inputs)["loss"] * DEVICES}


def _everything_times_eight(inputs: Arrays) -> dict[str, np.ndarray]:
    step = _step(inputs, DEVICES)
    return {**step, "loss": step["loss"] * DEVICES}


def _loss_afterwards(inputs: Arrays) -> dict[str, np.ndarray]:
    step = _step(inputs)
    return {"loss": _step({**inputs, "w": step["w"], "b": step["b"]})["loss"]}


def _uphill(inputs: Arrays) -> dict[str, np.ndarray]:
    step = _step(inputs, -1.0)
    return {"w": step["w"], "b": step["b"]}


def _halved(inputs: Arrays) -> dict[str, np.ndarray]:
    step = _step(inputs, 0.5)
    return {"w": step["w"], "b": step["b"]}


def _b_kept(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"b": inputs["b"]}


MISTAKES = (
    Mistake("mean-of-sums", "The devices' sums are averaged: divide by B, not by 8 (or average means).", _mean_of_sums),
    Mistake(
        "gradient-times-eight",
        "The gradients are eight times too large: psum adds up means. Use pmean, or divide by 8.",
        _gradient_times_eight,
    ),
    Mistake("loss-times-eight", "The loss is eight times too large: psum adds up means. Use pmean.", _loss_times_eight),
    Mistake(
        "times-eight",
        "Loss and gradients are eight times too large: psum adds up means. Use pmean.",
        _everything_times_eight,
    ),
    Mistake("loss-afterwards", "The loss is that of the new parameters; return it at the old ones.", _loss_afterwards),
    Mistake("uphill", "The step goes up the gradient; take it away.", _uphill),
    Mistake("factor-two", "The gradients lack the 2 of the square's derivative.", _halved),
    Mistake("b-kept", "b is returned as it was.", _b_kept),
)
