"""The data-flow analysis: a program run on labels.

Theory of operation. A program (pruned of dead code) is interpreted once, every device of a shard_map
body at a time, on one probe input. Beside its concrete value each element carries labels
(`grader.analysis.labels`): on which inputs it may depend, and by which ways. A value without labels
depends on no input, so its concrete value is the value for every input: indices, masks and trip
counts made from constants and `axis_index` are exact. Whatever does depend on an input is treated as
unknown: both sides of a choice count, every branch is walked, a loop is run until its labels stand
still. Hence what the labels say holds for all inputs, not only for the probe.

In: a Program, names of its inputs, and a `Question`. Out: `Facts`. The judging is `grader.rules`'.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from grader.analysis import labels as L
from grader.analysis.facts import (
    Addition,
    BodyOperand,
    BodyResult,
    Collective,
    Computation,
    Constraint,
    Difference,
    Facts,
    Labelled,
    Result,
    ShardMap,
    Value,
    input_origins,
)
from grader.analysis.transfer import (
    MANY,
    SUMS,
    coarse,
    full,
    labels_of,
    lift,
    origins_of,
    summary,
    times_of,
    transfer,
)
from grader.execution.blocks import gather_blocks, split_blocks
from grader.execution.errors import Malformed, OutOfMemory, SimulationError, Unsupported
from grader.execution.primitives import COLLECTIVES, MOVEMENT, RULES, Call, MeshFrame
from grader.execution.primitives.functional import FUNCTIONAL
from grader.execution.simulator import Fuel
from grader.execution.values import constant_array, numpy_dtype
from grader.program.types import Aval, BodyRef, Container, Equation, Leaf, Mesh, Program, Sharding, Source, Spec

CALLS = frozenset({"jit", "remat", "custom_jvp_call", "custom_vjp_call"})
CALLBACKS = frozenset({"pure_callback", "io_callback", "ffi_call"})
ROUNDS = 12
"""A loop whose labels do not stand still after so many rounds mixes all that it carries, as far as labels go."""


@dataclass(frozen=True)
class Question:
    """What the analysis is to look for.

    ``split``: the inputs that devices hold in blocks; ``terms``: what a device's part of the reduced value
    must be made of, at least one of each group; ``added``: the input whose additions are counted;
    ``returns``: whether what a body made of its blocks, and another body is given in blocks, counts there as made of
    that device's blocks (as where differentiation makes a second body); ``values``: whether to list what every
    equation outside the bodies makes, and what is subtracted.
    """

    split: tuple[str, ...] = ()
    terms: tuple[tuple[str, ...], ...] = ()
    added: str | None = None
    values: bool = False
    returns: bool = False


class Undecided(Exception):
    """The analysis met something that it cannot follow; the verdict is IE with this reason."""


@dataclass
class Findings:
    """What is collected on the way; see `Facts`."""

    shard_maps: list[ShardMap] = field(default_factory=list)
    collectives: list[Collective] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    computations: list[Computation] = field(default_factory=list)
    additions: list[Addition] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    callbacks: list[Equation] = field(default_factory=list)
    callback_places: list[Source | None] = field(default_factory=list)


def analyse(
    program: Program, names: Sequence[str], question: Question, probe: Sequence[np.ndarray], fuel: Fuel
) -> Facts:
    """Run ``program`` (pruned) on labels.

    ``names`` are its inputs' in order, ``probe`` their concrete values, each of its input's shape.
    Raises `Undecided`, or what the simulator raises (OutOfFuel, Malformed).
    """
    try:
        return Interpreter(program, names, question, fuel).run(probe)
    except (SimulationError, Undecided):
        raise
    except MemoryError:
        raise OutOfMemory("no memory for what the data-flow analysis keeps") from None
    except Exception as error:  # a program that lies, or a fault of ours: either way nothing is known
        raise Undecided(f"the data cannot be followed ({type(error).__name__}: {error})") from error


class Interpreter:
    def __init__(self, program: Program, names: Sequence[str], question: Question, fuel: Fuel) -> None:
        self.program = program
        self.names = list(names)
        self.fuel = fuel
        self.lists_values = question.values
        self.returns = question.returns
        self.found = Findings()
        self.places: list[Source | None] = []
        self.mesh: MeshFrame | None = None
        self.unsure = 0
        self.next_origin = 1 << 44
        self.made: dict[int, tuple[Labelled, Source | None]] = {}
        """For values outside the bodies, by identity: the place of the equation that made each."""
        self.equal_sums: dict[int, tuple[Labelled, int, Labelled]] = {}
        """For sums of what all devices hold alike, by identity: which collective made each, and of what."""

        positions = {name: position for position, name in enumerate(self.names)}
        self.split = [positions[name] for name in question.split if name in positions]
        self.terms = [[positions[name] for name in names if name in positions] for names in question.terms]
        self.added = positions.get(question.added) if question.added is not None else None
        self.split_mask = L.NONE
        for position in self.split:
            self.split_mask |= L.held_anywhere(position)

    # ── the whole program ────────────────────────────────────────────────────────────────────────

    def run(self, probe: Sequence[np.ndarray]) -> Facts:
        main = self.program.main
        arguments = []
        for position, (aval, data) in enumerate(zip(main.inputs, probe, strict=True)):
            shape = (1, *aval.shape)
            arguments.append(
                Labelled(
                    np.asarray(data).reshape(shape),
                    np.full(shape, L.whole(position)),
                    input_origins(position, aval.shape).reshape(shape),
                    np.ones(shape, np.int64) if position == self.added else None,
                )
            )
        outputs = self.body(len(self.program.bodies) - 1, arguments, lanes=1)
        results = {name: self.result(outputs[leaf]) for name, leaf in returned_leaves(self.program).items()}
        return Facts(
            inputs={name: aval.shape for name, aval in zip(self.names, main.inputs, strict=True)},
            results=results,
            shard_maps=tuple(self.found.shard_maps),
            collectives=tuple(self.found.collectives),
            constraints=tuple(self.found.constraints),
            computations=tuple(self.found.computations),
            additions=tuple(self.found.additions),
            differences=tuple(self.found.differences),
            values=tuple(self.found.values),
            callbacks=tuple(self.found.callbacks),
            callback_places=tuple(self.found.callback_places),
        )

    def result(self, value: Labelled) -> Result:
        return Result(
            shape=value.data.shape[1:],
            dtype=str(value.data.dtype),
            labels=labels_of(value)[0],
            origins=origins_of(value)[0],
            times=times_of(value)[0],
            place=self.made.get(id(value), (value, None))[1],
        )

    # ── bodies and equations ─────────────────────────────────────────────────────────────────────

    def body(self, index: int, arguments: Sequence[Labelled], lanes: int) -> list[Labelled]:
        body = self.program.bodies[index]
        avals: list[Aval] = list(body.inputs)
        values: list[Labelled] = list(arguments)
        constants = self.program.constants

        def read(operand: int) -> Labelled:
            return values[operand] if operand >= 0 else Labelled(constant_array(constants[-operand - 1], lanes))

        for equation in body.equations:
            operands = [read(each) for each in equation.operands]
            types = tuple(avals[each] if each >= 0 else constants[-each - 1].aval for each in equation.operands)
            self.places.append(equation.source)
            results = self.equation(Call(equation, types), operands, lanes)
            if self.mesh is None:
                place = self.place
                for each in results:
                    self.made.setdefault(id(each), (each, place))
            self.places.pop()
            values.extend(results)
            avals.extend(equation.results)
        return [read(each) for each in body.outputs]

    @property
    def place(self) -> Source | None:
        """Where in the submission we are: the innermost equation on the stack that knows."""
        return next((each for each in reversed(self.places) if each is not None), None)

    def equation(self, call: Call, operands: list[Labelled], lanes: int) -> list[Labelled]:
        name = call.equation.primitive
        if name in CALLS:
            return self.call(call, operands, lanes)
        control = {"scan": self.scan, "while": self.loop, "cond": self.branch, "shard_map": self.shard_map}.get(name)
        if control is not None:
            return control(call, operands, lanes)
        self.fuel.spend(call.equation, lanes)
        if name in COLLECTIVES:
            return self.collective(call, operands)
        if name in CALLBACKS:
            self.found.callbacks.append(call.equation)
            self.found.callback_places.append(self.place)
            return self.opaque(call, operands, lanes)
        self.note(call, operands)
        rule = RULES.get(name)
        if rule is None:
            return self.opaque(call, operands, lanes)
        try:
            with np.errstate(all="ignore"):
                computed = rule(call, *(each.data for each in operands))
        except Unsupported:
            return self.opaque(call, operands, lanes)
        except MemoryError:
            raise OutOfMemory(f"no memory for the result of {name}", call.equation) from None
        except SimulationError:
            raise
        except Exception:  # hostile params, or a fault of ours: XLA will say which
            return self.opaque(call, operands, lanes)
        data = [computed] if isinstance(computed, np.ndarray) else list(computed)
        results = transfer(call, operands, declared(call.equation, data, lanes))
        if name in ("div", "mul") and self.equal_sums:
            results = [self.mean_of_equals(name, operands, results[0])]
        if self.lists_values and self.mesh is None:
            self.list_values(name, operands, results)
        return results

    def list_values(self, name: str, operands: Sequence[Labelled], results: Sequence[Labelled]) -> None:
        if name == "sub" and all(each.origins is not None for each in operands):
            left, right = np.broadcast_arrays(origins_of(operands[0])[0], origins_of(operands[1])[0])
            self.found.differences.append(Difference(self.place, left, right))
        for each in results:
            common = L.NONE
            if each.labels is not None and each.labels.size:
                common = np.uint64(np.bitwise_and.reduce(each.labels, axis=None))
            if common != L.NONE:
                self.found.values.append(Value(self.place, name, each.data.shape[1:], common))

    def opaque(self, call: Call, operands: list[Labelled], lanes: int) -> list[Labelled]:
        """A primitive that the simulator cannot compute: its results depend on all that goes in, and are unknown."""
        references = [each for each in call.params.values() if isinstance(each, BodyRef)]
        if references and not (call.equation.primitive in FUNCTIONAL and all(map(self.is_arithmetic, references))):
            raise Undecided(f"the judge cannot follow the data through `{call.equation.primitive}`")
        tracked = [each for each in operands if each.times is not None and each.times.any()]
        if tracked and (call.equation.primitive == "ragged_dot_general" or any(map(self.adds, references))):
            raise Undecided(f"the judge cannot count what `{call.equation.primitive}` adds")
        data = [unknown((lanes, *each.shape), numpy_dtype(each.dtype)) for each in call.equation.results]
        if call.equation.primitive == "polynomial" and tracked:  # each coefficient is added to the others
            count = np.minimum(sum(each.times.max(axis=None) for each in tracked if each.times is not None), MANY)
            operands = [replace(each, times=np.full(each.data.shape, count)) for each in operands]
        return [
            each if each.labels is not None else replace(each, labels=np.full(each.data.shape, L.UNKNOWN))
            for each in coarse(operands, data)
        ]

    def adds(self, reference: BodyRef) -> bool:
        """A function with a sum in it, or in what it calls."""
        for equation in self.program.bodies[reference.index].equations:
            inner = [each for each in equation.params.values() if isinstance(each, BodyRef)]
            if equation.primitive in SUMS or any(map(self.adds, inner)):
                return True
        return False

    def is_arithmetic(self, reference: BodyRef) -> bool:
        """The function of a reduction: it combines its arguments, and does nothing else."""
        for equation in self.program.bodies[reference.index].equations:
            inner = [each for each in equation.params.values() if isinstance(each, BodyRef)]
            if inner and not (equation.primitive in CALLS and all(map(self.is_arithmetic, inner))):
                return False
            if equation.primitive in CALLBACKS or (equation.primitive in COLLECTIVES and equation.primitive != "pvary"):
                return False
        return True

    def note(self, call: Call, operands: Sequence[Labelled]) -> None:
        """Record computations outside the bodies, additions of the tracked input, and constraints."""
        name = call.equation.primitive
        if name in ("sharding_constraint", "reshard"):
            self.constrain(operands, [call.params.get("sharding")])
        elif name == "device_put":
            shardings = call.params.get("shardings")
            self.constrain(operands, list(shardings) if isinstance(shardings, tuple) else [])
        elif self.mesh is None and name not in MOVEMENT and name not in PASSIVE:
            for each in operands:
                bits = summary(each)
                if bits != L.NONE:
                    self.found.computations.append(Computation(self.place, name, bits))
        if name in SUMS and any(each.times is not None for each in operands):
            one, other = operands
            if one.times is None or not one.times.any():
                one, other = other, one
            self.found.additions.append(Addition(self.place, summary(one), summary(other), self.mesh is not None))

    def constrain(self, operands: Sequence[Labelled], shardings: Sequence[object]) -> None:
        if self.mesh is not None:
            return
        for value, sharding in zip(operands, shardings, strict=False):
            if isinstance(sharding, Sharding):
                self.found.constraints.append(Constraint(self.place, sharding, summary(value), origins_of(value)[0]))

    # ── calls and control flow ───────────────────────────────────────────────────────────────────

    def call(self, call: Call, operands: list[Labelled], lanes: int) -> list[Labelled]:
        before, after = call.params.get("in_shardings"), call.params.get("out_shardings")
        self.constrain(operands, before if isinstance(before, tuple) else ())
        results = self.body(body_of(call, "jaxpr"), operands, lanes)
        self.constrain(results, after if isinstance(after, tuple) else ())
        return results

    def scan(self, call: Call, operands: list[Labelled], lanes: int) -> list[Labelled]:
        counts, carried = number(call, "num_consts"), number(call, "num_carry")
        length = number(call, "length")
        consts, carry, stacked = operands[:counts], operands[counts : counts + carried], operands[counts + carried :]
        index = body_of(call, "jaxpr")
        order = range(length - 1, -1, -1) if call.params.get("reverse") else range(length)
        rows: list[list[Labelled]] = []
        for step in order:
            self.fuel.spend(call.equation, lanes)
            results = self.body(index, [*consts, *carry, *(row(each, step) for each in stacked)], lanes)
            carry = results[:carried]
            rows.append(results[carried:])
        if call.params.get("reverse"):
            rows.reverse()
        stacks = enumerate(call.equation.results[carried:])
        return [*carry, *(stack([each[k] for each in rows], aval, lanes) for k, aval in stacks)]

    def branch(self, call: Call, operands: list[Labelled], lanes: int) -> list[Labelled]:
        which, arguments = operands[0], operands[1:]
        branches = call.params["branches"]
        assert isinstance(branches, tuple)
        picks = np.clip(which.data.astype(np.int64), 0, len(branches) - 1).reshape(lanes)
        control = labels_of(which).reshape(lanes)
        known = control == L.NONE
        taken = range(len(branches)) if not known.all() else sorted(set(picks.tolist()))
        doubtful = len(taken) > 1
        self.unsure += doubtful
        outcomes = {}
        for each in taken:
            reference = branches[each]
            assert isinstance(reference, BodyRef)
            outcomes[each] = self.body(reference.index, arguments, lanes)
        self.unsure -= doubtful
        if not doubtful:
            [only] = outcomes.values()
            return only
        merged = []
        for position in range(len(call.equation.results)):
            options = [outcomes[each][position] for each in taken]
            lookup = np.array([list(taken).index(pick) if pick in taken else 0 for pick in picks.tolist()])
            merged.append(merge(options, lookup, known, control))
        return merged

    def loop(self, call: Call, operands: list[Labelled], lanes: int) -> list[Labelled]:
        cond_count, body_count = number(call, "cond_nconsts"), number(call, "body_nconsts")
        tests, consts = operands[:cond_count], operands[cond_count : cond_count + body_count]
        carry = operands[cond_count + body_count :]
        cond_index, body_index = body_of(call, "cond_jaxpr"), body_of(call, "body_jaxpr")
        rounds = 0
        while True:
            self.fuel.spend(call.equation, lanes)
            [going] = self.body(cond_index, [*tests, *carry], lanes)
            goes = going.data.astype(bool).reshape(lanes)
            control = labels_of(going).reshape(lanes)
            if not control.any():  # the trip count is known
                if not goes.any():
                    return carry
                doubtful = not goes.all()
                self.unsure += doubtful
                after = self.body(body_index, [*consts, *carry], lanes)
                self.unsure -= doubtful
                if not doubtful:
                    carry = after
                else:
                    known = np.ones(lanes, bool)
                    carry = [
                        merge([new, old], np.where(goes, 0, 1), known, control)
                        for new, old in zip(after, carry, strict=True)
                    ]
                continue
            # Unknown: zero, one or any number of trips. The concrete value goes on while it would; the labels join.
            rounds += 1
            self.unsure += 1
            after = self.body(body_index, [*consts, *carry], lanes)
            self.unsure -= 1
            unknown = np.zeros(lanes, bool)
            merged = [
                merge([new, old], np.where(goes, 0, 1), unknown, control) for new, old in zip(after, carry, strict=True)
            ]
            still = all(
                np.array_equal(labels_of(new), labels_of(old)) and np.array_equal(times_of(new), times_of(old))
                for new, old in zip(merged, carry, strict=True)
            )
            carry = merged
            if still:
                return carry
            if rounds >= ROUNDS:  # labels may still be on their way from element to element
                return mixed([*carry, going])

    # ── shard_map and collectives ────────────────────────────────────────────────────────────────

    def shard_map(self, call: Call, operands: list[Labelled], lanes: int) -> list[Labelled]:
        if self.mesh is not None or lanes != 1:
            raise Undecided("a shard_map inside a shard_map body is more than the judge can follow")
        mesh = call.params["mesh"]
        in_specs, out_specs = call.params["in_specs"], call.params["out_specs"]
        if not (isinstance(mesh, Mesh) and isinstance(in_specs, tuple) and isinstance(out_specs, tuple)):
            raise Malformed("shard_map without a mesh or specs", call.equation)
        frame = MeshFrame(mesh.names, mesh.sizes)
        devices = frame.devices
        place = self.place
        facts, arguments = [], []
        for value, spec in zip(operands, in_specs, strict=True):
            assert isinstance(spec, Spec)
            origins = origins_of(value)
            blocks = split_blocks(origins, spec, frame)
            bits = summary(value)
            copied = value.origins is not None and bool(origins.all())
            computed = L.NONE if bits == L.NONE or copied else joined(np.where(origins == 0, labels_of(value), L.NONE))
            facts.append(BodyOperand(spec, value.data.shape[1:], blocks, bits, copied, computed))
            arguments.append(self.enter(value, spec, frame, devices))
        self.mesh = frame
        inner = self.body(body_of(call, "jaxpr"), arguments, devices)
        self.mesh = None
        results, outcomes = [], []
        for value, spec, aval in zip(inner, out_specs, call.equation.results, strict=True):
            assert isinstance(spec, Spec)
            fact, outcome = self.leave(value, spec, aval, frame)
            results.append(fact)
            outcomes.append(outcome)
        pmap = bool(call.params.get("pmap"))
        self.found.shard_maps.append(ShardMap(place, mesh, pmap, tuple(facts), tuple(results)))
        return outcomes

    def enter(self, value: Labelled, spec: Spec, frame: MeshFrame, devices: int) -> Labelled:
        """An operand as each device gets it: what was an input's is now what this device holds of it."""
        data = split_blocks(value.data, spec, frame)
        times = None if value.times is None else split_blocks(value.times, spec, frame)
        if value.labels is None:
            return Labelled(data, None, None, times)
        outside = split_blocks(value.labels, spec, frame)
        inside = outside & ~L.SPLIT
        bits = summary(value)
        for position in range(min(len(self.names), L.INPUTS)):
            bit = L.whole(position)
            marks = lift(L.held(position, devices), inside.ndim)
            if bits & bit:
                inside = np.where(outside & bit != 0, (inside & ~bit) | marks, inside)
            if self.returns and bits & L.UNREDUCED and position in self.split:
                inside = np.where(outside & L.UNREDUCED != 0, inside | marks, inside)
        if self.returns:
            inside = inside & ~L.UNREDUCED
        return Labelled(data, inside, None, times)

    def leave(self, value: Labelled, spec: Spec, aval: Aval, frame: MeshFrame) -> tuple[BodyResult, Labelled]:
        data = gather_blocks(value.data, spec, frame)
        alike = split_blocks(data, spec, frame)
        varies = not np.array_equal(alike, value.data, equal_nan=value.data.dtype.kind in "fc")
        inside = labels_of(value)
        bits = summary(value)
        held = np.zeros_like(inside)
        outside = inside
        for position in range(min(len(self.names), L.INPUTS)):
            mask = L.held_anywhere(position)
            if not bits & mask:
                continue
            has = (inside & mask) != 0
            mark = L.UNREDUCED if position in self.split else L.whole(position)
            held = np.where(has, held | mark, held)
            outside = outside & ~mask
        outside = outside | held
        if any(spec.axes):
            outside = np.where(outside != 0, outside | L.SPLIT, outside)
        # Devices that share a block share its labels; reduced is only what all of them have reduced.
        labels = over_replicas(outside & ~L.REDUCED, spec, frame, np.bitwise_or)
        if bits & L.REDUCED:
            labels = labels | over_replicas(outside & L.REDUCED, spec, frame, np.bitwise_and)
        times = None if value.times is None else over_replicas(value.times, spec, frame, np.maximum)
        elements = math.prod(aval.shape)
        origins = np.arange(self.next_origin, self.next_origin + elements, dtype=np.int64)
        everything = np.uint64(np.bitwise_or.reduce(labels, axis=None))
        fact = BodyResult(spec, aval.shape, everything, self.next_origin, varies)
        self.next_origin += max(elements, 1)
        origins = origins.reshape((1, *aval.shape))
        return fact, Labelled(data, labels, origins, times)

    def collective(self, call: Call, operands: list[Labelled]) -> list[Labelled]:
        name = call.equation.primitive
        frame = self.frame
        with np.errstate(all="ignore"):
            computed = COLLECTIVES[name](call, frame, *(each.data for each in operands))
        results = [computed] if isinstance(computed, np.ndarray) else list(computed)
        data = declared(call.equation, results, frame.devices)
        if name in ("axis_index", "pvary"):
            return [Labelled(each) for each in data] if name == "axis_index" else list(operands)
        if name == "psum":
            return [self.psum(call, value, each) for value, each in zip(operands, data, strict=True)]
        return [self.communicated(call, value, each) for value, each in zip(operands, data, strict=True)]

    def psum(self, call: Call, value: Labelled, data: np.ndarray) -> Labelled:
        """Each element of a psum's result is a sum of one part from every device (and of positional axes)."""
        if value.labels is None:
            return Labelled(data)
        labels = value.labels
        devices = labels.shape[0]
        together = np.bitwise_or.reduce(labels, axis=0, keepdims=True)
        fits = np.ones(labels.shape, bool)
        for alternatives in self.terms:
            own = np.bitwise_or.reduce([L.held(position, devices) for position in alternatives])
            fits = fits & ((labels & lift(own, labels.ndim)) != 0)
        for position in self.split:
            others = L.held_anywhere(position) & ~L.held(position, devices)
            fits = fits & ((labels & lift(others, labels.ndim)) == 0)
        parts = fits.all(axis=0, keepdims=True) & (self.reduces_everything(call) and bool(self.terms))
        raw = (together & self.split_mask) != 0
        plain = together | np.where(together != 0, L.MOVED, L.NONE) | np.where(raw, L.COLLECTED, L.NONE)
        reduced = (together & ~self.split_mask) | L.REDUCED | L.MOVED
        result = np.where(parts, reduced, plain)
        held = (labels & self.split_mask) != 0
        gathers = bool((raw & ~held.all(axis=0, keepdims=True)).any())
        reduces = bool((parts | (together == 0)).all()) and bool(parts.any())
        self.found.collectives.append(
            Collective(
                self.place, call.equation, summary(value), reduces, gathers, self.unsure > 0, carries=bool(parts.any())
            )
        )
        times = None if value.times is None else value.times.sum(axis=0, keepdims=True)
        axes = call.params.get("axes")
        positional = tuple(each + 1 for each in axes if isinstance(each, int)) if isinstance(axes, tuple) else ()
        if positional:
            result = np.bitwise_or.reduce(result, axis=positional)
            times = None if times is None else times.sum(axis=positional)
        summed = Labelled(
            data,
            np.broadcast_to(result, data.shape),
            None,
            None if times is None else np.broadcast_to(times, data.shape),
        )
        if not positional and self.reduces_everything(call) and self.alike(value):
            self.equal_sums[id(summed)] = (summed, len(self.found.collectives) - 1, value)
        return summed

    def alike(self, value: Labelled) -> bool:
        """Every device holds the same, and nothing of it is one device's part: a mean over the devices is idle."""
        raw = self.split_mask | L.COLLECTED | L.UNREDUCED | L.UNKNOWN
        return not summary(value) & raw and bool((value.data == value.data[:1]).all())

    def mean_of_equals(self, name: str, operands: Sequence[Labelled], result: Labelled) -> Labelled:
        """A sum of equals divided by their number holds the tracked input as often as each of them."""
        for total, factor in (operands, operands[::-1]) if name == "mul" else (operands,):
            found = self.equal_sums.get(id(total))
            if found is None or summary(factor) != L.NONE or total.data.shape != result.data.shape:
                continue
            devices = self.frame.devices
            if bool((factor.data == (devices if name == "div" else 1 / devices)).all()):
                _, position, each = found
                self.found.collectives[position] = replace(self.found.collectives[position], averages=True)
                return replace(result, times=each.times)
        return result

    @property
    def frame(self) -> MeshFrame:
        """The mesh of the body that we are in; outside, one of no axes (a psum over positional axes only)."""
        return self.mesh if self.mesh is not None else MeshFrame((), ())

    def reduces_everything(self, call: Call) -> bool:
        axes = call.params.get("axes")
        groups = call.params.get("axis_index_groups")
        whole = groups is None or (isinstance(groups, tuple) and len(groups) == 1)
        names = set(self.frame.names)
        return bool(names) and isinstance(axes, tuple) and names <= set(axes) and whole

    def communicated(self, call: Call, value: Labelled, data: np.ndarray) -> Labelled:
        """A collective other than psum: elements come from other devices."""
        name = call.equation.primitive
        bits = summary(value)
        self.found.collectives.append(Collective(self.place, call.equation, bits, False, False, self.unsure > 0))
        if value.labels is None:
            return Labelled(data)
        one = replace(call, equation=single(call.equation))
        if name in ("ppermute", "all_gather", "all_to_all"):
            channels = COLLECTIVES[name](one, self.frame, value.labels)
            labels = channels if isinstance(channels, np.ndarray) else channels[0]
            times = None
            if value.times is not None:
                moved = COLLECTIVES[name](one, self.frame, value.times)
                times = moved if isinstance(moved, np.ndarray) else moved[0]
        else:
            labels = np.full(data.shape, bits)
            times = None
            if value.times is not None:
                over = value.times.max(axis=0) if name in ("pmax", "pmin") else value.times.sum(axis=0)
                times = np.full(data.shape, over.max(initial=0))
        labels = np.where(labels != 0, labels | L.MOVED, labels)
        labels = np.where((labels & self.split_mask) != 0, labels | L.COLLECTED, labels)
        return Labelled(data, labels, None, times)


