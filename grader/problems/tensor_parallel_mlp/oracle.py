"""The right numbers of tensor_parallel_mlp, how far float32 may miss them, and mistakes worth naming.

In: the problem's five inputs as float64 arrays by name, with any leading batch axes ahead of the
shapes x (B, D), w1 (D, H), b1 (H,), w2 (H, O), b2 (O,). Out: float64 arrays with the same leading axes.

The bounds are the standard forward-error bound of a float32 sum taken in any order (Higham, *Accuracy
and Stability of Numerical Algorithms*, 2nd ed., section 3.1): a sum of n rounded products misses by at
most gamma(n) times the sum of the products' magnitudes, gamma(n) = n u / (1 - n u), u = 2^-24. They are
relative to the terms, not to the result, so cancellation trips no one; and a product of operands cut to
bfloat16, which misses by up to 2^-8 of each term, stays far outside.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grader.problem import Answer, Arrays, Mistake

DEVICES = 8

UNIT_ROUNDOFF = 2.0**-24
"""Largest relative error of one float32 operation."""

SMALLEST_NORMAL = 2.0**-126
"""Largest absolute error of one operation that underflows: XLA on CPU flushes subnormals to zero."""


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right ``out`` (B, O) and ``hidden`` (B, H), each with its float32 error bound."""
    x, w1, b1, w2, b2 = (inputs[name] for name in ("x", "w1", "b1", "w2", "b2"))
    units = w1.shape[-1]
    features = w1.shape[-2]

    hidden = _relu(x @ w1 + b1[..., None, :])
    # relu moves no two values further apart, so the error before it bounds the error after it.
    hidden_bound = _dot_bound(x, w1, b1, terms=features + 2)

    out = hidden @ w2 + b2[..., None, :]
    # What is computed starts from hidden values that may already be off by hidden_bound.
    out_bound = hidden_bound @ np.abs(w2) + _dot_bound(hidden + hidden_bound, w2, b2, terms=units + 2)
    return {"out": Answer(out, out_bound), "hidden": Answer(hidden, hidden_bound)}


def _gamma(terms: int) -> float:
    return terms * UNIT_ROUNDOFF / (1 - terms * UNIT_ROUNDOFF)


def _dot_bound(left: np.ndarray, right: np.ndarray, bias: np.ndarray, terms: int) -> np.ndarray:
    """Error bound of ``left @ right + bias`` in float32, summed in any order: shape of that result."""
    magnitude = np.abs(left) @ np.abs(right) + np.abs(bias)[..., None, :]
    # An operand that is flushed takes its product along; a product, a sum or a mean that is flushed
    # loses itself. Eight more: an average over the devices, scaled back.
    flushed = SMALLEST_NORMAL * (
        np.abs(left).sum(-1, keepdims=True) + np.abs(right).sum(-2, keepdims=True) + terms + DEVICES
    )
    bound: np.ndarray = _gamma(terms) * magnitude + flushed
    return bound


def _relu(values: np.ndarray) -> np.ndarray:
    rectified: np.ndarray = np.maximum(values, 0.0)
    return rectified


def _network(
    inputs: Arrays,
    *,
    b1: float = 1.0,
    b2: float = 1.0,
    rectified: bool = True,
) -> dict[str, np.ndarray]:
    """Both outputs with each bias added so many times, and with or without relu."""
    before = inputs["x"] @ inputs["w1"] + b1 * inputs["b1"][..., None, :]
    hidden = _relu(before) if rectified else before
    return {"out": hidden @ inputs["w2"] + b2 * inputs["b2"][..., None, :], "hidden": hidden}


def _b2_on_every_device(inputs: Arrays) -> Mapping[str, np.ndarray]:
    return {"out": _network(inputs, b2=DEVICES)["out"]}


def _b2_forgotten(inputs: Arrays) -> Mapping[str, np.ndarray]:
    return {"out": _network(inputs, b2=0.0)["out"]}


def _b1_forgotten(inputs: Arrays) -> Mapping[str, np.ndarray]:
    return _network(inputs, b1=0.0)


