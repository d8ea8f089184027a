"""A program that is sent, read, rebuilt and run gives what jax.jit gives of the function: every bit, every shard."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from grader.execution import xla
from grader.execution.environment import XLA_FLAGS, environment
from grader.execution.xla import Unsupported, XlaError, run
from grader.program import types
from grader.program.prune import prune
from grader.program.wire import from_bytes, to_bytes
from grader.tracer.encode import encode

F = np.float32
X = np.random.default_rng(0).normal(size=(4, 6)).astype(F)
W = np.random.default_rng(1).normal(size=(6, 4)).astype(F)
V = X.reshape(-1)
N = np.array([0, 1, -1, 7, -7, 31, 33, 2**31 - 1, -(2**31)], np.int32)
U = N.view(np.uint32)
SQUARE = X[:, :4] @ X[:, :4].T + 4 * np.eye(4, dtype=F)
Z = (X[:, :4] + 1j * W[:4]).astype(np.complex64)


def program_of(function: Callable[..., Any], *arguments: Any) -> types.Program:
    """What the referee has of a function: traced, sent, read and pruned."""
    closed = jax.make_jaxpr(function)(*arguments)
    outputs = tuple(types.Leaf(k) for k in range(len(closed.out_avals)))
    program = encode(closed, types.Container("tuple", (), outputs), "submission.py")
    return prune(from_bytes(to_bytes(program)))


def at(function: Callable[..., Any], *arguments: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return function, arguments


def relu_twice(x: jax.Array) -> jax.Array:
    return jax.nn.relu(jax.nn.relu(x) - 0.5)


@jax.custom_vjp
def straight_through(x: jax.Array) -> jax.Array:
    return jnp.where(x >= 0, F(1), F(-1))


straight_through.defvjp(lambda x: (straight_through(x), x), lambda x, g: (g,))

CONV = {"window_strides": (1, 2), "padding": "SAME", "rhs_dilation": (2, 1)}
POSITIONS = np.array([[0], [5], [-1], [2]], np.int32)

FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "unary": at(lambda x: (jnp.exp(x), jnp.tanh(x), jnp.sin(x), lax.rsqrt(x * x), lax.erf(x), lax.lgamma(x)), X),
    "more unary": at(lambda x: (jnp.exp2(x), jnp.log1p(x * x), lax.cbrt(x), jnp.log2(x * x), -x, jnp.sign(x)), X),
    "binary": at(
        lambda x, w: (x + w, x - w, x * w, x / w, jnp.maximum(x, w), jnp.fmod(x, w), jnp.arctan2(x, w)), X, -X
    ),
    "scalars": at(lambda x: (x * 2.5 + 1, 2 - x, jnp.clip(x, -0.5, 0.5), x > 0, lax.integer_pow(x, 3)), X),
    "comparisons": at(lambda x: (x == 0, x != x, jnp.isfinite(x), ~(x < 1), (x > 0) & (x < 1)), X),
    "integers": at(lambda n: (n // 7, n % 7, n << 3, n >> 1, n ^ 5, ~n, lax.population_count(n), lax.clz(n)), N),
    "naturals": at(lambda n: (n // 7, lax.rem(n, n | 1), lax.shift_right_logical(n, n), n * n), U),
    "casts": at(lambda x: (x.astype(jnp.bfloat16), x.astype(jnp.int8), x.astype(bool), x.astype(jnp.complex64)), X),
    "bits": at(lambda x: (lax.bitcast_convert_type(x, jnp.int32), lax.reduce_precision(x, 5, 10), jnp.round(x)), X),
    "complex": at(lambda z: (z.real, z.imag, jnp.conj(z), z @ z, jnp.abs(z), jnp.exp(z)), Z),
    "shapes": at(lambda x: (x.T, x.reshape(3, 8), x[:, None], x[::-1], jnp.squeeze(x[:, :1]), jnp.tile(x, (2, 1))), X),
    "slices": at(
        lambda x: (x[1:, ::2], jnp.concatenate([x, x]), jnp.pad(x, 1), jnp.stack([x, -x]), jnp.split(x, 2)), X
    ),
    "dynamic": at(
        lambda x, n: (lax.dynamic_slice(x, (n, n), (2, 2)), lax.dynamic_update_slice(x, x[:1], (n, 0))), X, N[4]
    ),
    "iota": at(lambda x: x + jnp.arange(6) + lax.broadcasted_iota(jnp.int32, (4, 6), 0), X),
    "choice": at(lambda x, n: (jnp.where(x > 0, x, 0), lax.select_n(n, *[n + k for k in range(3)])), X, N % 3),
    "reductions": at(
        lambda x: (x.sum(), x.prod(0), x.max(1), x.min(), jnp.argmax(x, 1), jnp.argmin(x), (x > 0).all()), X
    ),
    "cumulative": at(
        lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, reverse=True), lax.cumlogsumexp(x)), X
    ),
    "general reduction": at(lambda x: lax.reduce(x, F(1), lambda a, b: a * b + a, (1,)), X),
    "windows": at(
        lambda x: (
            lax.reduce_window(x, -np.inf, lax.max, (2, 2), (1, 1), "SAME"),
            lax.reduce_window(x, 0.0, lax.add, (2, 1), (2, 1), "VALID"),
            lax.reduce_window(x, F(1), lambda a, b: a * b + a, (2, 2), (2, 2), "VALID"),
        ),
        X,
    ),
    "pooling gradient": at(
        jax.grad(lambda x: (lax.reduce_window(x, -np.inf, lax.max, (2, 2), (2, 2), "VALID") ** 2).sum()), X
    ),
    "products": at(
        lambda x, w: (x @ w, jnp.einsum("ij,kj->ik", x, x), jnp.vdot(x, x), lax.dot(x, w, precision="highest")), X, W
    ),
    "half products": at(
        lambda x, w: lax.dot_general(
            x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), (((1,), (0,)), ((), ())), preferred_element_type=F
        ),
        X,
        W,
    ),
    "convolution": at(
        lambda x: lax.conv_general_dilated(x.reshape(1, 1, 4, 6), x[:2, :2].reshape(1, 1, 2, 2), **CONV), X
    ),
    "gather": at(
        lambda x, n: (x[n], x[n, n], jnp.take(x, n, axis=1), x.at[n].get(mode="fill", fill_value=7)), X, N % 9
    ),
    "scatter": at(
        lambda x, n: (x.at[n].set(1), x.at[n].add(2), x.at[n].mul(3), x.at[n].min(0), x.at[n].max(0)), X, N % 9
    ),
    "scatter apply": at(lambda x: x.at[1, ::2].apply(jnp.exp), X),
    "sorting": at(lambda x: (jnp.sort(x), jnp.argsort(x, 0), lax.top_k(x, 2), lax.sort((x, -x), num_keys=2)), X),
    "search": at(lambda x: jnp.searchsorted(jnp.sort(x), x), V),
    "fft": at(lambda x: (jnp.fft.fft(x), jnp.fft.irfft(jnp.fft.rfft(x))), X),
    "linear algebra": at(
        lambda a: (
            jnp.linalg.cholesky(a),
            jnp.linalg.solve(a, a),
            jnp.linalg.qr(a),
            jnp.linalg.eigvalsh(a),
            jnp.linalg.svd(a),
        ),
        SQUARE,
    ),
    "random": at(
        lambda k: (
            jax.random.normal(k, (3,)),
            jax.random.split(jax.random.wrap_key_data(k), 2).shape[0],
            jax.random.randint(jax.random.key(3), (4,), 0, 9),
            jax.random.permutation(k, 5),
        ),
        U[:2],
    ),
    "constants": at(lambda x: (x + np.arange(6, dtype=F), jnp.eye(3), 1.0), X),
    "empty": at(lambda x: (x[:0].sum(), jnp.concatenate([x[:0], x]), x[:, :0] @ jnp.zeros((0, 2), F)), X),
    "jit": at(jax.jit(lambda x: jax.jit(relu_twice)(x) + relu_twice(x)), X),
    "custom rules": at(lambda x: (straight_through(x), jax.grad(lambda x: straight_through(x).sum())(x)), X),
    "remat": at(jax.grad(lambda x: jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)))(x).sum()), X),
    "scan": at(lambda x: lax.scan(lambda c, r: (c * 0.5 + r, c.sum()), x[0], x, reverse=True), X),
    "scan of nothing": at(lambda x: lax.scan(lambda c, _: (c + 1, c), x, None, length=3), X),
    "while": at(lambda x: lax.while_loop(lambda c: c[0] < x.shape[0], lambda c: (c[0] + 1, c[1] * x[0, 0]), (0, x)), X),
    "batched while": at(jax.vmap(lambda x: lax.while_loop(lambda c: c < 9, lambda c: c + jnp.abs(x) + 1, x)), V),
    "fori": at(lambda x: lax.fori_loop(0, 3, lambda k, c: c + x[k], x[0]), X),
    "cond": at(lambda x: lax.cond(x[0, 0] > 0, lambda a: a + 1, lambda a: a * 2, x), X),
    "switch": at(lambda x, n: lax.switch(n, [lambda a: a, lambda a: a * 2, lambda a: a @ a.T @ a], x), X, N[3]),
    "barriers": at(lambda x: (lax.optimization_barrier(x), lax.stop_gradient(x), jnp.array(x)), X),
    "gradient": at(jax.grad(lambda x: (jnp.tanh(x @ W).sum(0) ** 2).mean()), X),
    "hessian": at(jax.hessian(lambda v: jnp.log1p(jnp.exp(-v)).sum() * v[0]), V[:5]),
    "debug print": at(lambda x: (jax.debug.print("{}", x), x + 1)[1], X),
}


@pytest.fixture
def optimised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile as jax.jit does by default."""
    monkeypatch.setattr(xla, "COMPILER_OPTIONS", {})


