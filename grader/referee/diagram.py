"""A program as a diagram: from its inputs over the steps in between to its outputs.

In: a pruned program, the names of its inputs and outputs, and the findings. Out: `grader.report.model.Flow`.
Steps that only move elements about are not drawn unless a finding is about them, nor is arithmetic on a device's
number; small named functions (such as relu) are one step. A program with very many steps has those of one line
drawn as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from grader.execution.values import numpy_dtype
from grader.program.calls import INLINED, body_refs
from grader.program.types import Aval, Body, BodyRef, Equation, Program, Source, Spec
from grader.report.model import MOST_FLOW_EDGES, MOST_FLOW_NODES, Finding, Flow, FlowEdge, FlowNode
from grader.rules.words import shape_text, spec_text

MOVING = frozenset(
    "broadcast_in_dim reshape squeeze expand_dims transpose copy copy_p pvary name stop_gradient optimization_barrier "
    "convert_element_type sharding_constraint slice rev reduce_precision".split()
)
"""What moves elements or changes nothing about them."""
COLLECTIVES = frozenset("all_gather reduce_scatter all_to_all ppermute pmax pmin pbroadcast reshard device_put".split())
SIGNS = {"add": "+", "sub": "−", "mul": "×", "div": "÷", "add_any": "+"}
LOOPS = frozenset({"scan", "while", "cond"})
MOST_STEPS = 400
"""Steps followed; a program with more is not drawn."""
SMALL_FUNCTION = 2
"""Steps up to which a named function is drawn as one."""

Kind: TypeAlias = Literal["input", "split", "step", "psum", "move", "output"]


@dataclass(frozen=True)
class Value:
    """Where an array comes from: the nodes that it is made of, and what to call it ("" for nothing special)."""

    nodes: tuple[str, ...] = ()
    word: str = ""


class TooLarge(Exception):
    pass


@dataclass
class _Drawer:
    program: Program
    findings: Sequence[Finding]
    nodes: list[FlowNode] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    edges: dict[tuple[str, str], str | None] = field(default_factory=dict)
    """Each with what is written beside it."""
    indices: set[str] = field(default_factory=set)
    """Nodes that are a device's number; what is computed from those alone is not drawn."""

    def node(
        self,
        kind: Kind,
        label: str,
        made_of: Iterable[Value],
        *,
        on_devices: bool = False,
        detail: str | None = None,
        source: Source | None = None,
        word: str = "",
    ) -> Value:
        if len(self.nodes) >= MOST_STEPS:
            raise TooLarge
        id = f"n{len(self.nodes)}"
        line = source.line or None if source is not None else None
        self.nodes.append(FlowNode(id=id, label=label, kind=kind, on_devices=on_devices, detail=detail, line=line))
        if source is not None:
            self.sources[id] = source
        for value in made_of:
            for each in value.nodes:
                self.edges[each, id] = None
        return Value((id,), word or label)

    # ── following a body ─────────────────────────────────────────────────────────────────────────

    def body(self, body: Body, inputs: Sequence[Value], on_devices: bool) -> list[Value]:
        values = list(inputs)
        for equation in body.equations:
            operands = [values[each] if each >= 0 else self.constant(each) for each in equation.operands]
            values += self.equation(equation, operands, on_devices)
        return [values[each] if each >= 0 else self.constant(each) for each in body.outputs]

    def constant(self, operand: int) -> Value:
        constant = self.program.constants[-operand - 1]
        if constant.aval.shape or constant.aval.dtype.startswith("key"):
            return Value((), "a constant")
        number = np.frombuffer(constant.data, numpy_dtype(constant.aval.dtype))
        return Value((), f"{number[0]:g}" if number.size == 1 and number.dtype.kind in "fiu" else "a constant")

    def equation(self, equation: Equation, operands: list[Value], on_devices: bool) -> list[Value]:
        primitive, results = equation.primitive, len(equation.results)
        called = equation.params.get("jaxpr")
        if primitive == "shard_map" and isinstance(called, BodyRef):
            return self.shard_map(equation, self.program.bodies[called.index], operands)
        if primitive in INLINED and isinstance(called, BodyRef):
            named = self.small_function(called.index)
            if not named:
                return self.body(self.program.bodies[called.index], operands, on_devices)
            return [self.step(equation, named, operands, on_devices)] * results
        if primitive == "psum":
            axes = ", ".join(map(str, axes)) if isinstance(axes := equation.params.get("axes"), tuple) else ""
            detail = f"over {axes}" if axes else None
            return [self.step(equation, "psum", [each], on_devices, "psum", detail) for each in operands]
        if primitive in COLLECTIVES:
            return [self.step(equation, primitive, operands, on_devices, "move")] * results
        if primitive in LOOPS:
            return [self.step(equation, primitive, operands, on_devices, self.kind_inside(equation))] * results
        if primitive == "axis_index":
            made = self.step(equation, primitive, operands, on_devices)
            self.indices |= set(made.nodes)
            return [made]
        nodes = {each for operand in operands for each in operand.nodes}
        if not nodes:
            return [operands[0] if primitive in MOVING and operands else Value((), "a constant")] * results
        if nodes <= self.indices and not self.at_fault(equation.source):
            return [Value(tuple(nodes), "axis_index")] * results
        if primitive in MOVING and not self.at_fault(equation.source):
            return [operands[0]] * results
        return [self.step(equation, words(equation, operands), operands, on_devices)] * results

    def step(
        self,
        equation: Equation,
        label: str,
        operands: Iterable[Value],
        on_devices: bool,
        kind: Kind = "step",
        detail: str | None = None,
    ) -> Value:
        shown = detail or (shape_text(equation.results[0].shape) if equation.results else None)
        word = "" if kind == "step" else label
        made = self.node(kind, label, operands, on_devices=on_devices, detail=shown, source=equation.source, word=word)
        return replace(made, word="…") if kind == "step" and label[:1] in "+−×÷" else made

    def shard_map(self, equation: Equation, body: Body, operands: list[Value]) -> list[Value]:
        specs = equation.params.get("in_specs")
        listed = specs if isinstance(specs, tuple) else ()
        given = []
        for position, operand in enumerate(operands):
            spec = listed[position] if position < len(listed) else None
            aval = body.inputs[position]
            given.append(self.dealt(equation, operand, spec, aval) if isinstance(spec, Spec) else operand)
        return self.body(body, given, True)

    def dealt(self, equation: Equation, operand: Value, spec: Spec, aval: Aval) -> Value:
        if not any(spec.axes) or not operand.nodes:
            return operand
        detail = f"{shape_text(aval.shape)} on each"
        made = self.node(
            "split", f"split {operand.word}", [operand], detail=detail, source=equation.source, word=operand.word
        )
        for each in operand.nodes:
            self.edges[each, made.nodes[0]] = spec_text(spec)
        return made

    # ── what is in a body ────────────────────────────────────────────────────────────────────────

    def small_function(self, index: int) -> str:
        """The name of a function of a few steps without communication, "" for any other."""
        name, body = "", self.program.bodies[index]
        while len(body.equations) == 1 and body.equations[0].primitive in INLINED:
            [equation] = body.equations
            named, called = equation.params.get("name"), equation.params.get("jaxpr")
            if not isinstance(called, BodyRef):
                return ""
            name = named if isinstance(named, str) else name
            body = self.program.bodies[called.index]
        drawn = [each for each in body.equations if each.primitive not in MOVING]
        plain = not any(body_refs(each.params) or each.primitive in COLLECTIVES | {"psum"} for each in body.equations)
        faulty = any(self.at_fault(each.source) for each in body.equations)
        return name if plain and 0 < len(drawn) <= SMALL_FUNCTION and not faulty else ""

    def kind_inside(self, equation: Equation) -> Kind:
        inside = self.primitives(equation, set())
        return "psum" if "psum" in inside else "move" if inside & COLLECTIVES else "step"

    def primitives(self, equation: Equation, seen: set[int]) -> set[str]:
        found: set[str] = set()
        for index in body_refs(equation.params):
            if index not in seen:
                seen.add(index)
                for each in self.program.bodies[index].equations:
                    found |= {each.primitive} | self.primitives(each, seen)
        return found

    def at_fault(self, source: Source | None) -> bool:
        return source is not None and any(_same_place(each, source) for each in self.findings)


