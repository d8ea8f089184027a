"""Run a Program in NumPy: many examples at once, and inside a shard_map every device at once.

Every array has a leading axis of *lanes*. Outside shard_map the lanes are the examples, E of them; inside a
shard_map over n devices they are E * n, in C order over (example, mesh axes). Nothing that happens in a lane
depends on other lanes, but for collectives. Where lanes part ways (a cond on device-dependent data, a loop that
ends sooner for some) the body runs on the lanes that take it; a collective that only a part of its devices
reaches is a `Deadlock`.

The program is hostile: before each equation its cost, taken from the declared shapes, is deducted from the
`Fuel`, and its results must have the declared shapes and dtypes. `simulate` raises nothing but the exceptions of
`grader.execution.errors`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from grader.execution.blocks import gather_blocks, split_blocks
from grader.execution.choices import CHOICES
from grader.execution.cost import cost
from grader.execution.errors import (
    Deadlock,
    Malformed,
    OutOfFuel,
    OutOfMemory,
    SimulationError,
    Unsupported,
)
from grader.execution.float_environment import xla_floats
from grader.execution.primitives import COLLECTIVES, COMMUNICATION, RULES, Call, MeshFrame, Results, Rule
from grader.execution.primitives.collectives import axis_names, groups_of, to_groups
from grader.execution.primitives.functional import FUNCTIONAL
from grader.execution.values import constant_array, numpy_dtype
from grader.program.types import Aval, Body, BodyRef, Equation, Mesh, Program, Spec

__all__ = [
    "Deadlock",
    "Fuel",
    "Lanes",
    "Malformed",
    "Observer",
    "OutOfFuel",
    "OutOfMemory",
    "Outcome",
    "SimulationError",
    "Unequal",
    "Unsupported",
    "constant_array",
    "simulate",
]

Arrays = Sequence[np.ndarray]


@dataclass(slots=True)
class Fuel:
    """What may still be spent: steps (equations run, loop trips) and elements computed. Shared by all who get it."""

    steps: int = 1_000_000
    elements: int = 2_000_000_000

    def take(self, elements: int, steps: int = 1) -> None:
        """Deduct, or raise `OutOfFuel`."""
        self.steps -= steps
        self.elements -= elements
        if self.steps < 0 or self.elements < 0:
            raise OutOfFuel("the program does more work than it is allowed")

    def spend(self, equation: Equation, lanes: int, operands: Sequence[Aval] = ()) -> None:
        """Deduct what one equation costs on so many lanes."""
        self.take(cost(equation, operands) * lanes)


@dataclass(frozen=True, slots=True)
class Lanes:
    """Which lanes an array's leading axis holds.

    ``mesh`` is None outside shard_map. ``ids``, when not None, are the lanes that take this branch or trip, as
    numbers among all ``examples * mesh.devices``.
    """

    examples: int
    mesh: MeshFrame | None = None
    ids: np.ndarray | None = None

    @property
    def devices(self) -> int:
        return 1 if self.mesh is None else self.mesh.devices

    @property
    def count(self) -> int:
        return self.examples * self.devices if self.ids is None else len(self.ids)

    @property
    def example_of_lane(self) -> np.ndarray:
        """(lanes,): the example that each lane belongs to."""
        ids = np.arange(self.examples * self.devices) if self.ids is None else self.ids
        return ids // self.devices

    def only(self, taken: np.ndarray) -> Lanes:
        """The lanes for which the mask ``taken`` (lanes,) is true."""
        if self.ids is not None:
            return Lanes(self.examples, self.mesh, self.ids[taken])
        return Lanes(self.examples, self.mesh, np.flatnonzero(taken))

    def over(self, inner: MeshFrame) -> Lanes:
        """The lanes of a shard_map body entered from these lanes."""
        mesh = inner
        if self.mesh is not None:
            mesh = MeshFrame(self.mesh.names + inner.names, self.mesh.sizes + inner.sizes)
        ids = None
        if self.ids is not None:
            ids = (self.ids[:, None] * inner.devices + np.arange(inner.devices)).reshape(-1)
        return Lanes(self.examples, mesh, ids)


class Observer(Protocol):
    """What may watch a run: any of these methods; those that are missing cost nothing.

    * ``choice(equation, sides, lanes)``: an equation chose by data. ``sides`` (lanes, *shape) of integers or
      bools says how, for each element: comparisons: the result; select_n and cond: the case taken; max, min:
      0 the first operand, 1 the second, 2 a tie; clamp: 0 below, 1 inside, 2 above; while: 1 another trip, 0 end;
      logic on bools: the result; abs: 1 where the operand is negative; sign: 0 negative, 1 zero, 2 positive.
    * ``after(equation, operands, results)``: an equation was computed.
    * ``enters(equation)``, ``leaves(equation)``: the bodies of a call, branch, loop or shard_map begin and end;
      ``leaves`` comes also when the run fails in between.
    * ``leaves_shard_map(equation, outputs)``: what each device holds of each output of a shard_map, as arrays
      (lanes outside, devices, *block).
    """


@dataclass(frozen=True, slots=True)
class Unequal:
    """An output of a shard_map whose spec leaves out mesh axes along which the devices differ.

    ``devices``: (lanes outside, devices, *block), what each device holds.
    """

    equation: Equation
    output: int
    devices: np.ndarray


@dataclass(frozen=True, slots=True)
class Outcome:
    """``outputs``: one array (E, *shape) for each output of the main body."""

    outputs: tuple[np.ndarray, ...]
    unequal: tuple[Unequal, ...] = ()


Replace = Callable[[Equation], Rule | None]
"""Gives the rule (call, *arrays) to use in place of an equation's own, or None."""