def same(left: np.ndarray, right: np.ndarray) -> bool:
    return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()


def wanted(calls: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]) -> list[list[np.ndarray]]:
    """What jax.jit makes of the functions, all compiled together."""
    functions = [function for function, _ in calls]
    found = jax.jit(lambda inputs: [f(*each) for f, each in zip(functions, inputs, strict=True)])(
        [arguments for _, arguments in calls]
    )
    return [[np.asarray(leaf) for leaf in jax.tree.leaves(each)] for each in found]


@pytest.mark.usefixtures("optimised")
def test_programs_compute_what_their_functions_do() -> None:
    calls = list(FUNCTIONS.values())
    found = run([(program_of(function, *arguments), arguments) for function, arguments in calls])
    for name, results, want in zip(FUNCTIONS, found, wanted(calls), strict=True):
        assert len(results) == len(want), name
        for result, value in zip(results, want, strict=True):
            assert same(result.value, value), name


def test_rounding_is_all_that_the_quick_compiler_changes() -> None:
    calls = [
        FUNCTIONS[name] for name in ("unary", "reductions", "products", "convolution", "scan", "gradient", "sorting")
    ]
    found = run([(program_of(function, *arguments), arguments) for function, arguments in calls])
    for results, want in zip(found, wanted(calls), strict=True):
        for result, value in zip(results, want, strict=True):
            assert result.value.dtype == value.dtype
            np.testing.assert_allclose(result.value, value, rtol=2e-5, atol=1e-6)