def diagram(
    program: Program, inputs: Sequence[str], outputs: Mapping[str, int], findings: Sequence[Finding] = ()
) -> Flow | None:
    """``outputs``: which of the program's outputs each name is. None for a program too large to be drawn."""
    drawer = _Drawer(program, [each for each in findings if each.kind == "rule"])
    main = program.main
    try:
        given = [
            drawer.node("input", name, (), detail=shape_text(aval.shape))
            for name, aval in zip(inputs, main.inputs, strict=True)
        ]
        results = drawer.body(main, given, False)
        for name, leaf in outputs.items():
            # Outputs' own shapes are those of the values that they are; a name says enough.
            drawer.node("output", name, [results[leaf]])
    except TooLarge:
        return None
    nodes, edges = _reaching(_marked(drawer), list(drawer.edges))
    if len(nodes) > MOST_FLOW_NODES or len(edges) > MOST_FLOW_EDGES:
        nodes, edges = _by_line(nodes, edges)
    if len(nodes) > MOST_FLOW_NODES or len(edges) > MOST_FLOW_EDGES:
        return None
    return Flow(
        nodes=tuple(nodes),
        edges=tuple(FlowEdge(source=one, target=other, label=drawer.edges.get((one, other))) for one, other in edges),
    )


def words(equation: Equation, operands: Sequence[Value]) -> str:
    """A step in a word or two: ``x @ w1``, ``+ b1``, ``max 0``."""
    primitive = equation.primitive
    names = [each.word or "…" for each in operands]
    if primitive == "dot_general" and len(names) == 2:
        return " @ ".join(names)
    if len(names) == 2 and primitive in SIGNS:
        said = names[1] if operands[0].nodes else names[0]
        return f"{SIGNS[primitive]} {said}"
    if len(names) == 2 and not operands[1].nodes:
        return f"{primitive} {names[1]}"
    return primitive