def simulate(
    program: Program,
    inputs: Arrays,
    *,
    fuel: Fuel,
    observer: object | None = None,
    replace: Replace | None = None,
) -> Outcome:
    """Run the main body on ``inputs``, one array (E, *shape) for each, all with the same E ≥ 1.

    Raises OutOfFuel, OutOfMemory, Malformed, Deadlock, Unsupported; ValueError when ``inputs`` do not fit.
    """
    main = program.main
    if len(inputs) != len(main.inputs):
        raise ValueError(f"{len(inputs)} inputs for a program of {len(main.inputs)}")
    examples = inputs[0].shape[0] if inputs else 1
    for array, aval in zip(inputs, main.inputs, strict=True):
        if array.shape != (examples, *aval.shape) or array.dtype != numpy_dtype(aval.dtype):
            raise ValueError(f"an input is {array.dtype}{array.shape}, not ({examples}, *{aval.shape}) of {aval.dtype}")
    run = _Run(program, fuel, observer, replace)
    with xla_floats():
        outputs = run.body(len(program.bodies) - 1, inputs, Lanes(examples))
    return Outcome(tuple(outputs), tuple(run.unequal))


@dataclass(slots=True)
class _Step:
    """An equation, prepared: what to run, on which values, and what must come out."""

    equation: Equation
    call: Call
    rule: Rule | None
    collective: Callable[..., Results] | None
    control: Control | None
    operands: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[np.dtype, ...]
    cost: int
    choice: Callable[..., np.ndarray] | None
    dead: list[int] = field(default_factory=list)
    """Values that no later equation reads."""