# ── devices ──────────────────────────────────────────────────────────────────────────────────────


def line(*names: str) -> Mesh:
    return Mesh(np.array(jax.devices()), names or ("model",))


def grid() -> Mesh:
    return Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def mapped(
    function: Callable[..., Any], in_specs: Any, out_specs: Any, mesh: Mesh, **settings: Any
) -> Callable[..., Any]:
    return jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, **settings)


B = np.random.default_rng(2).normal(size=(8, 16)).astype(F)
S = P("model")


def mlp(x: jax.Array, w1: jax.Array, w2: jax.Array) -> dict[str, jax.Array]:
    def body(x: jax.Array, w1: jax.Array, w2: jax.Array) -> tuple[jax.Array, jax.Array]:
        hidden = jnp.maximum(x @ w1, 0)
        return lax.psum(hidden @ w2, "model"), hidden

    specs = (P(), P(None, "model"), P("model"))
    out, hidden = mapped(body, specs, (P(), P(None, "model")), line())(x, w1, w2)
    return {"out": out, "hidden": hidden}


def uneven(x: jax.Array) -> jax.Array:
    """Declared replicated, and not so: device 0 adds one."""

    def body(x: jax.Array) -> jax.Array:
        return x + jnp.where(lax.axis_index("model") == 0, F(1), F(0))

    return mapped(body, P(), P(), line(), check_vma=False)(x)


def ring(x: jax.Array) -> jax.Array:
    return lax.ppermute(x, "model", [(k, (k + 1) % 8) for k in range(8)])


def constrained(x: jax.Array) -> jax.Array:
    return lax.with_sharding_constraint(x * 2, NamedSharding(grid(), P("data", "model")))


def explicit(x: jax.Array) -> jax.Array:
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Explicit,))
    return jax.sharding.reshard(x, NamedSharding(mesh, P("model"))) * 2


