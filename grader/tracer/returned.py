"""What the entry function returned, looked at before JAX flattens it.

JAX would refuse a string or a custom object with an error about pytrees. Here it becomes data: the structure,
with each array a `Leaf` and everything else an `Other` that names its type.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from grader.program.types import Container, Leaf, Other, Returned
from grader.tracer.params import text

DEEPEST = 16
MOST_NODES = 2_000
LONGEST_KEY = 200


def look_at(result: Any) -> tuple[Returned, list[Any]]:
    """The structure of a returned value, and its arrays in the order of the leaves.

    Containers are what JAX knows as pytree nodes; the items of a dict are in the order of their keys, as in
    JAX. None and empty containers are no arrays: None is an `Other`, an empty dict a `Container`.
    """
    looking = _Looking()
    return looking.node(result, 0), looking.arrays


class _Looking:
    def __init__(self) -> None:
        self.arrays: list[Any] = []
        self.nodes = 0

    def node(self, value: Any, depth: int) -> Returned:
        self.nodes += 1
        if is_array(value):
            self.arrays.append(value)
            return Leaf(len(self.arrays) - 1)
        kind = type(value)
        if value is None or depth >= DEEPEST or self.nodes > MOST_NODES:
            return Other(type_name(kind))
        children = one_level(value)
        if children is None:
            return Other(type_name(kind))
        keys = unlike([key for key, _ in children])
        return Container(type_name(kind), keys, tuple([self.node(child, depth + 1) for _, child in children]))


def is_array(value: Any) -> bool:
    """Whether JAX takes it for an array: traced, concrete, NumPy's, or a Python or NumPy scalar."""
    if isinstance(value, (jax.Array, bool, int, float, complex)):
        return True
    if isinstance(value, (np.ndarray, np.generic)):
        return any(jnp.issubdtype(value.dtype, kind) for kind in (np.bool_, np.number))
    return False


def one_level(value: Any) -> list[tuple[str, Any]] | None:
    """The children of a pytree node with their keys; None: it is none, or its own code failed."""
    if type(value) is dict:
        try:
            names = sorted(value)
        except TypeError:  # keys of several types
            names = list(value)
        return [(key_text(name), value[name]) for name in names]
    if type(value) in (list, tuple):
        return [(str(index), child) for index, child in enumerate(value)]
    try:
        children, _ = jax.tree_util.tree_flatten_with_path(value, is_leaf=lambda each: each is not value)
    except Exception:
        return None
    if len(children) == 1 and children[0][0] == ():
        return None
    return [(path_text(path), child) for path, child in children]


def path_text(path: Any) -> str:
    step = path[-1]
    for attribute in ("key", "name", "idx"):
        if hasattr(step, attribute):
            return key_text(getattr(step, attribute))
    return key_text(str(step))


def key_text(key: Any) -> str:
    """A dict key as text: a string as it is, anything else as Python writes it."""
    if isinstance(key, str):
        return text(str(key), LONGEST_KEY)
    try:
        return text(repr(key), LONGEST_KEY)
    except Exception:
        return text(f"<{type(key).__name__}>", LONGEST_KEY)


def unlike(keys: list[str]) -> tuple[str, ...]:
    """Keys made different where cutting or writing made them equal, such as 1 and "1"."""
    seen: dict[str, int] = {}
    for index, key in enumerate(keys):
        count = seen[key] = seen.get(key, 0) + 1
        if count > 1:
            keys[index] = f"{key} ({count})"
    return tuple(keys)


def type_name(kind: type) -> str:
    return text(kind.__name__)