PASSIVE = frozenset({
    "copy", "copy_p", "name", "optimization_barrier", "pvary", "debug_callback", "stop_gradient", "split",
    "convert_element_type", "debug_print",
})  # fmt: skip


def single(equation: Equation) -> Equation:
    return Equation(equation.primitive, equation.operands[:1], equation.results[:1], equation.params, equation.source)


def body_of(call: Call, param: str) -> int:
    reference = call.params.get(param)
    if not isinstance(reference, BodyRef):
        raise Malformed(f"{call.equation.primitive} has no body")
    return reference.index


def number(call: Call, param: str) -> int:
    value = call.params.get(param)
    if not isinstance(value, int):
        raise Malformed(f"{call.equation.primitive} has no {param}")
    return value


def declared(equation: Equation, data: Sequence[np.ndarray], lanes: int) -> list[np.ndarray]:
    """The results, one a lane, once they are known to be what the equation declares."""
    if len(data) != len(equation.results):
        raise Malformed(f"{equation.primitive} declares another number of results", equation)
    for each, aval in zip(data, equation.results, strict=True):
        if each.shape[1:] != aval.shape or each.dtype != numpy_dtype(aval.dtype):
            raise Malformed(
                f"{equation.primitive} declares {aval.dtype}{aval.shape}, but gives {each.dtype}{each.shape[1:]}",
                equation,
            )
    return [each if each.shape[0] == lanes else np.broadcast_to(each, (lanes, *each.shape[1:])) for each in data]


