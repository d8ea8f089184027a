"""A problem small enough for tests of cases: y = x @ w, and how many entries of x are positive."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from grader.analysis.flow import Question
from grader.problem import Answer, Arrays, Dimension, Input, Output, Problem


def oracle(inputs: Arrays) -> dict[str, Answer]:
    x, w = inputs["x"], inputs["w"][..., None]
    count = (x > 0).sum(axis=(-1, -2))
    return {
        "y": Answer((x @ w)[..., 0], 1e-6 * (np.abs(x) @ np.abs(w))[..., 0]),
        "count": Answer(count.astype(np.float64), np.zeros(count.shape)),
    }


TINY = Problem(
    id="tiny",
    dimensions=(Dimension("B", (1, 2)), Dimension("D", (2, 3))),
    inputs=(Input("x", ("B", "D")), Input("w", ("D",), limit=100.0), Input("k", (), dtype="int32", limit=9)),
    outputs=(Output("y", ("B",)), Output("count", (), dtype="int32")),
    oracle=oracle,
    question=Question(split=(), terms=(), added=""),
)

RIGHT: dict[str, Any] = {
    "inputs": {"x": [[1.0, 0.1], [-1, 2]], "w": [0.1, 0.2], "k": 3},
    "expected": {"y": [0.12, 0.3], "count": 3},
    "description": "Two rows.",
    "visibility": "hidden",
}


def changed(**changes: Any) -> bytes:
    """`RIGHT` as JSON with some members replaced; ``inputs__x=…`` replaces a member of ``inputs``, ``...`` removes."""
    data = json.loads(json.dumps(RIGHT))
    for path, value in changes.items():
        *outer, last = path.split("__")
        place = data
        for each in outer:
            place = place[each]
        if value is ...:
            del place[last]
        else:
            place[last] = value
    return json.dumps(data).encode()
