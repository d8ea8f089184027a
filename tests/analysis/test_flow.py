"""What the data-flow analysis says of small programs: labels, copies, additions, through every kind of body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from grader.analysis import labels as L
from grader.analysis.facts import Facts
from grader.analysis.flow import Question, analyse
from grader.execution.simulator import Fuel
from grader.program.prune import prune
from grader.program.types import Container, Leaf
from grader.tracer.encode import encode

QUESTION = Question(split=("w",), terms=(("w",),), added="b")


def facts(function: Callable[..., Any], **shapes: tuple[int, ...]) -> Facts:
    """Of ``function`` traced on float32 arrays of these shapes; what it returns is the result ``y``."""
    arguments = [jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes.values()]
    program = prune(encode(jax.make_jaxpr(function)(*arguments), Container("dict", ("y",), (Leaf(0),)), __file__))
    random = np.random.default_rng(0)
    probe = [random.uniform(0.5, 1.5, shape).astype(np.float32) for shape in shapes.values()]
    return analyse(program, list(shapes), QUESTION, probe, Fuel())


def depends(function: Callable[..., Any], **shapes: tuple[int, ...]) -> list[str]:
    """For each element of the result the names of the inputs that it may depend on, in one string."""
    found = facts(function, **shapes)
    return [
        "".join(name for k, name in enumerate(shapes) if label & L.whole(k))
        for label in found.results["y"].labels.ravel()
    ]


def times(function: Callable[..., Any], **shapes: tuple[int, ...]) -> list[int]:
    result: list[int] = facts(function, **shapes).results["y"].times.ravel().tolist()
    return result


def test_elements_that_are_only_moved_keep_their_labels_apart() -> None:
    assert depends(lambda x, z: jnp.concatenate([x, z])[::-1][:3], x=(2,), z=(2,)) == ["z", "z", "x"]
    assert depends(lambda x, z: jnp.stack([x, z]).T.ravel(), x=(2,), z=(2,)) == ["x", "z", "x", "z"]
    assert depends(lambda x, z: jnp.pad(x, 1).at[3].set(z[0]), x=(2,), z=(1,)) == ["", "x", "x", "z"]


def test_a_known_zero_blocks_what_it_multiplies() -> None:
    one_hot = np.array([0.0, 1.0, 0.0], np.float32)
    assert depends(lambda x: x * one_hot, x=(3,)) == ["", "x", ""]
    assert depends(lambda x: jnp.eye(3, dtype=np.float32)[:, :2] @ x, x=(2,)) == ["x", "x", ""]
    assert depends(lambda x, z: 0.0 * x + z, x=(2,), z=(2,)) == ["z", "z"]


def test_an_unknown_zero_blocks_nothing() -> None:
    assert depends(lambda x, z: (z - z) * x, x=(1,), z=(1,)) == ["xz"]


def test_a_known_predicate_selects_and_an_unknown_one_joins() -> None:
    mask = np.array([True, False])
    assert depends(lambda x, z: jnp.where(mask, x, z), x=(2,), z=(2,)) == ["x", "z"]
    assert depends(lambda x, z, p: jnp.where(p > 0, x, z), x=(1,), z=(1,), p=(1,)) == ["xzp"]


def test_a_known_index_picks_and_an_unknown_one_may_pick_any() -> None:
    assert depends(lambda x, z: lax.dynamic_slice(jnp.concatenate([x, z]), (1,), (2,)), x=(2,), z=(2,)) == ["x", "z"]

    def at(x, i):
        return lax.dynamic_slice(x, (i[0].astype(int),), (1,))

    assert depends(at, x=(2,), i=(1,)) == ["xi"]


def test_products_and_reductions_depend_on_what_they_sum() -> None:
    assert depends(lambda x, z: jnp.concatenate([x, z], 0) @ jnp.ones((2, 1), np.float32), x=(1, 2), z=(1, 2)) == [
        "x",
        "z",
    ]
    assert depends(lambda x, z: jnp.concatenate([x, z], 0).max(1), x=(1, 2), z=(1, 2)) == ["x", "z"]
    assert depends(lambda x, z: jnp.cumsum(jnp.concatenate([x, z])), x=(1,), z=(1,)) == ["x", "xz"]


def with_jvp(function: Any) -> Any:
    wrapped = jax.custom_jvp(function)
    wrapped.defjvp(lambda primals, tangents: (function(*primals), tangents[0][:1]))
    return wrapped


def with_vjp(function: Any) -> Any:
    wrapped = jax.custom_vjp(function)
    wrapped.defvjp(lambda *primals: (function(*primals), None), lambda kept, cotangent: (cotangent, cotangent))
    return wrapped


@pytest.mark.parametrize("wrap", [jax.jit, jax.checkpoint, with_jvp, with_vjp])
def test_calls_are_looked_into(wrap: Callable[[Any], Any]) -> None:
    assert depends(lambda x, z: wrap(lambda a, b: a[:1] + 0 * b)(x, z), x=(2,), z=(1,)) == ["x"]


def test_loops_are_run_when_their_trips_are_known() -> None:
    def rotate(x: Any, z: Any) -> Any:
        return lax.fori_loop(0, 3, lambda _, pair: (pair[1], pair[0]), (x, z))[0]

    assert depends(rotate, x=(1,), z=(1,)) == ["z"]

    def scan(x, z):
        return lax.scan(lambda carry, row: (row, carry), z[0], x)[1]

    assert depends(scan, x=(3,), z=(1,)) == ["z", "x", "x"]


def test_a_loop_of_unknown_trips_may_run_any_number() -> None:
    def chain(x: Any, z: Any, n: Any) -> Any:
        return lax.while_loop(lambda c: c[3] < n[0], lambda c: (c[1], c[2], c[2], c[3] + 1), (x, x, z, 0.0))[0]

    assert depends(chain, x=(1,), z=(1,), n=(1,)) == ["xzn"]


def test_a_branch_not_taken_whatever_the_inputs_does_not_count() -> None:
    def choose(p):
        return lambda x, z: lax.cond(p(x), lambda: x, lambda: z)

    assert depends(choose(lambda x: jnp.array(True)), x=(1,), z=(1,)) == ["x"]
    assert depends(choose(lambda x: x[0] > 1e30), x=(1,), z=(1,)) == ["xz"]


def test_additions_are_counted_along_every_path() -> None:
    assert times(lambda x, b: x + b, x=(2,), b=(2,)) == [1, 1]
    assert times(lambda x, b: x + b + b - b, x=(1,), b=(1,)) == [3]
    assert times(lambda x, b: -(-x - b), x=(1,), b=(1,)) == [1]
    assert times(lambda x, b: x.at[1].add(b[0]), x=(2,), b=(1,)) == [0, 1]
    assert times(lambda x, b: jnp.stack([x, b]).sum(0), x=(2,), b=(2,)) == [1, 1]
    assert times(lambda x, b: lax.scan(lambda c, row: (c + row, None), b, x)[0], x=(5, 1), b=(1,)) == [1]
    assert times(lambda x, b: jnp.where(x > 0, x + b, x), x=(1,), b=(1,)) == [1]
    assert times(lambda x, b: x + jnp.ones((1, 1), np.float32) @ b[None], x=(1, 1), b=(1,)) == [1]


# ── devices ──────────────────────────────────────────────────────────────────────────────────────


def on_devices(body: Callable[..., Any], in_specs: Any, out_specs: Any = None) -> Any:
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
    return jax.shard_map(body, mesh=mesh, in_specs=in_specs, out_specs=out_specs or P(), check_vma=False)


def reduced(function: Callable[..., Any], **shapes: tuple[int, ...]) -> bool:
    labels = facts(function, **shapes).results["y"].labels
    return bool(((labels & L.REDUCED) != 0).all() and ((labels & L.UNREDUCED) == 0).all())


def test_a_psum_of_every_devices_part_reduces() -> None:
    assert reduced(on_devices(lambda w: lax.psum(w, "model"), P("model")), w=(8,))
    assert reduced(on_devices(lambda w: lax.psum(w[0] * 2, ("model",)), P("model")), w=(8,))


def test_a_psum_in_all_branches_reduces_and_in_one_of_them_does_not() -> None:
    def both(w: Any, x: Any) -> Any:
        return lax.cond(x[0] > 0, lambda: lax.psum(w, "model"), lambda: 2 * lax.psum(w, "model"))

    def one(w: Any, x: Any) -> Any:
        return lax.cond(x[0] > 0, lambda: lax.psum(w, "model"), lambda: x)

    assert reduced(on_devices(both, (P("model"), P())), w=(8,), x=(1,))
    assert not reduced(on_devices(one, (P("model"), P())), w=(8,), x=(1,))


def test_other_ways_of_adding_up_do_not_reduce() -> None:
    ways: list[Callable[[Any], Any]] = [
        lambda w: lax.all_gather(w, "model", tiled=True).sum(0, keepdims=True),
        lambda w: lax.all_gather(lax.psum_scatter(jnp.tile(w, 8), "model", tiled=True), "model", tiled=True)[:1],
        lambda w: w + lax.ppermute(w, "model", [(i, (i + 1) % 8) for i in range(8)]),
        lambda w: lax.psum(jnp.zeros(8, np.float32).at[lax.axis_index("model")].set(w[0]), "model")[:1],
        lambda w: lax.psum(w, "model") * 0 + w,
        lambda w: lax.psum(w, "model", axis_index_groups=[[0, 1, 2, 3], [4, 5, 6, 7]]),
    ]
    for way in ways:
        assert not reduced(on_devices(way, P("model")), w=(8,))


def test_a_gather_by_psum_is_told() -> None:
    def one_hot(w):
        return lax.psum(jnp.zeros(8, np.float32).at[lax.axis_index("model")].set(w[0]), "model")

    [psum] = facts(on_devices(one_hot, P("model")), w=(8,)).collectives
    assert psum.gathers
    assert not psum.reduces


def test_what_devices_hold_is_the_block_they_are_given() -> None:
    found = facts(on_devices(lambda w, x: lax.psum(w.sum() * x, "model"), (P(None, "model"), P())), w=(2, 8), x=(1,))
    [body] = found.shard_maps
    wanted = found.input_origins("w")
    np.testing.assert_array_equal(body.operands[0].blocks, np.moveaxis(wanted[..., None], 1, 0))
    assert (body.operands[1].blocks == found.input_origins("x")).all()


def test_results_that_differ_between_devices_are_told() -> None:
    def first_only(b):
        return jnp.where(lax.axis_index("model") == 0, b, 0)

    [body] = facts(on_devices(first_only, P()), b=(1,)).shard_maps
    assert body.results[0].varies
    [body] = facts(on_devices(lambda b: b * 2, P()), b=(1,)).shard_maps
    assert not body.results[0].varies


def test_an_addition_in_every_part_is_counted_for_every_device() -> None:
    inside = on_devices(lambda w, b: lax.psum(w + b, "model"), (P("model"), P()))
    assert times(inside, w=(8,), b=(1,)) == [8]
    after = on_devices(lambda w, b: lax.psum(w, "model") + b, (P("model"), P()))
    assert times(after, w=(8,), b=(1,)) == [1]