def reversed_devices(x: jax.Array) -> jax.Array:
    mesh = Mesh(np.array(jax.devices()[::-1]), ("model",))
    return mapped(lambda x: x + lax.axis_index("model"), S, S, mesh)(x)


def four_devices(x: jax.Array) -> jax.Array:
    return mapped(lambda x: lax.psum(x, "m"), P("m"), P(), Mesh(np.array(jax.devices()[:4]), ("m",)))(x)


def nested(x: jax.Array) -> jax.Array:
    def inner(x: jax.Array) -> jax.Array:
        return lax.psum(x, "model")

    def outer(x: jax.Array) -> jax.Array:
        return lax.psum(jax.shard_map(inner, in_specs=P(None, "model"), out_specs=P(), axis_names={"model"})(x), "data")

    return mapped(outer, P("data"), P(), grid(), axis_names={"data"})(x)


SHARDED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "mlp": at(mlp, X, B[:6], B.T[:, :3].copy()),
    "uneven": at(uneven, B),
    "gather": at(mapped(lambda x: lax.all_gather(x, "model"), S, P(None, "model"), line()), B),
    "tiled gather": at(mapped(lambda x: lax.all_gather(x, "model", tiled=True), S, P(), line(), check_vma=False), B),
    "scatter": at(
        mapped(lambda x: lax.psum_scatter(x, "model", scatter_dimension=1, tiled=True), P(), P(None, "model"), line()),
        B,
    ),
    "untiled scatter": at(mapped(lambda x: lax.psum_scatter(x, "model"), P(), S, line()), B),
    "all to all": at(mapped(lambda x: lax.all_to_all(x, "model", 1, 0, tiled=True), S, S, line()), B),
    "untiled all to all": at(
        mapped(lambda x: lax.all_to_all(x[:, :8], "model", 1, 2), S, S, line()), B.reshape(8, 16, 1)
    ),
    "ring": at(mapped(ring, S, S, line()), B),
    "extremes": at(
        mapped(lambda x: (lax.pmax(x, "model"), lax.pmin(x, "model"), lax.pmean(x, "model")), S, P(), line()), B
    ),
    "groups": at(
        mapped(
            lambda x: lax.psum(x, "model", axis_index_groups=[[0, 1, 2, 3], [4, 5, 6, 7]]),
            S,
            S,
            line(),
            check_vma=False,
        ),
        B,
    ),
    "index": at(mapped(lambda x: x + lax.axis_index("model"), S, S, line()), B),
    "two axes": at(
        mapped(
            lambda x: lax.psum(x, ("data", "model")) + lax.axis_index(("model", "data")),
            P("data", "model"),
            P("data", "model"),
            grid(),
            check_vma=False,
        ),
        B,
    ),
    "one of two axes": at(mapped(lambda x: lax.psum(x, "model"), P("data", "model"), P("data"), grid()), B),
    "psum in scan": at(
        mapped(
            lambda x: lax.scan(lambda c, r: (c + lax.psum(r, "model"), c), x[0] * 0, x)[0],
            S,
            S,
            line(),
            check_vma=False,
        ),
        B,
    ),
    "cond by device": at(
        mapped(lambda x: lax.cond(lax.axis_index("model") % 2 == 0, lambda a: a * 2, lambda a: a, x), S, S, line()), B
    ),
    "constrained": at(constrained, B),
    "out shardings": at(
        lambda x: jax.jit(lambda x: x + 1, out_shardings=NamedSharding(line(), P(None, "model")))(x), B
    ),
    "nested": at(nested, B),
    "pmap": at(lambda x: jax.pmap(lambda x: lax.psum(x, "i"), axis_name="i")(x), B),
}


@pytest.mark.usefixtures("optimised")
def test_every_device_holds_what_it_would() -> None:
    calls = list(SHARDED.values())
    found = run([(program_of(function, *arguments), arguments) for function, arguments in calls])
    for name, results, (function, arguments) in zip(SHARDED, found, calls, strict=True):
        compare_shards(name, results, jax.tree.leaves(jax.jit(function)(*arguments)))


@pytest.mark.usefixtures("optimised")
@pytest.mark.parametrize("function", [reversed_devices, four_devices])
def test_other_devices_are_run_beside(function: Callable[..., Any]) -> None:
    calls = [(each, (B,)) for each in (constrained, function, relu_twice)]
    found = run([(program_of(each, *arguments), arguments) for each, arguments in calls])
    for results, (each, arguments) in zip(found, calls, strict=True):
        order = jax.devices()[::-1] if each is reversed_devices else jax.devices()
        compare_shards(each.__name__, results, jax.tree.leaves(jax.jit(each)(*arguments)), order)


