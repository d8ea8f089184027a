"""The right numbers of learning_rate, how far float32 may miss them, and mistakes worth naming.

In: step, base, warmup and total () as float64 with any leading axes. Out: rate (), likewise.

The cosine is computed from an angle that is a few roundings of π off, and near its end it is nearly −1: what is left of
1 + cos is then all roundings, of the size of base · u.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake
from grader.rounding import FUNCTION, SMALLEST_NORMAL, UNIT_ROUNDOFF, gamma


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right ``rate`` () with its float32 error bound."""
    step, base, warmup, total = (inputs[name] for name in ("step", "base", "warmup", "total"))
    value = _schedule(step, base, warmup, total, warmup, total)
    falling = (step >= warmup) & (step < total)
    angle = (FUNCTION + 6 * np.pi) * UNIT_ROUNDOFF
    bound = gamma(6) * value + np.where(falling, base * angle, 0.0) + 4 * SMALLEST_NORMAL
    return {"rate": Answer(value, bound)}


def _schedule(
    step: np.ndarray, base: np.ndarray, warmup: np.ndarray, total: np.ndarray, start: np.ndarray, end: np.ndarray
) -> np.ndarray:
    """Warmup until ``warmup``, then a cosine from ``start`` to ``end``, 0 from ``total`` on."""
    rising = base * step / np.maximum(warmup, 1)
    along = (step - start) / np.maximum(end - start, 1)
    falling = base * 0.5 * (1 + np.cos(np.pi * along))
    return np.where(step < warmup, rising, np.where(step < total, falling, 0.0))


def _from_step_zero(inputs: Arrays) -> dict[str, np.ndarray]:
    step, base, warmup, total = (inputs[name] for name in ("step", "base", "warmup", "total"))
    return {"rate": _schedule(step, base, warmup, total, np.zeros_like(warmup), total)}


def _no_warmup(inputs: Arrays) -> dict[str, np.ndarray]:
    step, base, warmup = (inputs[name] for name in ("step", "base", "warmup"))
    early = np.where(step < warmup, base, oracle(inputs)["rate"].value)
    return {"rate": early}


def _goes_on(inputs: Arrays) -> dict[str, np.ndarray]:
    step, base, warmup, total = (inputs[name] for name in ("step", "base", "warmup", "total"))
    return {"rate": _schedule(step, base, warmup, np.full_like(total, np.inf), warmup, total)}


def _linear(inputs: Arrays) -> dict[str, np.ndarray]:
    step, base, warmup, total = (inputs[name] for name in ("step", "base", "warmup", "total"))
    left = np.clip((total - step) / np.maximum(total - warmup, 1), 0.0, 1.0)
    return {"rate": np.where(step < warmup, base * step / np.maximum(warmup, 1), base * left)}


def _unhalved(inputs: Arrays) -> dict[str, np.ndarray]:
    step, warmup = inputs["step"], inputs["warmup"]
    right = oracle(inputs)["rate"].value
    return {"rate": np.where(step < warmup, right, 2 * right)}


MISTAKES = (
    Mistake("cosine-from-zero", "The cosine starts at step 0; it starts where the warmup ends.", _from_step_zero),
    Mistake("no-warmup", "The warmup is missing: the rate is base from the first step on.", _no_warmup),
    Mistake("goes-on", "After total the cosine goes on and the rate rises again; it should be 0.", _goes_on),
    Mistake("linear", "The rate falls in a straight line; it should follow a cosine.", _linear),
    Mistake("factor-half", "The cosine part is twice what it should be: ½ (1 + cos) goes from 1 to 0.", _unhalved),
)
