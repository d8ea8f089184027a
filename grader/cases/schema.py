"""A JSON Schema (2020-12) of a problem's cases, for editors.

It says all that a schema can: keys, ranks, element types, sizes and ranges. What it cannot say (that w1 has
as many columns as b1 has numbers, that the expected values are right) ``grader cases check`` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.problem import Derived, Input, Output, Problem


def schema(problem: Problem) -> dict[str, Any]:
    sizes = {each.name: each.sizes for each in problem.dimensions}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A case of {problem.id}",
        "type": "object",
        "properties": {
            "description": {"type": "string", "description": "What this case is there for."},
            "visibility": {
                "enum": ["public", "hidden"],
                "default": "public",
                "description": "Whether learners are shown the case.",
            },
            "inputs": _arrays(problem.inputs, sizes, "The arguments of the entry function."),
            "expected": _arrays(
                problem.outputs, sizes, "What it must return. May be left out: the problem's oracle supplies it."
            ),
        },
        "required": ["inputs"],
        "additionalProperties": False,
    }


def _arrays(
    declared: tuple[Input, ...] | tuple[Output, ...], sizes: dict[str, tuple[int, ...]], description: str
) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "properties": {each.name: _array(each, sizes) for each in declared},
        "required": [each.name for each in declared],
        "additionalProperties": False,
    }


def _array(declared: Input | Output, sizes: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    part = _element(declared)
    for dimension in reversed(declared.shape):
        if isinstance(dimension, Derived):
            choices = dimension.sizes
        else:
            choices = (dimension,) if isinstance(dimension, int) else sizes[dimension]
        part = {"type": "array", "minItems": min(choices), "maxItems": max(choices), "items": part}
    shape = ", ".join(map(str, declared.shape))
    return {"description": f"{declared.dtype} of shape ({shape})", **part}


def _element(declared: Input | Output) -> dict[str, Any]:
    dtype = np.dtype(declared.dtype)
    if dtype.kind == "b":
        return {"type": "boolean"}
    if isinstance(declared, Input) and declared.choices:
        return {"enum": [int(each) if dtype.kind in "iu" else each for each in declared.choices]}
    if dtype.kind in "iu":
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        if isinstance(declared, Input):
            low, high = max(low, int(declared.least)), min(high, int(declared.most))
        return {"type": "integer", "minimum": low, "maximum": high}
    top = float(np.finfo(dtype).max)
    least, most = (declared.least, declared.most) if isinstance(declared, Input) else (-top, top)
    return {"type": "number", "minimum": max(-top, least), "maximum": min(top, most)}