def compare_shards(name: str, results: Sequence[xla.Result], want: Sequence[Any], order: Any = None) -> None:
    order = jax.devices() if order is None else order
    assert len(results) == len(want), name
    for result, value in zip(results, want, strict=True):
        assert same(result.value, np.asarray(value)), name
        shards = sorted(value.addressable_shards, key=lambda shard: order.index(shard.device))
        assert [shard.device for shard in result.shards] == list(range(len(shards))), name
        for mine, shard in zip(result.shards, shards, strict=True):
            bounds = [each.indices(size)[:2] for each, size in zip(shard.index, value.shape, strict=True)]
            assert list(mine.index) == bounds, name
            assert same(mine.data, np.asarray(shard.data)), name


def test_specs_of_outputs() -> None:
    ((hidden, out),) = run([(program_of(mlp, *SHARDED["mlp"][1]), SHARDED["mlp"][1])])
    assert hidden.spec == types.Spec(((), ("model",)))
    assert out.spec == types.Spec(())
    assert hidden.shards[3].index == ((0, 4), (6, 8))


def test_wrong_replication_is_seen() -> None:
    ((out,),) = run([(program_of(uneven, B), [B])])
    assert same(out.shards[0].data, B + 1)
    assert all(same(shard.data, B) for shard in out.shards[1:])


def test_explicit_axes_run_as_constraints() -> None:
    ((out,),) = run([(program_of(explicit, B), [B])])
    assert same(out.value, B * 2)
    assert [shard.data.shape for shard in out.shards] == [(1, 16)] * 8
    assert out.spec == types.Spec((("model",),))


def test_keys_go_in_and_come_out_as_words() -> None:
    program = program_of(lambda key: (jax.random.fold_in(key, 1), jax.random.uniform(key)), jax.random.key(7))
    ((key, number),) = run([(program, [np.array(7, np.uint64)])])
    words = np.asarray(jax.random.key_data(jax.random.fold_in(jax.random.key(7), 1))).astype(np.uint64)
    assert key.value.dtype == np.uint64
    assert key.value == (words[0] << np.uint64(32)) | words[1]
    assert same(number.value, np.asarray(jax.jit(jax.random.uniform)(jax.random.key(7))))


def test_constant_keys_inside_a_shard_map() -> None:
    key = jax.random.key(3)
    function = mapped(lambda x: x + jax.random.uniform(key), S, S, line(), check_vma=False)
    ((out,),) = run([(program_of(function, B), [B])])
    np.testing.assert_allclose(out.value, function(B), rtol=1e-6)


def test_wide_types_stay_wide_and_others_narrow() -> None:
    wide = V.astype(np.float64)
    with jax.enable_x64(True):
        program = program_of(lambda x: (x * 2, x.astype(F), x.astype(jnp.int64)), wide)
    (results, (narrow,)) = run([(program, [wide]), (program_of(relu_twice, X), [X])])
    assert [result.value.dtype.name for result in results] == ["float64", "float32", "int64"]
    assert same(results[0].value, wide * 2)
    assert narrow.value.dtype == F


def test_the_joint_run_is_one_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    single = xla._run

    def counted(calls: Any, devices: Any) -> Any:
        seen.append(len(calls))
        return single(calls, devices)

    monkeypatch.setattr(xla, "_run", counted)
    run([(program_of(each, B), [B]) for each in (constrained, uneven)])
    assert seen == [2]


def test_equal_programs_are_compiled_once_and_run_on_their_own_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    rebuilt: list[types.Program] = []
    rebuild = xla.rebuild

    def counted(program: types.Program) -> Any:
        rebuilt.append(program)
        return rebuild(program)

    monkeypatch.setattr(xla, "rebuild", counted)
    inputs = [B, B + 1, X, B + 2, X * 2]
    found = run([(program_of(lambda x: x * 2, each), [each]) for each in inputs])
    assert [same(result.value, each * 2) for (result,), each in zip(found, inputs, strict=True)] == [True] * 5
    assert len(rebuilt) == 2


# ── what cannot be run ───────────────────────────────────────────────────────────────────────────


def f32(*shape: int) -> types.Aval:
    return types.Aval(shape, "float32")


def one_step(primitive: str, result: types.Aval = f32(2), **params: Any) -> types.Program:  # noqa: B008
    body = types.Body((f32(2),), (types.Equation(primitive, (0,), (result,), params),), (1,))
    return types.Program((body,), (), types.Leaf(0))


