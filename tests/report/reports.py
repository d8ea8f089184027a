"""A submission and reports on it, as the tests of the renderers use them."""

from __future__ import annotations

from grader.report.model import (
    CaseResult,
    Counterexample,
    Finding,
    Generated,
    Place,
    Report,
    RuleResult,
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
