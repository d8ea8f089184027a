"""Programs as diagrams: what is drawn, what is left out, and where the fault is."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import PartitionSpec as P

from grader.analysis.flow import returned_leaves
from grader.problem import concrete
from grader.problems.tensor_parallel_mlp import PROBLEM
from grader.program.prune import prune
from grader.program.types import Container, Leaf
from grader.referee.diagram import diagram
from grader.report.model import MOST_FLOW_NODES, Finding, Flow, Verdict
from grader.tracer.encode import encode
from tests.referee.traced import mlp

SHAPE = {"B": 2, "D": 3, "H": 16, "O": 4}
NAMES = ("x", "w1", "b1", "w2", "b2")


def drawn(function: Callable[..., dict[str, Any]], *findings: Finding) -> Flow | None:
    """Of a function whose places are those in this file."""
    inputs = [jax.ShapeDtypeStruct(concrete(each.shape, SHAPE), each.dtype) for each in PROBLEM.inputs]
    returned = Container("dict", ("hidden", "out"), (Leaf(0), Leaf(1)))
    program = prune(encode(jax.make_jaxpr(function)(*inputs), returned, __file__))
    return diagram(program, NAMES, returned_leaves(program), findings)


def steps(flow: Flow | None) -> list[tuple[str, str, list[str]]]:
    """Kind, label and the labels of what it is made of, for each node but the inputs."""
    assert flow is not None
    labels = {each.id: each.label for each in flow.nodes}
    return [
        (each.kind, each.label, [labels[edge.source] for edge in flow.edges if edge.target == each.id])
        for each in flow.nodes
        if each.kind != "input"
    ]


def at(text: str, function: Callable[..., Any]) -> Finding:
    """A finding at the first place where ``text`` stands in the source of ``function``."""
    lines, first = inspect.getsourcelines(function)
    number, line = next((number, line) for number, line in enumerate(lines) if text in line)
    column = line.index(text) + 1
    return Finding(
        kind="rule",
        id="some-rule",
        verdict=Verdict.RV,
        message="",
        line=first + number,
        column=column,
        end_line=first + number,
        end_column=column + len(text),
    )


def test_the_right_answer() -> None:
    flow = drawn(mlp())
    assert steps(flow) == [
        ("split", "split w1", ["w1"]),
        ("split", "split b1", ["b1"]),
        ("split", "split w2", ["w2"]),
        ("step", "x @ w1", ["x", "split w1"]),
        ("step", "+ b1", ["x @ w1", "split b1"]),
        ("step", "max 0", ["+ b1"]),
        ("step", "max 0 @ w2", ["max 0", "split w2"]),
        ("psum", "psum", ["max 0 @ w2"]),
        ("step", "+ b2", ["psum", "b2"]),
        ("output", "hidden", ["max 0"]),
        ("output", "out", ["+ b2"]),
    ]
    assert flow is not None
    where = {each.label: (each.on_devices, each.detail) for each in flow.nodes}
    assert where["w1"] == (False, "(3, 16)")
    assert where["split w1"] == (False, "(3, 2) on each")
    assert [each.label for each in flow.edges if each.label] == ["P(None, 'model')", "P('model')", "P('model')"]
    assert where["x @ w1"] == (True, "(2, 2)")
    assert where["psum"] == (True, "over model")
    assert not any(each.fault for each in flow.nodes)


def test_the_faulty_step_is_marked() -> None:
    wrong = lambda x, w1, b1, w2, b2, hidden, out: b2 * 2.0  # noqa: E731
    flow = drawn(mlp(wrong), at("b2 * 2.0", wrong))
    assert flow is not None
    assert [(each.label, each.fault) for each in flow.nodes if each.fault] == [("× 2", "some-rule")]
    assert [each.line for each in flow.nodes if each.fault] == [at("b2 * 2.0", wrong).line]


def test_moving_is_drawn_only_where_it_is_at_fault() -> None:
    wrong = lambda x, w1, b1, w2, b2, hidden, out: jnp.transpose(out.T)  # noqa: E731
    assert not [label for _, label, _ in steps(drawn(mlp(wrong))) if label == "transpose"]
    flow = drawn(mlp(wrong), at("jnp.transpose(out.T)", wrong))
    assert ("step", "transpose", ["+ b2"]) in steps(flow)


def test_communication_and_devices_numbers() -> None:
    def inside(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, hidden: Any, out: Any) -> Any:
        whole = jax.lax.all_gather(hidden, "model", axis=1, tiled=True)
        return jax.lax.dynamic_slice_in_dim(whole, jax.lax.axis_index("model") * 2 + 0, 2, 1).sum() * 0

    found = steps(drawn(mlp(inside=inside, check_vma=False)))
    assert ("move", "all_gather", ["max 0"]) in found
    assert ("step", "dynamic_slice", ["all_gather", "axis_index"]) in found


def test_small_named_functions_are_one_step_and_loops_too() -> None:
    def tensor_parallel_mlp(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> dict[str, Any]:
        hidden = jax.nn.relu(x @ w1 + b1)
        out = jax.lax.fori_loop(0, 3, lambda _, y: y + b2, hidden @ w2)
        return {"out": out, "hidden": hidden}

    assert [(kind, label) for kind, label, _ in steps(drawn(tensor_parallel_mlp))] == [
        ("step", "x @ w1"),
        ("step", "+ b1"),
        ("step", "relu"),
        ("step", "relu @ w2"),
        ("step", "scan"),
        ("output", "hidden"),
        ("output", "out"),
    ]


def test_a_loop_with_a_psum_is_drawn_as_one() -> None:
    def tensor_parallel_mlp(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> dict[str, Any]:
        def body(x: Any, w1: Any, w2: Any) -> Any:
            return jax.lax.map(lambda row: jax.lax.psum(row @ w1 @ w2, "model"), x)

        mesh = jax.make_mesh((8,), ("model",), axis_types=(jax.sharding.AxisType.Auto,))
        specs = (P(), P(None, "model"), P("model"))
        return {"out": jax.shard_map(body, mesh=mesh, in_specs=specs, out_specs=P())(x, w1, w2), "hidden": x @ w1 + b1}

    assert ("psum", "scan", ["split w1", "split w2", "x"]) in steps(drawn(tensor_parallel_mlp))


@pytest.mark.parametrize(("times", "some"), [(100, True), (1_000, False)])
def test_a_long_program_is_drawn_by_lines_or_not_at_all(times: int, some: bool) -> None:
    def wrong(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, hidden: Any, out: Any) -> Any:
        for _ in range(times):
            out = jnp.sin(out)
        return out

    flow = drawn(mlp(wrong))
    assert (flow is not None) is some
    if flow is not None:
        assert len(flow.nodes) <= MOST_FLOW_NODES
        [many] = [each for each in flow.nodes if each.label == "sin …"]
        assert (many.detail or "").startswith("100 steps, line ")
