"""What the judge found, as data: version 1 of the JSON report, and what every renderer reads.

A `Report` is about one submission. Its texts may hold anything that a submission put there (the text of an
exception, a name, what it printed): whoever shows them passes them through `grader.report.clean` first, as
every renderer here does.

Lines count from 1. Columns count from 1 too, in bytes of UTF-8, as Python's own ``ast`` counts them.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import msgspec

Status: TypeAlias = Literal["pass", "fail", "skipped"]

Nested: TypeAlias = float | int | bool | str | list[Any]
"""An array as JSON holds it; ``"nan"``, ``"inf"`` and ``"-inf"`` stand for what JSON has no number for."""


class Verdict(enum.Enum):
    """All that can be said about a submission, in a word. ``IE`` says nothing about it."""

    AC = "AC"
    CE = "CE"
    TLE = "TLE"
    MLE = "MLE"
    RE = "RE"
    RV = "RV"
    WA = "WA"
    IE = "IE"

    @property
    def words(self) -> str:
        return _WORDS[self]

    @property
    def exit_status(self) -> int:
        """Of the command that reports it: 0 accepted, 1 not accepted, 3 the judge failed (2: wrong usage)."""
        return {Verdict.AC: 0, Verdict.IE: 3}.get(self, 1)


_WORDS = {
    Verdict.AC: "Accepted",
    Verdict.CE: "Cannot be loaded",
    Verdict.TLE: "Time limit exceeded",
    Verdict.MLE: "Memory limit exceeded",
    Verdict.RE: "Runtime error",
    Verdict.RV: "Rule violated",
    Verdict.WA: "Wrong answer",
    Verdict.IE: "Internal error",
}

PRECEDENCE = (Verdict.CE, Verdict.TLE, Verdict.MLE, Verdict.RE, Verdict.RV, Verdict.WA, Verdict.IE)
"""Which verdict stands when several apply: the first of these.

An internal error stands only where nothing was established against the submission: a finding that a fault
of the judge puts in doubt is not to be reported in the first place.
"""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A further place in the submission that belongs to a finding, and what to see there."""

    line: int
    note: str
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong."""

    kind: Literal["rule", "numbers", "error"]
    id: str
    """The rule's id; for numbers and errors a short name of what is wrong, such as ``bias-added-eight-times``."""
    verdict: Verdict
    """What this finding alone would make of the submission."""
    message: str
    """What was found, in a sentence or two."""
    help: str | None = None
    """What to do about it."""
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    """The end is exclusive, as Python's is."""
    shape: dict[str, int] | None = None
    """The sizes at which it was found, the smallest if at several."""
    also: tuple[Place, ...] = ()
    cases: tuple[str, ...] = ()
    """The names of the cases that show it."""


class RuleResult(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    status: Status
    title: str | None = None
    """What the rule asks, in a few words."""


class CaseResult(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    status: Status
    visibility: Literal["public", "hidden"] = "public"


class Counterexample(msgspec.Struct, frozen=True, kw_only=True):
    """An input, made as small as possible, on which the submission is wrong."""

    shape: dict[str, int]
    inputs: dict[str, Nested]
    expected: dict[str, Nested]
    got: dict[str, Nested]


class Generated(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the generated inputs: ``examples`` of them, at ``shapes`` out of ``of_shapes`` shapes."""

    examples: int
    shapes: int
    of_shapes: int
    status: Status
    counterexample: Counterexample | None = None
    never_taken: tuple[Place, ...] = ()
    """Choices in the program of which no input took one side."""


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """Which part of an array one device holds: ``[start:stop, ...]``, one pair an axis."""

    device: int
    block: tuple[tuple[int, int], ...]


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """How one input or output lies on the devices."""

    name: str
    role: Literal["input", "output"]
    shape: tuple[int, ...]
    dtype: str = "float32"
    blocks: tuple[Block, ...] = ()
    """In the order of the mesh's devices; a device may hold several blocks, or none."""


class Devices(msgspec.Struct, frozen=True, kw_only=True):
    """What each device holds, at one shape: the inputs as the shard_map's body gets them, the outputs as they leave."""

    mesh: dict[str, int]
    """The size of each axis, in order: ``{"model": 8}``."""
    arrays: tuple[Layout, ...] = ()


class FlowNode(msgspec.Struct, frozen=True, kw_only=True):
    """A value or a step on the way from the inputs to the outputs."""

    id: str
    """Unlike that of every other node; edges name it."""
    label: str
    """A word or two, such as ``w1``, ``relu`` or ``psum``."""
    kind: Literal["input", "split", "step", "psum", "move", "output"]
    """``split`` deals an array out to the devices; ``move`` is any other communication than a psum."""
    on_devices: bool = False
    """It is inside the shard_map: each device does it on what it holds."""
    detail: str | None = None
    """More about it, such as the shape of what comes out: ``(1, 2) on each device``."""
    line: int | None = None
    fault: str | None = None
    """The id of the finding that this step is at fault for."""


class FlowEdge(msgspec.Struct, frozen=True, kw_only=True):
    source: str
    target: str
    label: str | None = None


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """The program from its inputs to its outputs, as a graph without cycles.

    Whoever makes one keeps to `MOST_FLOW_NODES` and `MOST_FLOW_EDGES`; what is beyond them is not drawn.
    """

    nodes: tuple[FlowNode, ...]
    edges: tuple[FlowEdge, ...] = ()


MOST_FLOW_NODES = 60
MOST_FLOW_EDGES = 120


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was found about one submission."""

    version: Literal[1] = 1
    verdict: Verdict
    problem: str | None
    submission: str
    rules: tuple[RuleResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    cases: tuple[CaseResult, ...] = ()
    generated: Generated | None = None
    devices: Devices | None = None
    flow: Flow | None = None
    output: str = ""
    """What the submission printed, bounded."""
    seconds: float = 0.0
    versions: dict[str, str] = {}
    sandbox: tuple[str, ...] = ()
    """The layers of the jail that were in force."""
    programs: str | None = None
    """A digest of all programs that were traced: equal where these are, but for names, lines and the order of
    equations that do not need each other. None: none was traced."""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What one device holds of an output: the block ``value[start:stop, ...]``, one pair an axis."""

    device: int
    block: tuple[tuple[int, int], ...]
    value: Nested


class RunOutput(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    shape: tuple[int, ...]
    dtype: str
    value: Nested
    devices: tuple[Held, ...] = ()


class RunReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a submission returns on inputs of one's own: no verdict. With findings, there are no outputs."""

    version: Literal[1] = 1
    problem: str | None
    submission: str
    outputs: tuple[RunOutput, ...] = ()
    devices: Devices | None = None
    """Also how the inputs lie; the outputs tell that themselves."""
    findings: tuple[Finding, ...] = ()
    output: str = ""
    seconds: float = 0.0
    versions: dict[str, str] = {}
    sandbox: tuple[str, ...] = ()


def verdict(findings: Iterable[Finding]) -> Verdict:
    """What all findings together make of a submission: the first in `PRECEDENCE`, accepted when there are none."""
    found = {each.verdict for each in findings}
    return next((each for each in PRECEDENCE if each in found), Verdict.AC)
