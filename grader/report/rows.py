"""JSON laid out for people: an array's innermost rows stand on one line each.

Comes in: plain data. Goes out: text that the standard ``json`` module reads back to the same data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def pretty(value: Any, indent: int = 0, width: int = 0) -> str:
    """``value`` as JSON; dicts and arrays of arrays over several lines, each row of numbers on one.

    Arrays that fit into ``width`` characters stay on one line.
    """
    outer, inner = " " * indent, " " * (indent + 2)
    if isinstance(value, Mapping) and value:
        items = [
            f"{json.dumps(key, ensure_ascii=False)}: {pretty(each, indent + 2, width)}" for key, each in value.items()
        ]
        return "{\n" + ",\n".join(inner + item for item in items) + f"\n{outer}}}"
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= width or not isinstance(value, (list, tuple)) or not any(map(_nests, value)):
        return flat
    return "[\n" + ",\n".join(inner + pretty(each, indent + 2, width) for each in value) + f"\n{outer}]"


def _nests(value: Any) -> bool:
    return isinstance(value, (list, tuple, Mapping))