def row(value: Labelled, step: int) -> Labelled:
    def at(channel: np.ndarray | None) -> np.ndarray | None:
        return None if channel is None else channel[:, step]

    return Labelled(value.data[:, step], at(value.labels), at(value.origins), at(value.times))


def stack(rows: Sequence[Labelled], aval: Aval, lanes: int) -> Labelled:
    if not rows:
        return Labelled(np.zeros((lanes, *aval.shape), numpy_dtype(aval.dtype)))

    def together(channels: Sequence[np.ndarray | None], zero: np.ndarray) -> np.ndarray | None:
        if all(each is None for each in channels):
            return None
        return np.stack([zero if each is None else each for each in channels], axis=1)

    shape = rows[0].data.shape
    return Labelled(
        np.stack([each.data for each in rows], axis=1),
        together([each.labels for each in rows], np.zeros(shape, np.uint64)),
        together([each.origins for each in rows], np.zeros(shape, np.int64)),
        together([each.times for each in rows], np.zeros(shape, np.int64)),
    )


def merge(options: Sequence[Labelled], picks: np.ndarray, known: np.ndarray, control: np.ndarray) -> Labelled:
    """One of ``options`` a lane: the picked one where ``known``, else any of them and what decided."""
    shape = options[0].data.shape
    lanes = np.arange(shape[0])

    def picked(channels: Sequence[np.ndarray]) -> np.ndarray:
        chosen: np.ndarray = np.stack(channels)[picks, lanes]
        return chosen

    data = picked([each.data for each in options])
    labels = [labels_of(each) for each in options]
    may, must = labels[0], labels[0] & L.REDUCED
    for each in labels[1:]:
        may, must = may | each, must & each
    either = (may & ~L.REDUCED) | must | full(control, shape)
    sure = full(known, shape)
    joined: np.ndarray | None = np.where(sure, picked(labels), either)
    if joined is not None and not joined.any():
        joined = None
    origins = None
    if any(each.origins is not None for each in options):
        copies = [origins_of(each) for each in options]
        agreed = np.where(np.logical_and.reduce([copies[0] == each for each in copies]), copies[0], 0)
        origins = np.where(sure, picked(copies), agreed)
    times = None
    if any(each.times is not None for each in options):
        counts = [times_of(each) for each in options]
        times = np.where(sure, picked(counts), np.maximum.reduce(counts))
    return Labelled(data, joined, origins, times)


