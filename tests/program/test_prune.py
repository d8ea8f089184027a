"""A pruned program is valid, computes the same, and holds nothing that its outputs do not need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from grader.execution.errors import OutOfFuel
from grader.execution.simulator import Fuel, simulate
from grader.program.prune import prune
from grader.program.types import Aval, Body, BodyRef, Container, Equation, Leaf, Program
from grader.program.wire import from_bytes, to_bytes
from grader.tracer.encode import encode
from tests.program.random_programs import programs

F32 = Aval((), "float32")
X = np.arange(1, 9, dtype=np.float32)


def program_of(function: Callable[..., Any], *arguments: Any) -> Program:
    closed = jax.make_jaxpr(function)(*arguments)
    leaves = tuple(Leaf(k) for k in range(len(closed.out_avals)))
    return encode(closed, Container("tuple", (), leaves), "submission.py")


def outputs(program: Program, *arrays: np.ndarray) -> list[np.ndarray]:
    return list(simulate(program, [each[None] for each in arrays], fuel=Fuel()).outputs)


def primitives(program: Program) -> list[str]:
    return [equation.primitive for body in program.bodies for equation in body.equations]


def only(program: Program, primitive: str) -> Equation:
    (found,) = [each for body in program.bodies for each in body.equations if each.primitive == primitive]
    return found


def pruned(function: Callable[..., Any], *arguments: Any) -> Program:
    """The function's program without dead code; it computes the same."""
    program = program_of(function, *arguments)
    less = prune(program)
    assert from_bytes(to_bytes(less)) == less
    for left, right in zip(outputs(program, *arguments), outputs(less, *arguments), strict=True):
        np.testing.assert_array_equal(left, right)
    assert prune(less) == less
    return less


# ── each kind of body ────────────────────────────────────────────────────────────────────────────


def test_equations_that_nothing_needs_go() -> None:
    def function(x: jax.Array) -> jax.Array:
        jnp.sin(x)
        jnp.cos(jnp.tanh(x) + np.arange(8, dtype=np.float32))
        return x + 1

    less = pruned(function, X)
    assert primitives(less) == ["add"]
    assert len(less.constants) == 1


def test_unused_inputs_of_the_main_body_stay() -> None:
    assert len(pruned(lambda x, y: x + 1, X, X).main.inputs) == 2