class _Run:
    def __init__(self, program: Program, fuel: Fuel, observer: object | None, replace: Replace | None) -> None:
        self.program = program
        self.fuel = fuel
        self.replace = replace
        self.choice = getattr(observer, "choice", None)
        self.after = getattr(observer, "after", None)
        self.leaves_shard_map = getattr(observer, "leaves_shard_map", None)
        self.enters = getattr(observer, "enters", None)
        self.leaves = getattr(observer, "leaves", None)
        self.unequal: list[Unequal] = []
        self.prepared: dict[int, list[_Step]] = {}
        self.constants: dict[tuple[int, int], np.ndarray] = {}

    # ── bodies ───────────────────────────────────────────────────────────────────────────────────

    def body(self, index: int, inputs: Arrays, lanes: Lanes) -> list[np.ndarray]:
        """Run a body; inputs and outputs are (lanes, *shape)."""
        steps = self.prepared.get(index)
        if steps is None:
            steps = self.prepared[index] = self.prepare(self.program.bodies[index])
        count = lanes.count
        values: list[Any] = list(inputs)
        fuel, after = self.fuel, self.after
        for step in steps:
            operands = [values[k] if k >= 0 else self.constant(k, count) for k in step.operands]
            fuel.take(step.cost * count)
            results: Any
            sides: np.ndarray | None = None
            try:
                if step.rule is not None:
                    results = step.rule(step.call, *operands)
                elif step.control is not None:
                    results = self.control(step, step.control, operands, lanes)
                else:
                    results = self.collective(step, operands, lanes)
                if type(results) is np.ndarray:
                    results = (results,)
                if step.choice is not None:
                    sides = step.choice(step.call, operands, results)
            except SimulationError as error:
                if error.equation is None:
                    error.equation = step.equation
                raise
            except MemoryError:
                raise OutOfMemory(f"no memory for the result of {step.equation.primitive}", step.equation) from None
            except Exception as error:  # hostile params, or a fault of ours: XLA will say which
                raise Unsupported(step.equation.primitive, f"{type(error).__name__}: {error}", step.equation) from error
            if len(results) != len(step.shapes):
                raise Malformed(f"{step.equation.primitive} declares another number of results", step.equation)
            for result, shape, dtype in zip(results, step.shapes, step.dtypes, strict=True):
                if result.shape[1:] != shape or result.dtype != dtype:
                    raise Malformed(
                        f"{step.equation.primitive} declares {dtype}{shape}, but gives {result.dtype}"
                        f"{result.shape[1:]}",
                        step.equation,
                    )
                if result.shape[0] != count:
                    result = np.broadcast_to(result, (count, *shape))
                values.append(result)
            if after is not None:
                after(step.equation, operands, values[len(values) - len(step.shapes) :])
            if sides is not None and self.choice is not None:
                self.choice(step.equation, sides, lanes)
            for k in step.dead:
                values[k] = None
        return [values[k] if k >= 0 else self.constant(k, count) for k in self.program.bodies[index].outputs]

    def control(self, step: _Step, control: Control, operands: Arrays, lanes: Lanes) -> Arrays:
        if self.enters is not None:
            self.enters(step.equation)
        try:
            return control(self, step.call, operands, lanes)
        finally:
            if self.leaves is not None:
                self.leaves(step.equation)

    def constant(self, operand: int, lanes: int) -> np.ndarray:
        array = self.constants.get((operand, lanes))
        if array is None:
            array = constant_array(self.program.constants[-operand - 1], lanes)
            self.constants[operand, lanes] = array
        return array

    def prepare(self, body: Body) -> list[_Step]:
        avals = list(body.inputs)
        constants = self.program.constants
        steps = []
        last: dict[int, int] = {}
        for place, equation in enumerate(body.equations):
            operands = tuple([avals[k] if k >= 0 else constants[-k - 1].aval for k in equation.operands])
            name = equation.primitive
            rule = RULES.get(name)
            control = CONTROL.get(name) if rule is None else None
            if name in FUNCTIONAL and isinstance(equation.params.get(FUNCTIONAL[name][0]), BodyRef):
                rule, control = None, _Run.functional
            replaced = self.replace(equation) if self.replace is not None else None
            if replaced is not None:
                rule, control = replaced, None
            collective = COLLECTIVES.get(name) if rule is None and control is None else None
            if rule is None and control is None and collective is None:
                rule = _unsupported(name)
            results = equation.results
            steps.append(
                _Step(
                    equation,
                    Call(equation, operands),
                    rule,
                    collective,
                    control,
                    equation.operands,
                    tuple([aval.shape for aval in results]),
                    tuple([numpy_dtype(aval.dtype) for aval in results]),
                    cost(equation, operands),
                    CHOICES.get(name) if self.choice is not None else None,
                )
            )
            for k in equation.operands:
                last[k] = place
            first = len(avals)
            for k in range(first, first + len(results)):
                last[k] = place
            avals.extend(results)
        for k in body.outputs:
            last.pop(k, None)
        for k, place in last.items():
            if k >= 0:
                steps[place].dead.append(k)
        return steps

    # ── collectives ──────────────────────────────────────────────────────────────────────────────

    def collective(self, step: _Step, operands: Arrays, lanes: Lanes) -> Arrays:
        assert step.collective is not None
        mesh, name = lanes.mesh, step.equation.primitive
        if mesh is None:
            if name == "pvary":  # in a scalar function that is used in a body: a type, no number
                return operands
            if any(isinstance(each, str) for each in axis_names(step.call)):
                raise Malformed(f"{name} stands outside every shard_map", step.equation)
            lanes = Lanes(lanes.count, MeshFrame((), ()))  # over the dimensions of an array, as vmap makes it
        if lanes.ids is None:
            return self._all_lanes(step, operands, lanes)
        if name in COMMUNICATION:
            self._check_all_arrive(step, lanes)
        whole = Lanes(lanes.examples, mesh)
        self.fuel.take(step.cost * whole.count, steps=0)
        spread = []
        for operand in operands:
            full = np.zeros((whole.count, *operand.shape[1:]), operand.dtype)
            full[lanes.ids] = operand
            spread.append(full)
        return [result[lanes.ids] for result in self._all_lanes(step, spread, whole)]

    def _all_lanes(self, step: _Step, operands: Arrays, lanes: Lanes) -> Arrays:
        assert step.collective is not None
        assert lanes.mesh is not None
        results = step.collective(step.call, lanes.mesh, *operands)
        if isinstance(results, np.ndarray):
            results = (results,)
        if not operands:  # axis_index: one value a device
            return [np.tile(result, lanes.examples) for result in results]
        return results

    def _check_all_arrive(self, step: _Step, lanes: Lanes) -> None:
        """All devices that wait for each other must be among the lanes, or none."""
        assert lanes.mesh is not None
        here = np.zeros(lanes.examples * lanes.devices, bool)
        here[lanes.ids] = True
        if step.equation.primitive in WAITS_FOR_ALL:
            grid = here.reshape(lanes.examples, lanes.devices)
        else:
            names = tuple(name for name in axis_names(step.call) if isinstance(name, str))
            grid = to_groups(here, lanes.mesh, names)
            groups = groups_of(step.call, grid.shape[1])
            if groups is not None:
                grid = grid[:, np.array(groups)].reshape(-1, len(groups[0]))
        if (grid.any(axis=1) != grid.all(axis=1)).any():
            raise Deadlock(
                f"only some of the devices reach {step.equation.primitive}: they would wait forever", step.equation
            )

    # ── bodies within equations ──────────────────────────────────────────────────────────────────

    def inline(self, call: Call, operands: Arrays, lanes: Lanes) -> Arrays:
        index = self.reference(call, call.params["jaxpr"], operands)
        return self.body(index, operands, lanes)

    def reference(self, call: Call, reference: object, operands: Arrays) -> int:
        """The index of a body that takes ``operands``."""
        if not isinstance(reference, BodyRef):
            raise Malformed(f"{call.equation.primitive} has no body", call.equation)
        avals = self.program.bodies[reference.index].inputs
        if len(avals) != len(operands):
            raise Malformed(f"{call.equation.primitive} gives its body {len(operands)} values for {len(avals)}")
        for aval, operand in zip(avals, operands, strict=True):
            if operand.shape[1:] != aval.shape or operand.dtype != numpy_dtype(aval.dtype):
                raise Malformed(
                    f"the body of {call.equation.primitive} wants {aval.dtype}{aval.shape} and gets "
                    f"{operand.dtype}{operand.shape[1:]}",
                    call.equation,
                )
        return reference.index

    def functional(self, call: Call, operands: Arrays, lanes: Lanes) -> Arrays:
        """A primitive with a scalar function of its own: each element is a lane of the function's body."""
        param, rule = FUNCTIONAL[call.equation.primitive]
        reference = call.params[param]

        def function(*arrays: np.ndarray) -> list[np.ndarray]:
            shape = arrays[0].shape
            wanted = len(self.program.bodies[reference.index].inputs)  # scatter's may leave the update out
            self.fuel.take(0)
            flat = [np.ascontiguousarray(each).reshape(-1) for each in arrays[:wanted]]
            results = self.body(self.reference(call, reference, flat), flat, Lanes(math.prod(shape)))
            return [each.reshape(shape) for each in results]

        return rule(call, function, *operands)

    def linear_solve(self, call: Call, operands: Arrays, lanes: Lanes) -> Arrays:
        """custom_linear_solve: what its ``solve`` makes of its own constants and the right-hand sides."""
        lengths = dict(call.params["const_lengths"].fields)
        first = lengths["matvec"] + lengths["vecmat"]
        constants = list(operands[first : first + lengths["solve"]])
        right = operands[first + lengths["solve"] + lengths["transpose_solve"] :]
        given = [*constants, *right]
        return self.body(self.reference(call, call.params["jaxprs"]["solve"], given), given, lanes)

    def scan(self, call: Call, operands: Arrays, lanes: Lanes) -> Arrays:
        params = call.params
        length, constants, carried = params["length"], params["num_consts"], params["num_carry"]
        if min(length, constants, carried) < 0 or constants + carried > len(operands):
            raise Malformed("scan with impossible counts", call.equation)
        fixed, carry, stacked = (
            list(operands[:constants]),
            list(operands[constants : constants + carried]),
            operands[constants + carried :],
        )
        if any(each.ndim < 2 or each.shape[1] != length for each in stacked):
            raise Malformed("scan over arrays that do not have its length", call.equation)
        outputs = call.results[carried:]
        if any(not aval.shape or aval.shape[0] != length for aval in outputs):
            raise Malformed("scan declares outputs that do not have its length", call.equation)
        count = lanes.count
        rows = [np.empty((count, *aval.shape), numpy_dtype(aval.dtype)) for aval in outputs]
        if length == 0:
            return [*carry, *rows]
        first = [*fixed, *carry, *(each[:, 0] for each in stacked)]
        index = self.reference(call, params["jaxpr"], first)
        body = self.program.bodies[index]
        if len(body.outputs) != carried + len(outputs):
            raise Malformed("scan's body gives another number of results", call.equation)
        for place in reversed(range(length)) if params["reverse"] else range(length):
            self.fuel.take(0)
            results = self.body(index, [*fixed, *carry, *(each[:, place] for each in stacked)], lanes)
            self._same_carry(call, carry, results)
            carry = results[:carried]
            for row, result in zip(rows, results[carried:], strict=True):
                if row.dtype != result.dtype or row.shape[2:] != result.shape[1:]:
                    raise Malformed("scan declares other rows than its body gives", call.equation)
                row[:, place] = result
        return [*carry, *rows]

    def _same_carry(self, call: Call, before: Arrays, after: Arrays) -> None:
        for old, new in zip(before, after, strict=False):
            if old.shape != new.shape or old.dtype != new.dtype:
                raise Malformed(f"the carry of {call.equation.primitive} changes its shape or dtype", call.equation)

    def loop(self, call: Call, operands: Arrays, lanes: Lanes) -> Arrays:
        params = call.params
        tests, fixed = params["cond_nconsts"], params["body_nconsts"]
        if min(tests, fixed) < 0 or tests + fixed > len(operands):
            raise Malformed("while with impossible counts", call.equation)
        test_values, body_values = operands[:tests], operands[tests : tests + fixed]
        carry = list(operands[tests + fixed :])
        test = self.reference(call, params["cond_jaxpr"], [*test_values, *carry])
        step = self.reference(call, params["body_jaxpr"], [*body_values, *carry])
        final: list[np.ndarray] | None = None  # where the lanes that ended put their results
        rows = np.arange(lanes.count)  # which rows of the results the lanes still running are
        while True:
            self.fuel.take(0)
            test_results = self.body(test, [*test_values, *carry], lanes)
            if len(test_results) != 1 or test_results[0].dtype != np.bool_:
                raise Malformed("while needs one bool to go by", call.equation)
            # A loop mapped over a batch has one condition an element: it runs while any holds, and only those move.
            each_going = test_results[0]
            going: np.ndarray = np.any(each_going.reshape(lanes.count, -1), axis=1)
            if self.choice is not None:
                self.choice(call.equation, going, lanes)
            if not going.all():
                if final is None and not going.any():
                    return carry
                if final is None:
                    final = [np.empty_like(each) for each in carry]
                stop = ~going
                for whole, each in zip(final, carry, strict=True):
                    whole[rows[stop]] = each[stop]
                if not going.any():
                    return final
                self._spend_on_parting([*carry, *test_values, *body_values])
                rows, lanes = rows[going], lanes.only(going)
                each_going = each_going[going]
                carry = [each[going] for each in carry]
                test_values = [each[going] for each in test_values]
                body_values = [each[going] for each in body_values]
            results = self.body(step, [*body_values, *carry], lanes)
            if len(results) != len(carry):
                raise Malformed("while's body gives another number of results", call.equation)
            self._same_carry(call, carry, results)
            carry = results if each_going.ndim == 1 else self._moved(call, each_going, carry, results)

    def _spend_on_parting(self, arrays: Arrays) -> None:
        """Lanes that go different ways take copies of their values along."""
        self.fuel.take(sum(each.size for each in arrays), steps=0)

    def _moved(self, call: Call, going: np.ndarray, before: Arrays, after: Arrays) -> list[np.ndarray]:
        """The new carry where the batch's condition held, the old elsewhere."""
        found = []
        for old, new in zip(before, after, strict=True):
            if old.shape[: going.ndim] != going.shape:
                raise Malformed("while with a condition of a shape that its carry does not begin with", call.equation)
            found.append(np.where(going.reshape(going.shape + (1,) * (old.ndim - going.ndim)), new, old))
        return found

    def branch(self, call: Call, operands: Arrays, lanes: Lanes) -> Arrays:
        branches = call.params["branches"]
        if not operands or operands[0].ndim != 1 or operands[0].dtype.kind not in "bi":
            raise Malformed("cond without a scalar index", call.equation)
        index = np.clip(operands[0].astype(np.int64), 0, len(branches) - 1)
        given = operands[1:]
        if self.choice is not None:
            self.choice(call.equation, index, lanes)
        if not len(index):
            raise Malformed("cond without lanes", call.equation)
        if (index == index[0]).all():
            return self.body(self.reference(call, branches[int(index[0])], given), given, lanes)
        self._spend_on_parting(operands)
        found = [np.empty((lanes.count, *aval.shape), numpy_dtype(aval.dtype)) for aval in call.results]
        for k, reference in enumerate(branches):
            taken = index == k
            if not taken.any():
                continue
            results = self.body(
                self.reference(call, reference, given), [each[taken] for each in given], lanes.only(taken)
            )
            for whole, result in zip(found, results, strict=True):
                if whole.dtype != result.dtype or whole.shape[1:] != result.shape[1:]:
                    raise Malformed("cond declares other results than its branches give", call.equation)
                whole[taken] = result
        return found

    def shard_map(self, call: Call, operands: Arrays, lanes: Lanes) -> Arrays:
        inner, in_specs, out_specs = self._shard_map_params(call, len(operands))
        for operand, spec in zip(operands, in_specs, strict=True):
            _check_spec(call, operand.shape[1:], spec, inner, divide=True)
        for aval, spec in zip(call.results, out_specs, strict=True):
            _check_spec(call, aval.shape, spec, inner, divide=True)
        self.fuel.take(
            lanes.count * inner.devices * sum(operand[0].size for operand in operands), steps=0
        )  # copies for each device
        blocks = [split_blocks(operand, spec, inner) for operand, spec in zip(operands, in_specs, strict=True)]
        index = self.reference(call, call.params["jaxpr"], blocks)
        results = self.body(index, blocks, lanes.over(inner))
        if len(results) != len(out_specs):
            raise Malformed("shard_map's body gives another number of results", call.equation)
        if self.leaves_shard_map is not None:
            self.leaves_shard_map(
                call.equation,
                tuple(each.reshape((lanes.count, inner.devices, *each.shape[1:])) for each in results),
            )
        joined = []
        for k, (result, spec) in enumerate(zip(results, out_specs, strict=True)):
            block, whole = result.shape[1:], call.results[k].shape
            sizes = dict(zip(inner.names, inner.sizes, strict=True))
            if len(block) != len(whole) or any(
                part * math.prod(sizes[name] for name in (spec.axes[d] if d < len(spec.axes) else ())) != size
                for d, (part, size) in enumerate(zip(block, whole, strict=True))
            ):
                raise Malformed("shard_map declares another shape than its blocks make", call.equation)
            array = gather_blocks(result, spec, inner)
            if not _replicas_agree(result, spec, inner):
                devices = result.reshape((lanes.count, inner.devices, *block))
                self.unequal.append(Unequal(call.equation, k, devices))
            joined.append(array)
        return joined

    def _shard_map_params(self, call: Call, operands: int) -> tuple[MeshFrame, Sequence[Spec], Sequence[Spec]]:
        params = call.params
        mesh, in_specs, out_specs = params["mesh"], params["in_specs"], params["out_specs"]
        if not isinstance(mesh, Mesh) or len(in_specs) != operands or len(out_specs) != len(call.results):
            raise Malformed("shard_map with params that do not fit", call.equation)
        manual = params.get("manual_axes") or mesh.names
        inner = MeshFrame(
            tuple(name for name in mesh.names if name in manual),
            tuple(size for name, size in zip(mesh.names, mesh.sizes, strict=True) if name in manual),
        )
        if inner.devices < 1 or len(set(inner.names)) != len(inner.names):
            raise Malformed("shard_map over a mesh that cannot be", call.equation)
        return inner, in_specs, out_specs