def _marked(drawer: _Drawer) -> list[FlowNode]:
    """The nodes, with the finding that each is at fault for: those that stand just where a finding is, else on it."""
    faults: dict[str, str] = {}
    for finding in drawer.findings:
        exact = [id for id, source in drawer.sources.items() if _same_place(finding, source)]
        near = exact or [id for id, source in drawer.sources.items() if _within(finding, source)]
        for id in near:
            faults.setdefault(id, finding.id)
    return [_with_fault(each, faults.get(each.id)) for each in drawer.nodes]


def _same_place(finding: Finding, source: Source) -> bool:
    return finding.line == source.line and finding.column == source.column and source.line > 0


def _within(finding: Finding, source: Source) -> bool:
    if finding.line is None or finding.column is None or source.line <= 0:
        return False
    end = (finding.end_line or finding.line, finding.end_column or finding.column + 1)
    return (finding.line, finding.column) <= (source.line, source.column) < end


def _with_fault(node: FlowNode, fault: str | None) -> FlowNode:
    return FlowNode(
        id=node.id,
        label=node.label,
        kind=node.kind,
        on_devices=node.on_devices,
        detail=node.detail,
        line=node.line,
        fault=fault or node.fault,
    )


def _reaching(
    nodes: Sequence[FlowNode], edges: Sequence[tuple[str, str]]
) -> tuple[list[FlowNode], list[tuple[str, str]]]:
    """The nodes that lead to an output, and the inputs; edges between those."""
    above: dict[str, list[str]] = {}
    for one, other in edges:
        above.setdefault(other, []).append(one)
    seen = {each.id for each in nodes if each.kind == "output"}
    waiting = list(seen)
    while waiting:
        new = [each for each in above.get(waiting.pop(), []) if each not in seen]
        seen.update(new)
        waiting += new
    kept = seen | {each.id for each in nodes if each.kind == "input"}
    return [each for each in nodes if each.id in kept], [pair for pair in edges if set(pair) <= kept]


def _by_line(
    nodes: Sequence[FlowNode], edges: Sequence[tuple[str, str]]
) -> tuple[list[FlowNode], list[tuple[str, str]]]:
    """Steps of one line and kind as one node. Steps of a loop may then lead to each other; one way is kept."""
    groups: dict[tuple[object, ...], list[FlowNode]] = {}
    for each in nodes:
        alone = each.kind in ("input", "output") or each.line is None
        key = (each.id,) if alone else (each.kind, each.line, each.on_devices, each.fault)
        groups.setdefault(key, []).append(each)
    first = {each.id: group[0].id for group in groups.values() for each in group}
    place = {group[0].id: number for number, group in enumerate(groups.values())}
    joined: dict[tuple[str, str], None] = {}
    for one, other in edges:
        pair = first[one], first[other]
        if place[pair[0]] < place[pair[1]]:
            joined[pair] = None
    merged = [
        group[0]
        if len(group) == 1
        else FlowNode(
            id=group[0].id,
            label=f"{group[0].label} …",
            kind=group[0].kind,
            on_devices=group[0].on_devices,
            detail=f"{len(group)} steps, line {group[0].line}",
            line=group[0].line,
            fault=group[0].fault,
        )
        for group in groups.values()
    ]
    return merged, list(joined)
