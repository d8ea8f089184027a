"""What a jaxpr looks like where JAX's versions differ (0.9.2 to 0.12), read through one set of functions.

Names that changed are in `ALIASES`; attributes that moved have a function each. Nothing here is from JAX's
private modules: equations, avals and tracebacks are asked for what they publicly hold.
"""

from __future__ import annotations

import os
from typing import Any

import jax

ALIASES = {
    "pjit": "jit",
    "checkpoint": "remat",
    "remat2": "remat",
    "custom_jvp_call_jaxpr": "custom_jvp_call",
    "custom_vjp_call_jaxpr": "custom_vjp_call",
    "psum2": "psum",
    "psum_invariant": "psum",
    "pmax_invariant": "pmax",
    "pmin_invariant": "pmin",
    "all_gather_invariant": "all_gather",
    "all_to_all_invariant": "all_to_all",
    "debug_print": "debug_callback",
    "inspect_sharding": "debug_callback",
    "buffer_callback": "pure_callback",
    "layout_constraint": "copy",
    "relayout": "copy",
    "random_clone": "copy",
    "xla_metadata_value": "copy",
    "shard_alike": "optimization_barrier",
}
"""One name for each primitive that has or had several, or that means here what another one means."""

JAX_FOLDER = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
PMAP_FILE = os.path.join(JAX_FOLDER, "_src", "pmap.py")


def split_consts(jaxpr: Any) -> tuple[Any, tuple[Any, ...]]:
    """A jaxpr, closed or open, as its open form and the consts it is closed over.

    From 0.11.2 on there is one class for both, whose ``.jaxpr`` is itself.
    """
    return getattr(jaxpr, "jaxpr", jaxpr), tuple(getattr(jaxpr, "consts", ()))


def is_jaxpr(value: object) -> bool:
    return hasattr(value, "eqns")


def out_shapes(jaxpr: Any) -> list[tuple[int, ...]]:
    """The shapes of a jaxpr's results."""
    return [each.aval.shape for each in split_consts(jaxpr)[0].outvars]


def varying(aval: Any) -> frozenset[str]:
    """The mesh axes over which devices may hold different values."""
    manual = getattr(aval, "manual_axis_type", None)
    found: frozenset[str] = frozenset() if manual is None else manual.varying
    return found if manual is not None else getattr(aval, "vma", found)


def scan_counts(params: dict[str, Any]) -> tuple[int, int]:
    """How many of a scan's operands are constants, and how many are carried."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    consts, carry, _ = params["ft_in"].unpack()
    return len(consts), len(carry)


def manual_axes(params: dict[str, Any]) -> frozenset[str]:
    found: frozenset[str] = params["newly_manual_axes"] if "newly_manual_axes" in params else params["manual_axes"]
    return found


def function_file(jaxpr: Any) -> str | None:
    """The file of the Python function that an open jaxpr was traced from, where that is known."""
    place = function_place(jaxpr)
    return None if place is None else place[0]


def function_place(jaxpr: Any) -> tuple[str, int] | None:
    """The file and line of that function; an open jaxpr's debug info says "f at g.py:3"."""
    about = getattr(getattr(jaxpr, "debug_info", None), "func_src_info", None)
    if not isinstance(about, str):
        return None
    file, colon, line = about.partition(" at ")[2].rpartition(":")
    return (file, int(line)) if colon and line.isdecimal() else None


def frames(traceback: Any) -> tuple[list[Any], list[int]]:
    """The code objects of a JAX traceback, innermost first, and where in each its bytecode stood."""
    codes, offsets = traceback.raw_frames()
    return codes, offsets


def threefry_partitionable(equation: Any) -> bool:
    """Whether random bits are to be generated the newer way, which is the default."""
    return getattr(getattr(equation, "ctx", None), "threefry_partitionable", True) is not False