def _check_spec(call: Call, shape: tuple[int, ...], spec: Spec, mesh: MeshFrame, *, divide: bool) -> None:
    sizes = dict(zip(mesh.names, mesh.sizes, strict=True))
    named = [name for axes in spec.axes for name in axes]
    if len(spec.axes) > len(shape) or len(set(named)) != len(named) or not all(name in sizes for name in named):
        raise Malformed("shard_map with a spec that does not fit its array or mesh", call.equation)
    for size, axes in zip(shape, spec.axes, strict=False):
        if divide and size % math.prod(sizes[name] for name in axes):
            raise Malformed("shard_map splits a dimension that its devices cannot share evenly", call.equation)


def _replicas_agree(result: np.ndarray, spec: Spec, mesh: MeshFrame) -> bool:
    """Whether devices that should hold the same block do, to the bit (NaN equals NaN)."""
    named = {name for axes in spec.axes for name in axes}
    left_out = [place for place, name in enumerate(mesh.names) if name not in named]
    if not left_out:
        return True
    grid = result.reshape((len(result) // mesh.devices, *mesh.sizes, *result.shape[1:]))
    of_each = (slice(0, 1) if place in left_out else slice(None) for place in range(len(mesh.sizes)))
    first = grid[(slice(None), *of_each)]
    same = grid == first
    if same.all():
        return True
    if grid.dtype.kind in "fcV":
        same |= (grid != grid) & (first != first)
    return bool(same.all())


def _unsupported(name: str) -> Rule:
    def rule(call: Call, *arrays: np.ndarray) -> Results:
        raise Unsupported(name, equation=call.equation)

    return rule


WAITS_FOR_ALL = frozenset({"ppermute", "pbroadcast"})
"""Collectives for which XLA waits for the whole mesh, not only for the devices along the named axes."""

Control = Callable[[_Run, Call, Arrays, Lanes], Arrays]

CONTROL: dict[str, Control] = {
    "jit": _Run.inline,
    "composite": _Run.inline,
    "custom_vmap_call": _Run.inline,
    "custom_linear_solve": _Run.linear_solve,
    "remat": _Run.inline,
    "custom_jvp_call": _Run.inline,
    "custom_vjp_call": _Run.inline,
    "scan": _Run.scan,
    "while": _Run.loop,
    "cond": _Run.branch,
    "shard_map": _Run.shard_map,
}
