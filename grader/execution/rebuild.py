"""A Program as a function that JAX can trace and compile.

In comes a valid program (from `grader.program.wire`), out goes a function of arrays. Its structure is written
out: calls are inlined; loops and branches go through JAX's own; a shard_map runs over the judge's own devices.
Each value must have the shape and dtype that the program declares, or the program is `Malformed`. What has no
meaning here, host callbacks above all, is `Unsupported`.

Importing this starts no backend; rebuilding does, where the program has a mesh.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.lax
import numpy as np
from jax.extend.core.primitives import all_to_all_p
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from grader.execution import errors
from grader.execution.errors import Malformed
from grader.execution.jax_primitives import TABLE, Params, plain, scatter_params
from grader.execution.values import KEY, array_of
from grader.program.calls import INLINED
from grader.program.types import Aval, Body, BodyRef, Constant, Equation, Mesh, Program, Sharding, Spec
from grader.program.wire import expanded_size

MOST_EQUATIONS = 20_000
"""With calls written out; a larger program would take XLA minutes to compile."""

lax: Any = jax.lax  # its annotations are partial

Values = list[Any]


class Unsupported(errors.Unsupported):
    """``primitive`` cannot be rebuilt; ``index`` is the call that has it, where several are run."""

    def __init__(self, primitive: str, reason: str = "", equation: Equation | None = None, index: int = 0) -> None:
        super().__init__(primitive, reason, equation)
        self.args = (f"{primitive} cannot be run on XLA" + (f": {reason}" if reason else ""),)
        self.reason = reason
        self.index = index


def rebuild(program: Program) -> Callable[..., tuple[Any, ...]]:
    """A function of one array for each input of the main body, in order, for jax.jit to trace.

    Typed PRNG keys go in and come out as such. Calling it raises `Malformed`, `Unsupported`, or what JAX
    raises for a program that makes no sense.
    """
    if expanded_size(program) > MOST_EQUATIONS:
        raise Unsupported("a program of more than 20,000 equations")

    def function(*arrays: Any) -> tuple[Any, ...]:
        run = _Run(program)
        main = program.main
        if len(arrays) != len(main.inputs):
            raise Malformed(f"{len(arrays)} inputs for a program that takes {len(main.inputs)}")
        for array, aval in zip(arrays, main.inputs, strict=True):
            if not _is(array, aval):
                raise Malformed(f"an input is not of the program's shape and dtype {aval.dtype}{list(aval.shape)}")
        return tuple(run.body(main, list(arrays)))

    return function


def meshes(program: Program) -> list[Mesh]:
    """Every mesh that the program names, in order."""
    found: dict[Mesh, None] = {}
    for body in program.bodies:
        for equation in body.equations:
            for value in equation.params.values():
                for each in value if isinstance(value, tuple) else (value,):
                    if isinstance(each, Mesh):
                        found[each] = None
                    elif isinstance(each, Sharding) and each.mesh is not None:
                        found[each.mesh] = None
    return list(found)


def device_ids(mesh: Mesh) -> tuple[int, ...]:
    """The devices of a mesh in its order; an abstract mesh has the first ones."""
    return mesh.devices or tuple(range(int(np.prod(mesh.sizes, dtype=np.int64))))


def _jax_mesh(mesh: Mesh) -> jax.sharding.Mesh:
    devices = {device.id: device for device in jax.devices("cpu")}
    ids = device_ids(mesh)
    if not all(each in devices for each in ids):
        raise Malformed(f"a mesh over devices that do not exist: {ids}")
    array = np.empty(len(ids), object)
    array[:] = [devices[each] for each in ids]
    return jax.sharding.Mesh(array.reshape(mesh.sizes), mesh.names, axis_types=(AxisType.Auto,) * len(mesh.names))


def _partition_spec(spec: Spec) -> Any:
    new: Any = PartitionSpec
    return new(*[PartitionSpec.UNCONSTRAINED if names == ("*",) else names or None for names in spec.axes])


def _is(value: Any, aval: Aval) -> bool:
    dtype = getattr(value, "dtype", None)
    return value.shape == aval.shape and (dtype is not None and dtype.name == aval.dtype)


class _Run:
    """One tracing of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.manual = 0
        """How many shard_maps the equations are inside of."""
        self.meshes: dict[Mesh, jax.sharding.Mesh] = {}

    def mesh(self, mesh: Mesh) -> jax.sharding.Mesh:
        if mesh not in self.meshes:
            self.meshes[mesh] = _jax_mesh(mesh)
        return self.meshes[mesh]

    def constant(self, k: int) -> Any:
        return _array(self.program.constants[-k - 1])

    def body(self, body: Body, values: Values) -> Values:
        for equation in body.equations:
            operands = [values[k] if k >= 0 else self.constant(k) for k in equation.operands]
            results = self.equation(equation, operands)
            if len(results) != len(equation.results):
                raise Malformed(
                    f"{equation.primitive} has {len(results)} results, not {len(equation.results)}", equation
                )
            for value, aval in zip(results, equation.results, strict=True):
                if not _is(value, aval):
                    raise Malformed(
                        f"a result of {equation.primitive} is {value.dtype.name}{list(value.shape)}, "
                        f"not {aval.dtype}{list(aval.shape)}",
                        equation,
                    )
            values += results
        return [values[k] if k >= 0 else self.constant(k) for k in body.outputs]

    def equation(self, equation: Equation, operands: Values) -> Values:
        primitive, params = equation.primitive, equation.params
        rule = TABLE.get(primitive)
        if rule is not None:
            found = rule(operands, _without_sharding(params), equation.results)
            results = list(found) if isinstance(found, (list, tuple)) else [found]
        elif primitive in INLINED:
            results = self.call(equation, operands)
        else:
            special = _SPECIAL.get(primitive)
            if special is None:
                raise Unsupported(primitive, equation=equation)
            results = special(self, params, operands)
        for key in ("sharding", "out_sharding"):
            if params.get(key) is not None and primitive not in _CONSTRAINTS:
                results = [self.constrain(value, params[key]) for value in results]
        return results

    def inner(self, ref: Any) -> Body:
        if not isinstance(ref, BodyRef):
            raise Malformed("a call without a body")
        return self.program.bodies[ref.index]

    def function(self, ref: Any) -> Callable[..., Values]:
        body = self.inner(ref)

        def function(*values: Any) -> Values:
            return self.body(body, list(values))

        return function

    # ── calls ────────────────────────────────────────────────────────────────────────────────────

    def call(self, equation: Equation, operands: Values) -> Values:
        params = equation.params
        operands = self.constrain_all(operands, params.get("in_shardings"))
        results = self.body(self.inner(params["jaxpr"]), list(operands))
        return self.constrain_all(results, params.get("out_shardings"))

    def cond(self, params: Params, operands: Values) -> Values:
        index, *rest = operands
        branches = [self.function(ref) for ref in params["branches"]]
        if index.dtype == np.bool_:
            index = lax.convert_element_type(index, np.int32)
        return list(lax.switch(index, branches, *rest))

    def scan(self, params: Params, operands: Values) -> Values:
        consts, carry = params["num_consts"], params["num_carry"]
        held, body = operands[:consts], self.function(params["jaxpr"])

        def step(carried: Values, row: Values) -> tuple[Values, Values]:
            results = body(*held, *carried, *row)
            return results[:carry], results[carry:]

        initial, rows = operands[consts : consts + carry], operands[consts + carry :]
        last, stacked = lax.scan(step, initial, rows, length=params["length"], reverse=params["reverse"])
        return [*last, *stacked]

    def loop(self, params: Params, operands: Values) -> Values:
        first, second = params["cond_nconsts"], params["body_nconsts"]
        asked, held, initial = operands[:first], operands[first : first + second], operands[first + second :]
        condition, body = self.function(params["cond_jaxpr"]), self.function(params["body_jaxpr"])
        result = lax.while_loop(
            lambda carried: condition(*asked, *carried)[0], lambda carried: body(*held, *carried), initial
        )
        return list(result)

    def shard_map(self, params: Params, operands: Values) -> Values:
        # Replication is not checked: JAX did when it traced the original, and the judge compares every device.
        function = self.function(params["jaxpr"])

        def body(*blocks: Any) -> tuple[Any, ...]:
            self.manual += 1
            try:
                return tuple(function(*blocks))
            finally:
                self.manual -= 1

        mesh = self.mesh(params["mesh"])
        mapped = jax.shard_map(
            body,
            # Inside another shard_map the mesh is the one that is there already.
            mesh=jax.sharding.get_abstract_mesh() if self.manual else mesh,
            in_specs=tuple([_partition_spec(spec) for spec in params["in_specs"]]),
            out_specs=tuple([_partition_spec(spec) for spec in params["out_specs"]]),
            axis_names=set(params["manual_axes"]),
            check_vma=False,
        )
        return list(mapped(*operands))

    # ── shardings ────────────────────────────────────────────────────────────────────────────────

    def constrain(self, value: Any, sharding: Any) -> Any:
        """``value`` laid out so over the mesh; other kinds of sharding (one device) say nothing about numbers."""
        if self.manual or not isinstance(sharding, Sharding):
            return value
        if sharding.kind != "NamedSharding" or sharding.mesh is None or sharding.spec is None:
            return value
        return lax.with_sharding_constraint(
            value, NamedSharding(self.mesh(sharding.mesh), _partition_spec(sharding.spec))
        )

    def constrain_all(self, values: Values, shardings: Any) -> Values:
        if not isinstance(shardings, tuple) or len(shardings) != len(values):
            return values
        return [self.constrain(value, sharding) for value, sharding in zip(values, shardings, strict=True)]

    def constraint(self, params: Params, operands: Values) -> Values:
        return [self.constrain(value, params["sharding"]) for value in operands]

    def device_put(self, params: Params, operands: Values) -> Values:
        return self.constrain_all(operands, params.get("shardings"))

    # ── functions of scalars ─────────────────────────────────────────────────────────────────────

    def reduce(self, params: Params, operands: Values) -> Values:
        half = len(operands) // 2
        results = lax.reduce(
            tuple(operands[:half]), tuple(operands[half:]), self.scalar(params["jaxpr"]), params["dimensions"]
        )
        return list(results)

    def reduce_window(self, params: Params, operands: Values) -> Values:
        half = len(operands) // 2
        keys = ("window_dimensions", "window_strides", "padding", "base_dilation", "window_dilation")
        results = lax.reduce_window(
            tuple(operands[:half]),
            tuple(operands[half:]),
            self.scalar(params["jaxpr"]),
            *[plain(params[key]) for key in keys],
        )
        return list(results)

    def scalar(self, ref: Any) -> Callable[[Any, Any], tuple[Any, ...]]:
        function = self.function(ref)
        return lambda left, right: tuple(function(*left, *right))

    def scatter(self, params: Params, operands: Values) -> Values:
        settings = scatter_params(params)
        operand, indices, updates = operands
        if params.get("update_jaxpr") is None:
            return [lax.scatter(operand, indices, updates, **settings)]
        # A function applied in place (``x.at[i].apply(f)``): it gets the element, and does nothing with the update.
        body = self.inner(params["update_jaxpr"])
        if 1 in body.outputs or any(1 in equation.operands for equation in body.equations):
            raise Unsupported("scatter", "with a function of two values")
        function = self.function(params["update_jaxpr"])
        return [
            lax.scatter_apply(operand, indices, lambda x: function(x, x)[0], update_shape=updates.shape, **settings)
        ]

    # ── communication ────────────────────────────────────────────────────────────────────────────

    def psum(self, params: Params, operands: Values) -> Values:
        return list(lax.psum(tuple(operands), params["axes"], axis_index_groups=_groups(params)))

    def pmax(self, params: Params, operands: Values) -> Values:
        return list(lax.pmax(tuple(operands), params["axes"], axis_index_groups=_groups(params)))

    def pmin(self, params: Params, operands: Values) -> Values:
        return list(lax.pmin(tuple(operands), params["axes"], axis_index_groups=_groups(params)))

    def all_gather(self, params: Params, operands: Values) -> Values:
        settings = {"axis": params["all_gather_dimension"], "tiled": params["tiled"]}
        return [
            lax.all_gather(each, params["axis_name"], axis_index_groups=_groups(params), **settings)
            for each in operands
        ]

    def reduce_scatter(self, params: Params, operands: Values) -> Values:
        settings = {"scatter_dimension": params["scatter_dimension"], "tiled": params["tiled"]}
        return [
            lax.psum_scatter(each, params["axis_name"], axis_index_groups=_groups(params), **settings)
            for each in operands
        ]

    def pbroadcast(self, params: Params, operands: Values) -> Values:
        return [lax.pbroadcast(each, params["axis_name"], params["source"]) for each in operands]

    def ppermute(self, params: Params, operands: Values) -> Values:
        return [lax.ppermute(each, params["axis_name"], params["perm"]) for each in operands]

    def all_to_all(self, params: Params, operands: Values) -> Values:
        names = params["axis_name"]
        settings = {
            "axis_name": names[0] if len(names) == 1 else names,
            "split_axis": params["split_axis"],
            "concat_axis": params["concat_axis"],
            "axis_index_groups": _groups(params),
            "tiled": params["tiled"],
        }
        bind: Any = all_to_all_p.bind
        # lax.all_to_all rearranges dimensions around the primitive, which the program has done already.
        return [bind(each, **settings) for each in operands]

    def axis_index(self, params: Params, operands: Values) -> Values:
        names = params["axis_name"]
        return [lax.axis_index(names[0] if len(names) == 1 else names)]

    def nothing(self, params: Params, operands: Values) -> Values:
        return []

    def same(self, params: Params, operands: Values) -> Values:
        return operands


