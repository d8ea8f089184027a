"""Words for the things that rules speak of: specs, shapes, block shapes."""

from __future__ import annotations

from collections.abc import Sequence

from grader.program.types import Spec


def spec_text(spec: Spec) -> str:
    """``P(None, 'model')``, as it is written in JAX."""

    def entry(axes: tuple[str, ...]) -> str:
        if not axes:
            return "None"
        return repr(axes[0]) if len(axes) == 1 else repr(axes)

    return f"P({', '.join(entry(axes) for axes in spec.axes)})"


def shape_text(shape: Sequence[int]) -> str:
    """``(2, 8)``; a vector ``(8,)``."""
    return f"({shape[0]},)" if len(shape) == 1 else f"({', '.join(map(str, shape))})"


def listing(words: Sequence[str]) -> str:
    """``w1``, ``w1 and b1``, ``w1, b1 and w2``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def times_text(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")
