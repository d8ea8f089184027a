"""Take out of a program what its outputs are not made of.

In comes a valid program, out goes a valid program with the same inputs, outputs and returned structure:
only equations that the main outputs need are left, and host calls with effects (`io_callback`, foreign
calls with side effects). Calls keep only the operands and results that are used: carries of loops,
specs of a shard_map and shardings of a jit go with them.

A body that is called with different results in use is cut once for each. Should that grow out of
proportion (a few bodies can be made to call each other in exponentially many ways), the remaining
calls keep all their operands and results, which is always right.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from grader.program.calls import INLINED, body_refs
from grader.program.types import Body, BodyRef, Constant, Equation, Param, Program, Record

Indices = tuple[int, ...]
"""Which inputs, outputs, operands or results are in use: their numbers, ascending."""


def prune(program: Program, *, keep_received: bool = False) -> Program:
    """``program`` without what its main outputs do not need. The cost is linear in its size.

    With ``keep_received``, a shard_map that stays keeps all its operands: what its body receives, used or not.
    """
    uses = _Uses(program, keep_received)
    main = len(program.bodies) - 1
    writer = _Writer(uses)
    writer.write(_BodyCut(main, uses.all_outputs[main], uses.all_inputs[main]))
    return Program(tuple(writer.bodies), tuple(writer.constants), program.returned)


class _BodyCut(NamedTuple):
    """A body, and which of its outputs and inputs stay."""

    body: int
    outputs: Indices
    inputs: Indices


class _Cut(NamedTuple):
    """What stays of an equation, the bodies that its params name included."""

    operands: Indices
    results: Indices
    bodies: tuple[_BodyCut, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    """Params that count operands, and their new values."""


class _Live(NamedTuple):
    """What of a body is in use, given which of its outputs are."""

    inputs: Indices
    cuts: tuple[tuple[int, _Cut | None], ...]
    """The numbers of the equations in use, ascending; None: all of the equation stays, and it calls nothing."""


class _Uses:
    """Works out, from the outputs back, what of each body is in use."""

    def __init__(self, program: Program, keep_received: bool) -> None:
        self.program = program
        self.keep_received = keep_received
        self.live: dict[tuple[int, Indices], _Live] = {}
        self.planned: set[_BodyCut] = set()
        self.all_inputs = [tuple(range(len(body.inputs))) for body in program.bodies]
        self.all_outputs = [tuple(range(len(body.outputs))) for body in program.bodies]
        self.refs: list[list[list[int]]] = []
        """For each body the bodies that each equation names."""
        self.acting: list[bytearray] = []
        """For each body whether each equation does something besides making its results."""
        acts: list[bool] = []
        self.sizes: list[int] = []
        for body in program.bodies:
            refs = [body_refs(equation.params) if equation.params else [] for equation in body.equations]
            acting = bytearray(len(refs))
            size = len(body.inputs)
            for number, equation in enumerate(body.equations):
                size += 1 + len(equation.operands) + len(equation.results)
                acting[number] = (
                    equation.primitive == "io_callback"
                    or (equation.primitive == "ffi_call" and bool(equation.params.get("has_side_effect")))
                    or any(acts[ref] for ref in refs[number])
                )
            self.refs.append(refs)
            self.acting.append(acting)
            acts.append(any(acting))
            self.sizes.append(size)
        # The first cut of each body is within it; the rest is for further ones.
        self.budget = 4 * sum(self.sizes) + 10_000

    def of(self, index: int, outputs: Indices) -> _Live:
        """What body ``index`` uses when ``outputs`` of it are used."""
        key = (index, outputs)
        found = self.live.get(key)
        if found is not None:
            return found
        self.budget -= self.sizes[index]
        body, refs, acting = self.program.bodies[index], self.refs[index], self.acting[index]
        used = bytearray(self.sizes[index])
        for k in outputs:
            value = body.outputs[k]
            if value >= 0:
                used[value] = 1
        equations = body.equations
        after = len(body.inputs) + sum([len(equation.results) for equation in equations])
        cuts: list[tuple[int, _Cut | None]] = []
        for number in range(len(equations) - 1, -1, -1):
            equation = equations[number]
            first = after - len(equation.results)
            if not (any(used[first:after]) or acting[number]):
                after = first
                continue
            operands = equation.operands
            cut = None
            if refs[number]:
                cut = self.cut(equation, refs[number], tuple([k - first for k in range(first, after) if used[k]]))
                operands = tuple([operands[k] for k in cut.operands])
            cuts.append((number, cut))
            for value in operands:
                if value >= 0:
                    used[value] = 1
            after = first
        live = _Live(tuple([k for k in range(after) if used[k]]), tuple(reversed(cuts)))
        self.live[key] = live
        return live

    def cut(self, equation: Equation, refs: list[int], results: Indices) -> _Cut:
        """What stays of an equation with bodies when ``results`` of it are used."""
        primitive = equation.primitive
        cut = None
        if self.budget > 0:
            if primitive in INLINED or primitive == "shard_map":
                cut = self.cut_call(refs[0], results, keep=self.keep_received and primitive == "shard_map")
            elif primitive == "scan":
                cut = self.cut_scan(equation, refs[0], results)
            elif primitive == "while":
                cut = self.cut_while(equation, results)
            elif primitive == "cond":
                cut = self.cut_cond(refs, results)
        if cut is None:
            bodies = [_BodyCut(ref, self.all_outputs[ref], self.all_inputs[ref]) for ref in dict.fromkeys(refs)]
            cut = _Cut(tuple(range(len(equation.operands))), tuple(range(len(equation.results))), tuple(bodies))
        for body in cut.bodies:
            if body not in self.planned:
                self.planned.add(body)
                self.of(body.body, body.outputs)
                self.budget -= self.sizes[body.body]
        return cut

    def cut_call(self, index: int, results: Indices, keep: bool) -> _Cut:
        inputs = self.all_inputs[index] if keep else self.of(index, results).inputs
        return _Cut(inputs, results, (_BodyCut(index, results, inputs),))

    def cut_scan(self, equation: Equation, index: int, results: Indices) -> _Cut | None:
        consts, carry = _count(equation, "num_consts"), _count(equation, "num_carry")
        kept = self.carries(index, consts, carry, results)
        if kept is None:
            return None
        live, outputs = kept
        carried = [consts + k for k in outputs if k < carry]
        inputs = tuple(sorted({*live.inputs, *carried}))
        counts = (("num_consts", sum(k < consts for k in inputs)), ("num_carry", len(carried)))
        return _Cut(inputs, outputs, (_BodyCut(index, outputs, inputs),), counts)

    def cut_while(self, equation: Equation, results: Indices) -> _Cut | None:
        condition, body = equation.params["cond_jaxpr"], equation.params["body_jaxpr"]
        assert isinstance(condition, BodyRef)
        assert isinstance(body, BodyRef)
        first, second = _count(equation, "cond_nconsts"), _count(equation, "body_nconsts")
        asked = self.of(condition.index, (0,)).inputs
        carry = len(equation.operands) - first - second
        wanted = tuple(sorted({*results, *[k - first for k in asked if k >= first]}))
        kept = self.carries(body.index, second, carry, wanted)
        if kept is None:
            return None
        live, outputs = kept
        asked_consts = tuple([k for k in asked if k < first])
        consts = tuple([k for k in live.inputs if k < second])
        operands = (*asked_consts, *[first + k for k in consts], *[first + second + k for k in outputs])
        return _Cut(
            operands,
            outputs,
            (
                _BodyCut(condition.index, (0,), (*asked_consts, *[first + k for k in outputs])),
                _BodyCut(body.index, outputs, (*consts, *[second + k for k in outputs])),
            ),
            (("cond_nconsts", len(asked_consts)), ("body_nconsts", len(consts))),
        )

    def carries(self, index: int, consts: int, carry: int, outputs: Indices) -> tuple[_Live, Indices] | None:
        """The outputs of a loop's body that are used once those used by the next round count too.

        None when the budget ran out on the way.
        """
        while self.budget > 0:
            live = self.of(index, outputs)
            more = {k - consts for k in live.inputs if consts <= k < consts + carry}
            if more.issubset(outputs):
                return live, outputs
            outputs = tuple(sorted(more.union(outputs)))
        return None

    def cut_cond(self, refs: list[int], results: Indices) -> _Cut:
        branches = list(dict.fromkeys(refs))
        used: set[int] = set()
        for branch in branches:
            used.update(self.of(branch, results).inputs)
        inputs = tuple(sorted(used))
        bodies = tuple([_BodyCut(branch, results, inputs) for branch in branches])
        return _Cut((0, *[k + 1 for k in inputs]), results, bodies)


def _count(equation: Equation, key: str) -> int:
    value = equation.params[key]
    assert isinstance(value, int)
    return value


class _Writer:
    """Writes the cut bodies out, each once, those that are called before those that call."""

    def __init__(self, uses: _Uses) -> None:
        self.uses = uses
        self.bodies: list[Body] = []
        self.constants: list[Constant] = []
        self.written: dict[_BodyCut, int] = {}
        self.numbers: dict[int, int] = {}
        """Operand numbers of constants, old to new."""

    def write(self, cut: _BodyCut) -> int:
        """The index of the new body."""
        if cut in self.written:
            return self.written[cut]
        body = self.uses.program.bodies[cut.body]
        new = dict(zip(cut.inputs, range(len(cut.inputs)), strict=True))
        count = len(cut.inputs)
        first, done = len(body.inputs), 0
        equations: list[Equation] = []
        for number, kept in self.uses.of(cut.body, cut.outputs).cuts:
            for equation in body.equations[done:number]:
                first += len(equation.results)
            equation = body.equations[number]
            operands, results, params = equation.operands, equation.results, equation.params
            if kept is None:
                for k in range(len(results)):
                    new[first + k] = count + k
            else:
                operands = tuple([operands[k] for k in kept.operands])
                results = tuple([results[k] for k in kept.results])
                params = self.params(equation, kept)
                for position, k in enumerate(kept.results):
                    new[first + k] = count + position
            count += len(results)
            operands = tuple([new[k] if k >= 0 else self.constant(k) for k in operands])
            equations.append(Equation(equation.primitive, operands, results, params, equation.source))
            first += len(equation.results)
            done = number + 1
        outputs = [body.outputs[k] for k in cut.outputs]
        self.bodies.append(
            Body(
                tuple([body.inputs[k] for k in cut.inputs]),
                tuple(equations),
                tuple([new[k] if k >= 0 else self.constant(k) for k in outputs]),
            )
        )
        self.written[cut] = len(self.bodies) - 1
        return self.written[cut]

    def constant(self, k: int) -> int:
        if k not in self.numbers:
            self.constants.append(self.uses.program.constants[-k - 1])
            self.numbers[k] = -len(self.constants)
        return self.numbers[k]

    def params(self, equation: Equation, kept: _Cut) -> dict[str, Param]:
        refs = {body.body: BodyRef(self.write(body)) for body in kept.bodies}
        params = {key: _renamed(value, refs) for key, value in equation.params.items()}
        for keys, whole, chosen in (
            (_ONE_AN_OPERAND, len(equation.operands), kept.operands),
            (_ONE_A_RESULT, len(equation.results), kept.results),
        ):
            for key in keys:
                value = params.get(key)
                if isinstance(value, tuple) and len(value) == whole:
                    params[key] = tuple([value[k] for k in chosen])
        params.update(kept.counts)
        return params


_ONE_AN_OPERAND = ("in_specs", "in_shardings", "linear")
_ONE_A_RESULT = ("out_specs", "out_shardings")


def _renamed(value: Param, refs: dict[int, BodyRef]) -> Param:
    """``value`` with its body references replaced."""
    if isinstance(value, BodyRef):
        return refs[value.index]
    if isinstance(value, tuple):
        renamed: Param = tuple([_renamed(item, refs) for item in value])  # type: ignore[misc]
        return renamed
    if isinstance(value, Record):
        fields = tuple([(name, _renamed(field, refs)) for name, field in value.fields])
        return msgspec.structs.replace(value, fields=fields)
    return value