_CONSTRAINTS = frozenset(("sharding_constraint", "reshard"))

_SPECIAL: dict[str, Callable[[_Run, Params, Values], Values]] = {
    "all_gather": _Run.all_gather,
    "all_to_all": _Run.all_to_all,
    "axis_index": _Run.axis_index,
    "cond": _Run.cond,
    "debug_callback": _Run.nothing,
    "device_put": _Run.device_put,
    "pbroadcast": _Run.pbroadcast,
    "pmax": _Run.pmax,
    "pmin": _Run.pmin,
    "ppermute": _Run.ppermute,
    "psum": _Run.psum,
    "pvary": _Run.same,
    "reduce": _Run.reduce,
    "reduce_scatter": _Run.reduce_scatter,
    "reduce_window": _Run.reduce_window,
    "reshard": _Run.constraint,
    "scan": _Run.scan,
    "scatter": _Run.scatter,
    "shard_map": _Run.shard_map,
    "sharding_constraint": _Run.constraint,
    "while": _Run.loop,
}
"""Primitives that call bodies, speak of devices, or need the whole program."""


def _groups(params: Params) -> Any:
    groups = params.get("axis_index_groups")
    return None if groups is None else [list(group) for group in groups]


def _without_sharding(params: Params) -> Params:
    if "sharding" not in params and "out_sharding" not in params:
        return params
    return {key: value for key, value in params.items() if key not in ("sharding", "out_sharding")}


def _array(constant: Constant) -> Any:
    dtype = constant.aval.dtype
    if dtype == KEY:
        return as_keys(array_of(constant))
    if dtype == "float0" or dtype.startswith("key<"):
        raise Unsupported(f"a constant of dtype {dtype}")
    return array_of(constant)


def as_keys(words: np.ndarray) -> Any:
    """Typed PRNG keys from one uint64 each (first word in the high half); for use while tracing."""
    pairs: Any = np.stack([words >> np.uint64(32), words & np.uint64(0xFFFFFFFF)], axis=-1).astype(np.uint32)
    return jax.random.wrap_key_data(pairs, impl="threefry2x32")
