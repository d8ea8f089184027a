"""The schema for editors accepts what the judge accepts, and is a valid schema itself."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from grader.cases.schema import schema
from tests.cases.tiny import RIGHT, TINY, changed

VALIDATOR = jsonschema.Draft202012Validator(schema(TINY))


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema(TINY))
    assert schema(TINY)["properties"]["inputs"]["properties"]["x"] == {
        "description": "float32 of shape (B, D)",
        "type": "array",
        "minItems": 1,
        "maxItems": 2,
        "items": {
            "type": "array",
            "minItems": 2,
            "maxItems": 3,
            "items": {"type": "number", "minimum": -1e9, "maximum": 1e9},
        },
    }


@pytest.mark.parametrize("changes", [{}, {"expected": ...}, {"description": ..., "visibility": ...}])
def test_right_cases_are_valid(changes: dict[str, Any]) -> None:
    assert VALIDATOR.is_valid(json.loads(changed(**changes)))
    assert VALIDATOR.is_valid(RIGHT)


@pytest.mark.parametrize(
    "changes",
    [
        {"extra": 1},
        {"inputs": ...},
        {"inputs__w": ...},
        {"inputs__x": [1, 2]},
        {"inputs__x": [[1]]},
        {"inputs__x": [[1, 2]] * 3},
        {"inputs__w": [1, 101]},
        {"inputs__k": 1.5},
        {"inputs__k": 10},
        {"inputs__x": [[1, "a"]]},
        {"expected__count": ...},
        {"visibility": "secret"},
        {"description": 1},
    ],
)
def test_what_a_schema_can_refuse_is_refused(changes: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid(json.loads(changed(**changes)))