def test_a_call_keeps_what_is_used_of_it() -> None:
    @jax.jit
    def both(x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jnp.sin(x), jnp.cos(y)

    call = only(pruned(lambda x, y: both(x, y)[1], X, X), "jit")
    assert (call.operands, len(call.results)) == ((1,), 1)
    assert call.params["in_shardings"] == call.params["out_shardings"] == (None,)


def test_one_body_is_cut_for_each_use_and_shared_between_equal_ones() -> None:
    @jax.jit
    def both(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jnp.sin(x), jnp.cos(x)

    less = pruned(lambda x: both(x)[0] + both(x * 2)[1] + both(x * 3)[0], X)
    assert len(less.bodies) == 3
    assert primitives(less).count("sin") == primitives(less).count("cos") == 1


def test_scan_keeps_carries_that_reach_a_result() -> None:
    def step(carry: Any, row: Any) -> Any:
        a, b, c, d = carry
        return (a + b, b + row[0], c + 1, d * c), (a, row[1] * 2)

    def function(x: jax.Array) -> jax.Array:
        (a, *_), _ = lax.scan(step, (0.0, 0.0, 0.0, 1.0), (x, x * 2))
        return a

    less = pruned(function, X)
    scan = only(less, "scan")
    assert (scan.params["num_consts"], scan.params["num_carry"]) == (0, 2)
    assert len(scan.operands) == 3
    assert len(scan.results) == 2
    assert "mul" not in primitives(less)


def test_scan_keeps_only_the_constants_in_use() -> None:
    def function(x: jax.Array, y: jax.Array) -> jax.Array:
        return lax.scan(lambda c, r: ((c[0] + r * y[0], c[1] * x[1]), c[1]), (0.0, 1.0), x)[0][0]

    less = pruned(function, X, X)
    scan = only(less, "scan")
    assert scan.params["num_consts"] == 1
    assert scan.params["num_carry"] == 1
    assert len(scan.results) == 1


def test_while_keeps_what_its_condition_asks() -> None:
    def function(x: jax.Array, limit: jax.Array) -> jax.Array:
        first = (jnp.int32(0), jnp.float32(0), jnp.float32(1))
        return lax.while_loop(lambda c: c[0] < limit[0], lambda c: (c[0] + 1, c[1] + x[0], c[2] * x[1]), first)[1]

    less = pruned(function, X, X)
    loop = only(less, "while")
    assert len(loop.results) == 2
    assert (loop.params["cond_nconsts"], loop.params["body_nconsts"]) == (1, 1)
    assert "mul" not in primitives(less)


def test_cond_keeps_what_any_branch_uses() -> None:
    def function(x: jax.Array, y: jax.Array, z: jax.Array) -> jax.Array:
        one = lambda x, y, z: (x, z + 1)  # noqa: E731
        two = lambda x, y, z: (y * 2, z - 1)  # noqa: E731
        return lax.cond(x[0] > 0, one, two, x, y, z)[0]

    less = pruned(function, X, X, X)
    cond = only(less, "cond")
    assert (len(cond.operands), len(cond.results)) == (3, 1)
    assert [len(body.inputs) for body in less.bodies[:-1]] == [2, 2]


def test_shard_map_keeps_specs_of_what_stays() -> None:
    mesh = Mesh(np.array(jax.devices()), ("model",))

    def body(x: jax.Array, y: jax.Array) -> Any:
        return lax.psum(x, "model"), lax.all_gather(y, "model"), y * 2

    def function(x: jax.Array, y: jax.Array) -> jax.Array:
        specs = (P(), P("model"), P("model"))
        return jax.shard_map(body, mesh=mesh, in_specs=(P("model"), P("model")), out_specs=specs)(x, y)[2]

    less = pruned(function, X, X)
    call = only(less, "shard_map")
    assert call.operands == (1,)
    assert [len(call.params[key]) for key in ("in_specs", "out_specs")] == [1, 1]  # type: ignore[arg-type]
    assert not {"psum", "all_gather"} & set(primitives(less))


def test_decoys_that_feed_only_each_other_go() -> None:
    def function(x: jax.Array) -> jax.Array:
        lax.scan(lambda c, r: (c + r, c), x[0], x)
        lax.fori_loop(0, 5, lambda k, c: c * 2, x)
        return -x

    assert primitives(pruned(function, X)) == ["neg"]


# ── effects ──────────────────────────────────────────────────────────────────────────────────────


def test_prints_vanish() -> None:
    def function(x: jax.Array) -> jax.Array:
        jax.debug.print("{}", jnp.sin(x))
        return x + 1

    assert primitives(prune(program_of(function, X))) == ["add"]


@pytest.mark.parametrize("ordered", [False, True])
def test_host_callbacks_with_effects_stay(ordered: bool) -> None:
    from jax.experimental import io_callback

    @jax.jit
    def inner(x: jax.Array) -> jax.Array:
        io_callback(lambda x: None, None, jnp.sin(x), ordered=ordered)
        return jnp.cos(x)

    def function(x: jax.Array) -> jax.Array:
        inner(x)
        return x + 1

    less = prune(program_of(function, X))
    assert sorted(primitives(less)) == ["add", "io_callback", "jit", "sin"]
    assert only(less, "jit").results == ()
    assert from_bytes(to_bytes(less)) == less


def test_pure_callbacks_count_only_where_their_result_does() -> None:
    def function(x: jax.Array) -> jax.Array:
        jax.pure_callback(lambda x: x, x, x)
        return x + 1

    assert primitives(prune(program_of(function, X))) == ["add"]


# ── any program ──────────────────────────────────────────────────────────────────────────────────


@given(programs())
def test_random_programs_compute_the_same(program: Program) -> None:
    assert from_bytes(to_bytes(program)) == program
    less = prune(program)
    assert from_bytes(to_bytes(less)) == less
    arrays = [np.float32(k + 1)[None] for k in range(len(program.main.inputs))] or []
    try:
        before = simulate(program, arrays, fuel=Fuel()).outputs
    except OutOfFuel:
        return
    after = simulate(less, arrays, fuel=Fuel()).outputs
    for left, right in zip(before, after, strict=True):
        np.testing.assert_array_equal(left, right)


@given(programs())
def test_nothing_is_left_to_prune(program: Program) -> None:
    less = prune(program)
    assert prune(less) == less
    called = {ref.index for body in less.bodies for each in body.equations for ref in _refs(each.params)}
    assert called == set(range(len(less.bodies) - 1))
    named = {k for body in less.bodies for each in body.equations for k in each.operands}
    named |= {k for body in less.bodies for k in body.outputs}
    assert {k for k in named if k < 0} == {-k - 1 for k in range(len(less.constants))}
    for body in less.bodies:
        used = {k for each in body.equations for k in each.operands} | set(body.outputs)
        first = len(body.inputs)
        for each in body.equations:
            assert used & set(range(first, first + len(each.results)))
            first += len(each.results)


def _refs(params: dict[str, Any]) -> list[BodyRef]:
    found = []
    for value in params.values():
        found += [each for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, BodyRef)]
    return found


def test_exponentially_many_ways_of_cutting_end_early() -> None:
    """Each body calls the one before twice, and two results change places in one of the calls: 2^k cuts."""
    levels = 12
    width = 2 * levels
    avals = (F32,) * width
    bodies = [Body(avals, tuple(Equation("neg", (k,), (F32,)) for k in range(width)), tuple(range(width, 2 * width)))]
    for level in range(levels):
        places = list(range(width))
        places[2 * level], places[2 * level + 1] = places[2 * level + 1], places[2 * level]
        call = Equation("jit", tuple(range(width)), avals, {"jaxpr": BodyRef(level)})
        sums = [Equation("add", (width + k, 2 * width + places[k]), (F32,)) for k in range(width)]
        bodies.append(Body(avals, (call, call, *sums), tuple(range(3 * width, 4 * width))))
    main = Body(avals, (Equation("jit", tuple(range(width)), avals, {"jaxpr": BodyRef(levels)}),), (*range(24, 48, 2),))
    program = Program((*bodies, main), (), Container("tuple", (), tuple(Leaf(k) for k in range(levels))))
    assert from_bytes(to_bytes(program)) == program
    less = prune(program)
    assert from_bytes(to_bytes(less)) == less
    assert len(primitives(less)) < 10 * len(primitives(program))