GOOD = (one_step("neg"), [np.ones(2, F)])


def refused(program: types.Program) -> XlaError:
    with pytest.raises(XlaError) as caught:
        run([GOOD, (program, [np.ones(2, F)]), GOOD])
    assert caught.value.index == 1
    return caught.value


@pytest.mark.parametrize("name", ["pure_callback", "io_callback", "ffi_call", "psum2", "no_such_thing", "swap", "call"])
def test_unknown_primitives_are_not_looked_up_by_name(name: str) -> None:
    with pytest.raises(Unsupported) as caught:
        run([GOOD, (one_step(name), [np.ones(2, F)])])
    assert (caught.value.index, caught.value.primitive) == (1, name)


def test_params_that_nothing_here_knows_are_no_fault_of_the_program() -> None:
    with pytest.raises(Unsupported, match="accuracy") as caught:
        run([GOOD, (one_step("exp", accuracy="HIGHEST"), [np.ones(2, F)])])
    assert caught.value.index == 1
    other = program_of(lambda n: jax.random.bits(jax.random.key(n, impl="rbg"), (3,)), U[0])
    with pytest.raises(Unsupported, match="threefry"):
        run([(other, [U[0]])])


@pytest.mark.parametrize("result", [f32(3), f32(), types.Aval((2,), "int32"), types.Aval((2,), "float64")])
def test_declared_results_are_not_believed(result: types.Aval) -> None:
    assert refused(one_step("neg", result)).type == "Malformed"


def test_inputs_are_not_converted() -> None:
    with pytest.raises(XlaError, match="not of the program's shape and dtype float32") as caught:
        run([GOOD, (GOOD[0], [np.ones(2)])])
    assert caught.value.index == 1


@pytest.mark.parametrize(
    ("primitive", "params"),
    [
        ("transpose", {"permutation": (1, 0)}),
        ("transpose", {}),
        ("round", {"rounding_method": "NO_SUCH"}),
        ("psum", {"axes": ("model",), "axis_index_groups": None}),
        ("reshape", {"new_sizes": "abc", "dimensions": None}),
        ("reduce_sum", {"axes": (7,)}),
    ],
)
def test_senseless_params_are_the_calls_fault(primitive: str, params: dict[str, Any]) -> None:
    refused(one_step(primitive, **params))


def test_what_only_the_compiler_refuses_is_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    single = xla._run

    def picky(calls: Any, devices: Any) -> Any:
        if any(program is bad for program, _ in calls):
            raise xla._Failed(0 if len(calls) == 1 else None, RuntimeError("no"))
        return single(calls, devices)

    bad = one_step("abs")
    monkeypatch.setattr(xla, "_run", picky)
    assert (refused(bad).type, refused(bad).message) == ("RuntimeError", "no")


def test_a_mesh_needs_devices_that_exist() -> None:
    program = program_of(mapped(lambda x: x, S, S, line()), B)
    moved = from_bytes(to_bytes(program).replace(bytes([0x98, *range(8)]), bytes([0x98, *range(1, 9)])))
    with pytest.raises(XlaError, match="devices that do not exist"):
        run([(moved, [B])])


def test_doubling_chains_are_not_written_out() -> None:
    double = types.Body((f32(2),), (types.Equation("add", (0, 0), (f32(2),)),), (1,))
    bodies = [double]
    for k in range(40):
        call = {"jaxpr": types.BodyRef(k)}
        steps = (types.Equation("jit", (0,), (f32(2),), call), types.Equation("jit", (1,), (f32(2),), call))
        bodies.append(types.Body((f32(2),), steps, (2,)))
    with pytest.raises(Unsupported, match="20,000 equations"):
        run([(types.Program(tuple(bodies), (), types.Leaf(0)), [np.ones(2, F)])])


def test_the_environment_gives_up_on_stuck_collectives() -> None:
    assert "--xla_force_host_platform_device_count=8" in environment()["XLA_FLAGS"]
    assert any("terminate_timeout" in flag for flag in XLA_FLAGS)


def test_importing_starts_no_backend() -> None:
    """Flags count until the backend starts: setting them after the import must still have an effect."""
    code = (
        "import os; os.environ.pop('XLA_FLAGS', None); import grader.execution.xla, jax;"
        "os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=5'; print(jax.device_count())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert ran.stdout.split() == [b"5"]
