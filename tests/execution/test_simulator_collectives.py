"""Collectives and shard_map: what every simulated device gets is what every XLA device gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from grader.execution.simulator import Deadlock, Fuel, simulate
from tests.execution.tracing import program_of

LINE = {"i": 8}
GRID = {"a": 4, "b": 2}
CUBE = {"a": 2, "b": 2, "c": 2}
OVER = {1: P("i"), 2: P("a", "b"), 3: P("a", "b", "c")}


def mesh(axes: dict[str, int]) -> Mesh:
    return Mesh(np.array(jax.devices()[:8]).reshape(tuple(axes.values())), tuple(axes))


@dataclass(frozen=True)
class Row:
    name: str
    body: Callable[..., Any]
    axes: dict[str, int]
    shape: tuple[int, ...]
    spec: P
    out: P
    check: bool = False


def row(
    name: str,
    body: Callable[..., Any],
    axes: dict[str, int] = LINE,
    shape: tuple[int, ...] = (16, 4),
    spec: P | None = None,
    out: P | None = None,
    check: bool = False,
) -> Row:
    spec = OVER[len(axes)] if spec is None else spec
    return Row(name, body, axes, shape, spec, spec if out is None else out, check)


def ring(x: Any) -> Any:
    def step(carry: Any, _: Any) -> Any:
        part, total = carry
        part = lax.ppermute(part, "i", [(k, (k + 1) % 8) for k in range(8)])
        return (part, total + part), part.sum()

    (_, total), sums = lax.scan(step, (x, x), None, length=7)
    return total + sums.sum()


def by_device(x: Any) -> Any:
    return lax.cond(lax.axis_index("i") % 3 == 0, lambda x: x + 1, lambda x: x * 2, x)


def switched(x: Any) -> Any:
    return lax.switch(lax.axis_index("i"), [lambda x: x, lambda x: -x, lambda x: x.sum() + x], x)


def trips_by_device(x: Any) -> Any:
    return lax.fori_loop(0, lax.axis_index("i"), lambda k, c: c * 0.5 + k, x)


def psum_where_the_group_agrees(x: Any) -> Any:
    return lax.cond(lax.axis_index("b") == 0, lambda x: lax.psum(x, "a"), lambda x: x, x)


def loop_where_the_group_agrees(x: Any) -> Any:
    return lax.fori_loop(0, lax.axis_index("b") + 1, lambda k, c: lax.pmax(c, "a") + k, x)


def nested(x: Any) -> Any:
    inner = jax.shard_map(
        lambda x: lax.psum(x, ("a", "b")) + lax.axis_index("b"),
        in_specs=P("b"),
        out_specs=P(),
        axis_names={"b"},
        check_vma=False,
    )
    return inner(x) + x.sum()


PAIRS = [[0, 1], [2, 3], [4, 5], [6, 7]]
APART = [[0, 4], [1, 5], [2, 6], [3, 7]]
TABLE = [
    row("psum", lambda x: lax.psum(x, "i")),
    row("psum replicated", lambda x: lax.psum(x, "i"), out=P(), check=True),
    row("psum of a tuple", lambda x: sum(lax.psum((x, x.sum()), "i"))),
    row("psum in pairs", lambda x: lax.psum(x, "i", axis_index_groups=PAIRS)),
    row("psum apart", lambda x: lax.psum(x, "i", axis_index_groups=APART)),
    row("psum of an axis", lambda x: lax.psum(x, "a"), GRID),
    row("psum of the other axis", lambda x: lax.psum(x, "b"), GRID, (8, 4)),
    row("psum of both axes", lambda x: lax.psum(x, ("b", "a")), GRID, (8, 4)),
    row("psum of two of three", lambda x: lax.psum(x, ("c", "a")), CUBE, (4, 4, 2)),
    row("psum int", lambda x: lax.psum(x.astype(np.int32), "i").astype(np.float32)),
    row("pmean", lambda x: lax.pmean(x, "i"), out=P(), check=True),
    row("pmax", lambda x: lax.pmax(x, "i")),
    row("pmin in pairs", lambda x: lax.pmin(x, "i", axis_index_groups=PAIRS)),
    row("all_gather", lambda x: lax.all_gather(x, "i").sum(0)),
    row("all_gather whole", lambda x: lax.all_gather(x, "i")[3] + x),
    row("all_gather axis 1", lambda x: lax.all_gather(x, "i", axis=1)[:, 5]),
    row("all_gather tiled", lambda x: lax.all_gather(x, "i", axis=1, tiled=True)),
    row("all_gather in groups", lambda x: lax.all_gather(x, "i", axis_index_groups=APART, axis=0)[1]),
    row("all_gather over two axes", lambda x: lax.all_gather(x, ("b", "a"), axis=0, tiled=True), GRID, (8, 4)),
    row("all_gather over an axis", lambda x: lax.all_gather(x, "b", axis=1, tiled=True), GRID, (8, 4)),
    row("psum_scatter", lambda x: lax.psum_scatter(x, "i", scatter_dimension=0), shape=(64, 3)),
    row("psum_scatter tiled", lambda x: lax.psum_scatter(x, "i", scatter_dimension=1, tiled=True), shape=(16, 16)),
    row("psum_scatter in groups", lambda x: lax.psum_scatter(x, "i", axis_index_groups=PAIRS, tiled=True), shape=(32, 2)),  # noqa: E501
    row("psum_scatter over an axis", lambda x: lax.psum_scatter(x, "a", tiled=True), GRID, (16, 4)),
    row("all_to_all", lambda x: lax.all_to_all(x, "i", 0, 1), shape=(64, 3), out=P("i")),
    row("all_to_all 2", lambda x: lax.all_to_all(x, "i", 1, 0), shape=(16, 8)),
    row("all_to_all 3", lambda x: lax.all_to_all(x, "i", 1, 2), shape=(16, 8, 3)),
    row("all_to_all tiled", lambda x: lax.all_to_all(x, "i", 0, 1, tiled=True), shape=(128, 3)),
    row("all_to_all tiled 2", lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True), shape=(16, 16)),
    row("all_to_all same", lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True), shape=(64, 2)),
    row("all_to_all groups", lambda x: lax.all_to_all(x, "i", 0, 1, axis_index_groups=APART, tiled=True), shape=(32, 2)),  # noqa: E501
    row("all_to_all axis", lambda x: lax.all_to_all(x, "b", 0, 1, tiled=True), GRID, (8, 4)),
    row("ppermute", lambda x: lax.ppermute(x, "i", [(k, (k + 3) % 8) for k in range(8)])),
    row("ppermute partial", lambda x: lax.ppermute(x, "i", [(0, 1), (5, 2)])),
    row("ppermute axis", lambda x: lax.ppermute(x, "a", [(0, 1), (1, 3), (3, 0)]), GRID),
    row("ring", ring),
    row("axis_index", lambda x: x + lax.axis_index("i")),
    row("axis_index of axes", lambda x: x + lax.axis_index(("b", "a")), GRID),
    row("pcast", lambda x: lax.pcast(lax.psum(x, "i"), "i", to="varying") * x, check=True),
    row("cond by device", by_device),
    row("switch by device", switched),
    row("loop by device", trips_by_device),
    row("psum where its group agrees", psum_where_the_group_agrees, GRID),
    row("loop where its group agrees", loop_where_the_group_agrees, GRID),
    row("split over two axes", lambda x: x + lax.axis_index("a"), GRID, spec=P(("b", "a")), out=P(("b", "a"))),
    row("split and joined otherwise", lambda x: x.T, GRID, (8, 4), P("a", "b"), P("b", "a")),
    row("split over one of three", lambda x: lax.psum(x, ("a", "b")), CUBE, (4, 4), P(None, "c"), P(None, "c")),
    row("nested", nested, GRID, (8, 2), P("a"), P("a")),
    row("debug print", lambda x: (jax.debug.print("{}", x[0, 0]), x)[1]),
    row("control in scan", lambda x: lax.scan(lambda c, r: (lax.psum(c, "i") * 0.1 + r, c), x[0], x)[1]),
]  # fmt: skip


@pytest.mark.parametrize("case", [pytest.param(each, id=each.name) for each in TABLE])
def test_every_device_computes_what_xla_computes(case: Row) -> None:
    @jax.jit
    def function(x: Any) -> Any:
        with_axes = {"axis_names": {"a"}} if case.name == "nested" else {}
        return jax.shard_map(
            case.body, mesh=mesh(case.axes), in_specs=case.spec, out_specs=case.out, check_vma=case.check, **with_axes
        )(x)

    examples = [np.random.default_rng(seed).normal(size=case.shape).astype(np.float32) for seed in (0, 1, 2)]
    program = program_of(function, examples[:1])
    [output] = simulate(program, [np.stack(examples)], fuel=Fuel()).outputs
    for got, example in zip(output, examples, strict=True):
        np.testing.assert_allclose(got, np.asarray(function(example)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(), (5,)])
@pytest.mark.parametrize("kind", [np.float32, np.float16, jnp.bfloat16])
def test_psum_adds_in_the_order_of_xla(kind: Any, shape: tuple[int, ...]) -> None:
    """To the last bit."""

    def function(x: Any) -> Any:
        return jax.shard_map(lambda x: lax.psum(x[0], "i"), mesh=mesh(LINE), in_specs=P("i"), out_specs=P())(x)

    compiled = jax.jit(function)
    examples = np.random.default_rng(0).normal(size=(20, 8, *shape)).astype(kind)
    [output] = simulate(program_of(function, [examples[0]]), [examples], fuel=Fuel()).outputs
    for got, example in zip(output, examples, strict=True):
        np.testing.assert_array_equal(got, np.asarray(compiled(example)))


def unequal(body: Callable[..., Any], out: P, axes: dict[str, int] = LINE) -> Sequence[tuple[int, tuple[int, ...]]]:
    def function(x: Any) -> Any:
        return jax.shard_map(body, mesh=mesh(axes), in_specs=P(), out_specs=(out, P()), check_vma=False)(x)

    x = np.arange(4, dtype=np.float32)
    outcome = simulate(program_of(function, [x]), [np.stack([x, x])], fuel=Fuel())
    return [(each.output, each.devices.shape) for each in outcome.unequal]


def test_devices_that_differ_under_a_replicated_spec_are_reported() -> None:
    assert unequal(lambda x: (x + lax.axis_index("i"), x), P()) == [(0, (2, 8, 4))]
    assert unequal(lambda x: (x, x + lax.axis_index("i")), P("i")) == [(1, (2, 8, 4))]


def test_devices_that_differ_only_along_axes_of_the_spec_are_as_they_should_be() -> None:
    assert unequal(lambda x: (x + lax.axis_index("i"), x), P("i")) == []
    assert unequal(lambda x: (x + lax.axis_index("a"), x), P("a"), GRID) == []
    assert unequal(lambda x: (x + lax.axis_index("b"), x), P("a"), GRID) == [(0, (2, 8, 4))]


def test_equal_nan_are_equal() -> None:
    assert unequal(lambda x: (jnp.log(x - 9), x), P()) == []


def test_pmap_is_a_shard_map() -> None:
    function = jax.pmap(lambda x: x / lax.psum(x, "i") + lax.axis_index("i"), axis_name="i")
    x = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
    [output] = simulate(program_of(function, [x]), [np.stack([x, x])], fuel=Fuel()).outputs
    np.testing.assert_allclose(output[1], np.asarray(function(x)), rtol=1e-5)


def test_a_ppermute_waits_for_the_whole_mesh() -> None:
    """As on XLA's CPU devices; a psum waits for its own group only (in the table above)."""

    def body(x: Any) -> Any:
        along = lambda x: lax.ppermute(x, "a", [(k, (k + 1) % 4) for k in range(4)])  # noqa: E731
        return lax.cond(lax.axis_index("b") == 0, along, lambda x: x, x)

    def function(x: Any) -> Any:
        return jax.shard_map(body, mesh=mesh(GRID), in_specs=P(), out_specs=P(), check_vma=False)(x)

    x = np.arange(4, dtype=np.float32)
    with pytest.raises(Deadlock, match="only some of the devices reach ppermute"):
        simulate(program_of(function, [x]), [x[None]], fuel=Fuel())