def joined(labels: np.ndarray) -> np.uint64:
    return np.uint64(np.bitwise_or.reduce(labels, axis=None))


def mixed(values: Sequence[Labelled]) -> list[Labelled]:
    """All values but the last, each element with the labels of every element of all, save what all must have."""
    carry = values[:-1]
    certain = [np.where(labels_of(each) & L.REDUCED != 0, L.REDUCED, L.NONE) for each in carry]
    plain = [
        replace(each, labels=None if each.labels is None else each.labels & ~L.REDUCED, origins=None) for each in values
    ]
    spread = coarse(plain, [each.data for each in carry])
    return [replace(each, labels=labels_of(each) | reduced) for each, reduced in zip(spread, certain, strict=True)]


def unknown(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> np.ndarray:
    """Data that nobody has computed: NaN where there is one."""
    return np.full(shape, np.nan, dtype) if dtype.kind in "fc" else np.zeros(shape, dtype)


def over_replicas(channel: np.ndarray, spec: Spec, frame: MeshFrame, ufunc: np.ufunc) -> np.ndarray:
    """Join a channel over the devices that hold the same block, then put the blocks together."""
    sizes = frame.sizes
    named = {axis for axes in spec.axes for axis in axes}
    grid = channel.reshape((len(channel) // frame.devices, *sizes, *channel.shape[1:]))
    for position, axis in enumerate(frame.names):
        if axis not in named:
            joined = ufunc.reduce(grid, axis=position + 1, keepdims=True)
            grid = np.broadcast_to(joined, grid.shape)
    return gather_blocks(np.ascontiguousarray(grid).reshape(channel.shape), spec, frame)


def returned_leaves(program: Program) -> dict[str, int]:
    """The outputs of a returned flat dict by key; other structures have none."""
    returned = program.returned
    if isinstance(returned, Leaf):
        return {"": returned.output}
    if not isinstance(returned, Container):
        return {}
    return {
        key: child.output
        for key, child in zip(returned.keys, returned.children, strict=True)
        if isinstance(child, Leaf)
    }
