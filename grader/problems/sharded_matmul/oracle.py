"""The right numbers of sharded_matmul, how far float32 may miss them, and mistakes worth naming.

In: x (B, D) and w (D, H) as float64 with any leading axes. Out: product (B, H), likewise.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake
from grader.rounding import dot_bound


def oracle(inputs: Arrays) -> dict[str, Answer]:
    """The right ``product`` (B, H) with its float32 error bound."""
    x, w = inputs["x"], inputs["w"]
    return {"product": Answer(x @ w, dot_bound(x, w))}


def _bfloat16(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"product": _rounded(inputs["x"]) @ _rounded(inputs["w"])}


def _rounded(values: np.ndarray) -> np.ndarray:
    """The nearest bfloat16 numbers (ties to even), as float64. Finite values of float32 range only."""
    bits = values.astype(np.float32).view(np.uint32)
    cut = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return cut.view(np.float32).astype(np.float64)


def _first_feature(inputs: Arrays) -> dict[str, np.ndarray]:
    return {"product": inputs["x"][..., :, :1] @ inputs["w"][..., :1, :]}


MISTAKES = (
    Mistake(
        "bfloat16-product", "The product is of numbers rounded to bfloat16. Keep everything in float32.", _bfloat16
    ),
    Mistake("first-feature", "Only the first feature counts: the sum goes over all D.", _first_feature),
)