def _relu_forgotten(inputs: Arrays) -> Mapping[str, np.ndarray]:
    return _network(inputs, rectified=False)


def _relu_on_out(inputs: Arrays) -> Mapping[str, np.ndarray]:
    return {"out": _relu(_network(inputs)["out"])}


def _own_partial_only(inputs: Arrays) -> Mapping[str, np.ndarray]:
    block = inputs["w1"].shape[-1] // DEVICES
    hidden = _network(inputs)["hidden"]
    partial = hidden[..., :block] @ inputs["w2"][..., :block, :]
    return {"out": partial + inputs["b2"][..., None, :]}


def _strided_units(inputs: Arrays) -> Mapping[str, np.ndarray]:
    """Device d is dealt the units d, d + 8, ... of w1 and b1, but consecutive rows of w2."""
    units = inputs["w1"].shape[-1]
    dealt = np.arange(units).reshape(-1, DEVICES).T.ravel()
    return _network({**inputs, "w1": inputs["w1"][..., dealt], "b1": inputs["b1"][..., dealt]})


def _strided_hidden(inputs: Arrays) -> Mapping[str, np.ndarray]:
    """All three weights dealt in strided order: out comes right, the columns of hidden do not."""
    return {"hidden": _strided_units(inputs)["hidden"]}


def _out_transposed(inputs: Arrays) -> Mapping[str, np.ndarray]:
    return {"out": np.swapaxes(_network(inputs)["out"], -1, -2)}


def _hidden_transposed(inputs: Arrays) -> Mapping[str, np.ndarray]:
    return {"hidden": np.swapaxes(_network(inputs)["hidden"], -1, -2)}


def _bfloat16_products(inputs: Arrays) -> Mapping[str, np.ndarray]:
    first = _to_bfloat16(inputs["x"]) @ _to_bfloat16(inputs["w1"])
    hidden = _relu(first + inputs["b1"][..., None, :])
    out = _to_bfloat16(hidden) @ _to_bfloat16(inputs["w2"]) + inputs["b2"][..., None, :]
    return {"out": out, "hidden": hidden}


def _to_bfloat16(values: np.ndarray) -> np.ndarray:
    """The nearest bfloat16 numbers (ties to even), as float64. Finite values of float32 range only."""
    bits = values.astype(np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return rounded.view(np.float32).astype(np.float64)


MISTAKES: tuple[Mistake, ...] = (
    Mistake(
        "b2-eight-times",
        "b2 is added eight times: it is in every device's partial product, and psum adds all eight. "
        "Add b2 once, after the psum.",
        _b2_on_every_device,
    ),
    Mistake("b2-forgotten", "b2 is never added to out.", _b2_forgotten),
    Mistake("b1-forgotten", "b1 is never added before the relu.", _b1_forgotten),
    Mistake("relu-forgotten", "hidden is not cut off at zero: the relu is missing.", _relu_forgotten),
    Mistake("relu-on-out", "relu is applied to out as well: only the hidden layer has one.", _relu_on_out),
    Mistake(
        "psum-missing",
        "out is the first device's own partial product (plus b2): the other seven are never added. "
        'Add the partial products up with jax.lax.psum over "model".',
        _own_partial_only,
    ),
    Mistake(
        "units-strided",
        "The columns of w1 and the rows of w2 do not meet: w1 is dealt out in strides of eight, w2 in blocks.",
        _strided_units,
    ),
    Mistake(
        "hidden-strided",
        "The columns of hidden are in the wrong order: device d must hold the consecutive units "
        "d*H/8 up to (d+1)*H/8 - 1, not every eighth.",
        _strided_hidden,
    ),
    Mistake("out-transposed", "out is transposed: its shape is (B, O).", _out_transposed),
    Mistake("hidden-transposed", "hidden is transposed: its shape is (B, H).", _hidden_transposed),
    Mistake(
        "bfloat16-product",
        "The products are rounded to bfloat16 on the way. Keep everything in float32.",
        _bfloat16_products,
    ),
)
"""The formulas of the mistakes that learners make, most common first."""
