"""Canonical equations: one name and one set of params for each meaning, whatever JAX's version calls it.

`canonical` gets a primitive's name and JAX's params. It gives the name and params that the rest of the judge
knows (still JAX's objects, to be converted one by one), and drops what does not matter when the program is
run forwards: derivative rules, compiler options, layouts, callables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.tracer.params import Bound, Destination, axis_names, text
from grader.tracer.versions import ALIASES, manual_axes, scan_counts

INLINED = frozenset(("jit", "remat", "custom_jvp_call", "custom_vjp_call"))
"""Calls that only run their body on their operands."""

Params = dict[str, Any]
Rule = Callable[[Params], tuple[str, Params]]


def canonical(primitive: str, params: Params) -> tuple[str, Params]:
    name = ALIASES.get(primitive, primitive)
    rule = RULES.get(name)
    if rule is not None:
        return rule(params)
    if not params:
        return name, params
    return name, {
        key: value
        for key, value in params.items()
        if key not in DROPPED and not (value is None and key in DROPPED_WHEN_NONE)
    }


DROPPED = frozenset(
    "ctx_mesh context_mesh concrete_mesh layout in_layouts out_layouts donated_invars keep_unused inline "
    "compiler_options_kvs unroll _split_transpose unconstrained_dims differentiated prevent_cse policy "
    "symbolic_zeros num_consts jvp_jaxpr_fun fwd_jaxpr_thunk bwd out_trees".split()
)
DROPPED_WHEN_NONE = frozenset(("sharding", "out_sharding", "dst_sharding", "out_dtype"))


def jit(params: Params) -> tuple[str, Params]:
    return "jit", {
        "jaxpr": params["jaxpr"],
        "name": text(str(params["name"])),
        "in_shardings": tuple(params["in_shardings"]),
        "out_shardings": tuple(params["out_shardings"]),
    }


def call(name: str, *keys: str) -> Rule:
    """A call that means what jit means; its body is under the first of these keys."""

    def rule(params: Params) -> tuple[str, Params]:
        jaxpr = params[next(each for each in keys if each in params)]
        return "jit", {
            "jaxpr": jaxpr,
            "name": text(str(params.get("name", name))),
            "in_shardings": (None,) * len(jaxpr.in_avals if hasattr(jaxpr, "in_avals") else jaxpr.invars),
            "out_shardings": (None,) * len(jaxpr.out_avals if hasattr(jaxpr, "out_avals") else jaxpr.outvars),
        }

    return rule


def body_only(name: str, *keys: str) -> Rule:
    """A call of which only the body matters, under the first of these keys."""

    def rule(params: Params) -> tuple[str, Params]:
        key = next(each for each in keys if each in params)
        return name, {"jaxpr": params[key]}

    return rule


def scan(params: Params) -> tuple[str, Params]:
    consts, carry = scan_counts(params)
    return "scan", {
        "jaxpr": params["jaxpr"],
        "length": params["length"],
        "reverse": params["reverse"],
        "num_consts": consts,
        "num_carry": carry,
    }


def shard_map(params: Params) -> tuple[str, Params]:
    mesh, manual = params["mesh"], manual_axes(params)
    return "shard_map", {
        "mesh": mesh,
        "in_specs": tuple(params["in_specs"]),
        "out_specs": tuple(params["out_specs"]),
        "jaxpr": params["jaxpr"],
        "check_vma": bool(params["check_vma"]),
        "manual_axes": axis_names([each for each in mesh.axis_names if each in manual]),
        "pmap": False,
    }


def collective(name: str, axes: str, *keep: str) -> Rule:
    def rule(params: Params) -> tuple[str, Params]:
        kept: Params = {axes: axis_names(params[axes])}
        for each in keep:
            kept[each] = params.get(each)
        return name, kept

    return rule


def only(name: str, *keep: str) -> Rule:
    """An equation of which only these params matter."""

    def rule(params: Params) -> tuple[str, Params]:
        return name, {each: params[each] for each in keep if each in params}

    return rule


def reshard(params: Params) -> tuple[str, Params]:
    return "reshard", {"sharding": params["dst_sharding"]}


def device_put(params: Params) -> tuple[str, Params]:
    return "device_put", {"shardings": tuple([Destination(each) for each in params["devices"]])}


def scatter(name: str) -> Rule:
    """The combining function matters only where the name does not say it: in ``scatter`` itself."""

    def rule(params: Params) -> tuple[str, Params]:
        kept = {key: value for key, value in params.items() if not key.startswith("update_")}
        jaxpr = params.get("update_jaxpr") if name == "scatter" else None
        if jaxpr is not None:
            kept["update_jaxpr"] = Bound(jaxpr, params["update_consts"])
        return name, kept

    return rule


def reduce_window(params: Params) -> tuple[str, Params]:
    kept = {key: value for key, value in params.items() if key != "consts"}
    kept["jaxpr"] = Bound(params["jaxpr"], params.get("consts", ()))
    return "reduce_window", kept


def select_and_scatter(params: Params) -> tuple[str, Params]:
    kept = {key: value for key, value in params.items() if key not in ("select_consts", "scatter_consts")}
    for each in ("select", "scatter"):
        kept[f"{each}_jaxpr"] = Bound(params[f"{each}_jaxpr"], params[f"{each}_consts"])
    return "select_and_scatter", kept


def ragged_dot(params: Params) -> tuple[str, Params]:
    """The dimension numbers one by one: together they nest deeper than a param may."""
    numbers = params["ragged_dot_dimension_numbers"]
    return "ragged_dot_general", {
        "dimension_numbers": numbers.dot_dimension_numbers,
        "lhs_ragged_dimensions": numbers.lhs_ragged_dimensions,
        "rhs_group_dimensions": numbers.rhs_group_dimensions,
        "precision": params["precision"],
        "preferred_element_type": params["preferred_element_type"],
    }


def reduce(params: Params) -> tuple[str, Params]:
    kept = {key: value for key, value in params.items() if key not in ("computation", "consts")}
    if "consts" in params:
        kept["jaxpr"] = Bound(params["jaxpr"], params["consts"])
    return "reduce", kept


GROUPED = ("axis_index_groups",)

RULES: dict[str, Rule] = {
    "jit": jit,
    "closed_call": call("closed_call", "call_jaxpr", "jaxpr"),
    "core_call": call("core_call", "call_jaxpr", "jaxpr"),
    "call": call("call", "call_jaxpr", "jaxpr"),
    "composite": call("composite", "jaxpr", "call_jaxpr"),
    "custom_vmap_call": call("custom_vmap", "call", "call_jaxpr"),
    "custom_partitioning": call("custom_partitioning", "call", "call_jaxpr"),
    "linear_call": call("linear_call", "callee"),
    "remat_opt": call("custom_vjp_fwd", "fwd_jaxpr"),
    "xla_metadata_call": call("xla_metadata", "jaxpr", "call_jaxpr"),
    "remat": body_only("remat", "jaxpr"),
    "custom_jvp_call": body_only("custom_jvp_call", "call_jaxpr", "fun_jaxpr"),
    "custom_vjp_call": body_only("custom_vjp_call", "call_jaxpr", "fun_jaxpr"),
    "scan": scan,
    "while": only("while", "cond_jaxpr", "body_jaxpr", "cond_nconsts", "body_nconsts"),
    "cond": only("cond", "branches"),
    "shard_map": shard_map,
    "psum": collective("psum", "axes", *GROUPED),
    "pmax": collective("pmax", "axes", *GROUPED),
    "pmin": collective("pmin", "axes", *GROUPED),
    "pvary": collective("pvary", "axes"),
    "all_gather": collective("all_gather", "axis_name", "all_gather_dimension", *GROUPED, "axis_size", "tiled"),
    "reduce_scatter": collective("reduce_scatter", "axis_name", "scatter_dimension", *GROUPED, "axis_size", "tiled"),
    "all_to_all": collective("all_to_all", "axis_name", "split_axis", "concat_axis", *GROUPED, "tiled"),
    "ragged_all_to_all": collective("ragged_all_to_all", "axis_name", *GROUPED),
    "ppermute": collective("ppermute", "axis_name", "perm"),
    "pbroadcast": collective("pbroadcast", "axis_name", "source"),
    "pbroadcast_dynamic": collective("pbroadcast_dynamic", "axis_name"),
    "axis_index": collective("axis_index", "axis_name"),
    "sharding_constraint": only("sharding_constraint", "sharding"),
    "reshard": reshard,
    "device_put": device_put,
    "copy": only("copy"),
    "optimization_barrier": only("optimization_barrier"),
    "debug_callback": only("debug_callback"),
    "pure_callback": only("pure_callback"),
    "io_callback": only("io_callback", "ordered"),
    "ffi_call": only("ffi_call", "target_name"),
    "scatter": scatter("scatter"),
    **{
        name: scatter(name)
        for name in ("scatter-add", "scatter_add", "scatter-sub", "scatter_sub", "scatter-mul", "scatter_mul",
                     "scatter-min", "scatter_min", "scatter-max", "scatter_max")
    },
    "reduce": reduce,
    "reduce_window": reduce_window,
    "ragged_dot_general": ragged_dot,
    "select_and_scatter": select_and_scatter,
}  # fmt: skip
