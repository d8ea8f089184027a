"""A submission and reports on it, as the tests of the renderers use them."""

from __future__ import annotations

import msgspec

from grader.report.model import (
    Block,
    CaseResult,
    Counterexample,
    Devices,
    Finding,
    Flow,
    FlowEdge,
    FlowNode,
    Generated,
    Held,
    Layout,
    Place,
    Report,
    RuleResult,
    RunOutput,
    RunReport,
    Verdict,
)

SOURCE = b"""\
def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = split(x, w1, b1, w2)
    return {"out": out + b2, "hidden": hidden + 0}
"""

ACCEPTED = Report(
    verdict=Verdict.AC,
    problem="tensor_parallel_mlp",
    submission="mine.py",
    rules=(RuleResult(id="mesh", status="pass", title="every shard_map runs over eight devices"),),
    cases=(CaseResult(name="example_1", status="pass"), CaseResult(name="zeros", status="pass")),
    generated=Generated(examples=400, shapes=320, of_shapes=320, status="pass"),
    seconds=0.414,
    versions={"JAX": "0.10.2"},
    sandbox=("landlock", "seccomp"),
)

BROKEN = Report(
    verdict=Verdict.RV,
    problem="tensor_parallel_mlp",
    submission="mine.py",
    rules=(
        RuleResult(id="mesh", status="pass", title="every shard_map runs over eight devices"),
        RuleResult(id="hidden-split", status="fail", title="hidden is the shard_map's own output"),
        RuleResult(id="b2-once", status="skipped", title="b2 is added once"),
    ),
    findings=(
        Finding(
            kind="rule",
            id="hidden-split",
            verdict=Verdict.RV,
            message="The returned hidden is not the shard_map's own output: something is added to it.",
            help="Return what the shard_map returns, as it is.",
            line=3,
            column=40,
            end_line=3,
            end_column=50,
            shape={"B": 1, "D": 1, "H": 8, "O": 1},
            also=(Place(line=2, note="this is the shard_map", column=19, end_line=2, end_column=39),),
        ),
        Finding(
            kind="numbers",
            id="b2-eight-times",
            verdict=Verdict.WA,
            message="b2 is added eight times.",
            cases=("example_1",),
        ),
    ),
    cases=(
        CaseResult(name="example_1", status="fail"),
        CaseResult(name="zeros", status="pass"),
        CaseResult(name="late", status="skipped", visibility="hidden"),
    ),
    generated=Generated(
        examples=12,
        shapes=5,
        of_shapes=320,
        status="fail",
        counterexample=Counterexample(
            shape={"B": 1, "D": 1},
            inputs={"x": [[0.0]], "b2": [1.0]},
            expected={"out": [[1.0]]},
            got={"out": [["nan"]]},
        ),
    ),
    output="hello\nAccepted (AC): mine.py\n\x1b[2J",
    seconds=1.0,
)


def dealt(shape: tuple[int, ...], axis: int | None) -> tuple[Block, ...]:
    """The blocks of an array on eight devices, split along ``axis`` (None: whole on each)."""
    blocks = []
    for device in range(8):
        block = [(0, size) for size in shape]
        if axis is not None:
            part = shape[axis] // 8
            block[axis] = (device * part, (device + 1) * part)
        blocks.append(Block(device=device, block=tuple(block)))
    return tuple(blocks)


_ARRAYS: tuple[tuple[str, tuple[int, ...], int | None], ...] = (
    ("x", (2, 3), None),
    ("w1", (3, 16), 1),
    ("b1", (16,), 0),
    ("w2", (16, 4), 0),
    ("b2", (4,), None),
    ("out", (2, 4), None),
    ("hidden", (2, 16), 1),
)
DEVICES = Devices(
    mesh={"model": 8},
    arrays=tuple(
        Layout(
            name=name,
            role="output" if name in ("out", "hidden") else "input",
            shape=shape,
            blocks=dealt(shape, axis),
        )
        for name, shape, axis in _ARRAYS
    ),
)

FLOW = Flow(
    nodes=(
        *(FlowNode(id=name, label=name, kind="input", detail=f"{shape}") for name, shape, _ in _ARRAYS[:5]),
        *(FlowNode(id=f"{name} dealt", label=f"split {name}", kind="split") for name in ("w1", "b1", "w2")),
        FlowNode(id="first", label="x @ w1", kind="step", on_devices=True, detail="(2, 2)", line=2),
        FlowNode(id="biased", label="+ b1", kind="step", on_devices=True, line=2),
        FlowNode(id="relu", label="relu", kind="step", on_devices=True, line=2),
        FlowNode(id="second", label="hidden @ w2", kind="step", on_devices=True, line=2),
        FlowNode(id="psum", label="psum", kind="psum", on_devices=True, detail="over model", line=2),
        FlowNode(id="sum", label="+ b2", kind="step", line=3),
        FlowNode(id="gather", label="all_gather", kind="move", line=3, fault="hidden-split"),
        FlowNode(id="out", label="out", kind="output", detail="(2, 4)"),
        FlowNode(id="hidden", label="hidden", kind="output", detail="(2, 16)"),
    ),
    edges=tuple(
        FlowEdge(source=source, target=target, label="P('model')" if target.endswith("dealt") else None)
        for source, target in (
            ("x", "first"), ("w1", "w1 dealt"), ("w1 dealt", "first"), ("first", "biased"), ("b1", "b1 dealt"),
            ("b1 dealt", "biased"), ("biased", "relu"), ("relu", "second"), ("w2", "w2 dealt"),
            ("w2 dealt", "second"), ("second", "psum"), ("psum", "sum"), ("b2", "sum"), ("sum", "out"),
            ("relu", "gather"), ("gather", "hidden"),
        )
    ),
)  # fmt: skip

DRAWN = msgspec.structs.replace(BROKEN, devices=DEVICES, flow=FLOW, versions={"grader": "0.1.0"})
"""A rejected submission with everything that a report can hold."""

RAN = RunReport(
    problem="tensor_parallel_mlp",
    submission="mine.py",
    outputs=(
        RunOutput(
            name="out",
            shape=(1, 1),
            dtype="float32",
            value=[[2.5]],
            devices=tuple(Held(device=each, block=((0, 1), (0, 1)), value=[[2.5]]) for each in range(8)),
        ),
        RunOutput(
            name="hidden",
            shape=(1, 16),
            dtype="float32",
            value=[[each / 2 for each in range(16)]],
            devices=tuple(
                Held(device=each, block=((0, 1), (2 * each, 2 * each + 2)), value=[[each / 1, each + 0.5]])
                for each in range(8)
            ),
        ),
    ),
    devices=Devices(mesh={"model": 8}, arrays=DEVICES.arrays[:1]),
    output="hello\n",
    seconds=0.5,
    versions={"JAX": "0.10.2"},
)
