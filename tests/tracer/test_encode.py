"""Whatever JAX traces is written down, in canonical form, and read back by the strict decoder."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg
import numpy as np
import pytest
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import io_callback
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from grader.program import types
from grader.program.types import Aval, BodyRef, Container, Dtype, Equation, Leaf, Program, Record, Sharding, Spec
from grader.program.wire import from_bytes, to_bytes
from grader.tracer import versions
from grader.tracer.encode import encode
from grader.tracer.errors import TooLarge, Unsupported
from grader.tracer.load import load
from grader.tracer.places import Places

S = jax.ShapeDtypeStruct((), jnp.float32)
V = jax.ShapeDtypeStruct((4,), jnp.float32)
F = jax.ShapeDtypeStruct((4, 4), jnp.float32)
X = jax.ShapeDtypeStruct((16, 8), jnp.float32)
I = jax.ShapeDtypeStruct((4,), jnp.int32)  # noqa: E741


def encoded(function: Callable[..., Any], *arguments: Any) -> Program:
    """The program, once it has gone through bytes and back."""
    closed = jax.make_jaxpr(function)(*arguments)
    leaves = tuple(Leaf(index) for index in range(len(jax.tree.leaves(closed.out_avals))))
    program = encode(closed, Container("tuple", tuple(str(leaf.output) for leaf in leaves), leaves), __file__)
    data = to_bytes(program)
    assert to_bytes(from_bytes(data)) == data  # equal but for NaN, which equals nothing
    return program


def equations(program: Program) -> list[Equation]:
    return [equation for body in program.bodies for equation in body.equations]


def primitives(program: Program) -> set[str]:
    return {equation.primitive for equation in equations(program)}


def only(program: Program, primitive: str) -> Equation:
    [found] = [equation for equation in equations(program) if equation.primitive == primitive]
    return found


@functools.cache
def mesh() -> Mesh:
    return Mesh(np.array(jax.devices()), ("model",))


@functools.cache
def explicit_mesh() -> Mesh:
    return jax.make_mesh((8,), ("model",), axis_types=(AxisType.Explicit,))


SPLIT = P("model")


def on_devices(body: Callable[..., Any], in_spec: Any = SPLIT, out_spec: Any = SPLIT, **more: Any) -> Any:
    return jax.shard_map(body, mesh=mesh(), in_specs=in_spec, out_specs=out_spec, **more)


@jax.custom_vjp
def doubled(x: Any) -> Any:
    return x * 2


doubled.defvjp(lambda x: (x * 2, None), lambda _, g: (g * 2,))


@jax.custom_batching.custom_vmap
def batched(x: Any) -> Any:
    return x * 2


batched.def_vmap(lambda size, is_batched, x: (x * 2, True))


def refuses(*_: Any) -> None:
    raise AssertionError("a callback is not called while tracing")


ORDINARY: dict[str, tuple[Callable[..., Any], Any, set[str]]] = {
    "arithmetic": (lambda x: (x + 1, x * x, x / 2, x**3, -x, abs(x), x % 2), F, {"add", "mul", "integer_pow", "neg"}),
    "elementary": (lambda x: (jnp.exp(x), lax.rsqrt(x), jnp.tanh(x), lax.erf(x), jnp.round(x)), F, {"exp", "round"}),
    "special": (lambda x: (lax.lgamma(x), lax.digamma(x), lax.igamma(x, x), lax.bessel_i0e(x)), F, {"igamma"}),
    "comparison": (lambda x: (x > 0, x <= 1, x == 2, jnp.where(x > 0, x, 0), jnp.clip(x, 0, 1)), F, {"gt", "select_n"}),
    "bits": (lambda x: (x & 1, x | 2, x ^ 3, ~x, x << 1, x >> 1, lax.population_count(x), lax.clz(x)), I, {"and"}),
    "bitcast": (lambda x: lax.bitcast_convert_type(x, np.int32), F, {"bitcast_convert_type"}),
    "casts": (lambda x: (x.astype(jnp.bfloat16), x.astype(bool), x.astype(jnp.int8)), F, {"convert_element_type"}),
    "complex": (lambda x: (lax.complex(x, x), jnp.abs(lax.complex(x, x)), x + 1j), F, {"complex", "abs"}),
    "dtypes": (lambda x: (x.astype(jnp.float8_e4m3fn), x.astype(jnp.int4), x.astype(jnp.uint16)), F, set()),
    "shape": (lambda x: (x.reshape(2, 8), x.T, x[None], x[:, 0], x[::-1], jnp.pad(x, 1), jnp.tile(x, 2)), F, {"pad"}),
    "pieces": (lambda x: (jnp.concatenate([x, x]), jnp.stack([x, x]), jnp.split(x, 2)), F, {"concatenate"}),
    "iota": (lambda x: (jnp.arange(3), jnp.eye(3), jnp.linspace(0, 1, 5)), F, {"iota"}),
    "reductions": (
        lambda x: (x.sum(), x.prod(), x.max(), x.min(), (x > 0).any(), (x > 0).all(), x.argmax(), x.argmin()),
        F,
        {"reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_or", "reduce_and", "argmax", "argmin"},
    ),
    "general reduce": (lambda x: lax.reduce(x, np.float32(0), lambda a, b: a + 2 * b, (0,)), F, {"reduce"}),
    "cumulative": (
        lambda x: (jnp.cumsum(x, 0), jnp.cumprod(x, 0), lax.cummax(x), lax.cummin(x), lax.cumlogsumexp(x)),
        F,
        {"cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"},
    ),
    "sorting": (lambda x: (jnp.sort(x), jnp.argsort(x), lax.top_k(x, 2), jnp.median(x)), F, {"sort", "top_k"}),
    "approximate": (lambda x: lax.approx_max_k(x, 2), F, {"approx_top_k"}),
    "sizes": (lambda x: (jnp.nonzero(x, size=2), jnp.unique(x, size=3), jnp.searchsorted(x, 2.0)), V, set()),
    "dynamic": (
        lambda x, i: (lax.dynamic_slice(x, (i[0],), (2,)), lax.dynamic_update_slice(x, x[:2], (i[1],))),
        (V, I),
        {"dynamic_slice", "dynamic_update_slice"},
    ),
    "gather": (lambda x, i: (x[i], jnp.take(x, i), x.at[i].get(mode="fill", fill_value=0)), (V, I), {"gather"}),
    "scatter": (
        lambda x, i: (
            x.at[i].set(2.0), x.at[i].add(1.0), x.at[i].multiply(2), x.at[i].max(2), x.at[i].min(1),
            x.at[i].apply(jnp.sin),
        ),
        (V, I),
        {"scatter", "scatter-add", "scatter-mul", "scatter-max", "scatter-min"},
    ),
    "windows": (
        lambda x: (
            lax.reduce_window(x, -np.inf, lax.max, (2, 2), (1, 1), "SAME"),
            lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), "SAME"),
            lax.reduce_window(x, np.float32(1), lambda a, b: a * b + 1, (2, 2), (1, 1), "SAME"),
        ),
        F,
        {"reduce_window_max", "reduce_window_sum", "reduce_window"},
    ),
    "pooling's gradient": (
        jax.grad(lambda x: lax.reduce_window(x, -np.inf, lax.max, (2, 2), (1, 1), "VALID").sum()),
        F,
        {"select_and_scatter_add"},
    ),
    "products": (
        lambda x: (x @ x, jnp.einsum("ij,ij->i", x, x), jnp.dot(x, x, precision="highest"), jnp.vdot(x, x)),
        F,
        {"dot_general"},
    ),
    "ragged product": (
        lambda x, i: lax.ragged_dot(x, jnp.ones((2, 4, 4)), i[:2]), (F, I), {"ragged_dot_general"},
    ),
    "convolution": (
        lambda x: lax.conv_general_dilated(
            x[None, None], jnp.ones((1, 1, 3, 3)), (1, 2), "SAME", rhs_dilation=(2, 1), precision="high"
        ),
        F,
        {"conv_general_dilated"},
    ),
    "fft": (lambda x: (jnp.fft.fft(x), jnp.fft.rfft2(x), jnp.fft.irfft(x)), F, {"fft"}),
    "factorisations": (
        lambda x: (
            jnp.linalg.cholesky(x), jnp.linalg.qr(x), jnp.linalg.svd(x), jnp.linalg.eigh(x),
            jax.scipy.linalg.lu(x), jax.scipy.linalg.schur(x), jnp.linalg.eig(x),
        ),
        F,
        {"cholesky", "svd", "eigh", "lu", "schur", "eig"},
    ),
    "solving": (
        lambda x: (
            jnp.linalg.solve(x, x), jnp.linalg.inv(x), jnp.linalg.det(x), jnp.linalg.pinv(x),
            jax.scipy.linalg.solve_triangular(x, x), jax.scipy.linalg.expm(x),
        ),
        F,
        {"triangular_solve", "lu"},
    ),
    "random numbers": (
        lambda x: (
            jax.random.normal(jax.random.key(0), (3,)),
            jax.random.uniform(jax.random.PRNGKey(0), (3,)),
            jax.random.split(jax.random.key(1)),
            jax.random.fold_in(jax.random.key(0), 1),
            jax.random.permutation(jax.random.key(2), 4),
            jax.random.gamma(jax.random.key(1), 2.0),
            jax.random.key_data(jax.random.key(3)),
        ),
        F,
        {"random_seed", "random_bits", "random_split", "random_fold_in", "random_wrap", "random_unwrap"},
    ),
    "other generators": (
        lambda x: (
            jax.random.bits(jax.random.key(0, impl="rbg"), (3,)),
            jax.random.split(jax.random.key(0, impl="unsafe_rbg")),
            lax.rng_bit_generator(jnp.zeros(4, jnp.uint32), (3,)),
        ),
        F,
        {"random_bits", "rng_bit_generator"},
    ),
    "scan": (lambda x: lax.scan(lambda c, row: (c + row, c * row), x[0], x, reverse=True), F, {"scan"}),
    "scan without rows": (lambda x: lax.scan(lambda c, _: (c * 2, None), x, None, length=3), F, {"scan"}),
    "scan's gradient": (
        jax.grad(lambda x: lax.scan(lambda c, y: (jnp.sin(c * y), c), x[0], x)[0]), V, {"scan"},
    ),
    "map": (lambda x: lax.map(jnp.sin, x, batch_size=3), F, {"scan"}),
    "associative scan": (lambda x: lax.associative_scan(jnp.add, x), F, {"add"}),
    "while": (
        lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x[0]), (0, x)), F, {"while"},
    ),
    "fori": (lambda x, i: lax.fori_loop(0, i[0], lambda k, c: c * k, x), (F, I), {"while"}),
    "cond": (lambda x: lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x), F, {"cond"}),
    "switch": (lambda x, i: lax.switch(i[0], [jnp.sin, jnp.cos, jnp.tan], x), (F, I), {"cond"}),
    "jit": (lambda x: jax.jit(lambda y: y * 2, donate_argnums=0)(x), F, {"jit"}),
    "custom_jvp": (lambda x: (jax.nn.relu(x), jax.nn.gelu(x), jax.nn.softplus(x)), F, {"custom_jvp_call"}),
    "custom_vjp": (lambda x: (doubled(x), jax.grad(lambda y: doubled(y).sum())(x)), F, {"custom_vjp_call"}),
    "custom_vmap": (lambda x: (batched(x), jax.vmap(batched)(x)), F, {"jit", "mul"}),
    "checkpoint": (lambda x: jax.checkpoint(jnp.sin)(x), F, {"remat"}),
    "checkpoint's gradient": (
        jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x).sum()), F, {"remat"},
    ),
    "custom_linear_solve": (
        lambda x: lax.custom_linear_solve(lambda y: 2 * y, x, lambda _, b: b / 2, lambda _, b: b / 2),
        V,
        {"jit", "div"},
    ),
    "custom_root": (lambda x: lax.custom_root(lambda y: y * y - x, x, lambda f, y: f(y), lambda f, y: y), V, {"mul"}),
    "composite": (lambda x: lax.composite(lambda y: y * 2, "some.op")(x), F, {"jit"}),
    "hessian": (jax.hessian(lambda x: jax.nn.softmax(x).sum()), V, set()),
    "identities": (
        lambda x: (
            lax.optimization_barrier(x), lax.stop_gradient(x), jnp.array(x),
            checkpoint_name(x, "h"),
            jax.random.key_data(jax.random.clone(jax.random.key(0))),
        ),
        F,
        {"optimization_barrier", "copy", "name"},
    ),
    "callbacks": (
        lambda x: (
            jax.debug.print("{}", x), jax.debug.callback(refuses, x),
            jax.pure_callback(refuses, V, x), io_callback(refuses, V, x),
            jax.ffi.ffi_call("foreign", V)(x, scale=np.int32(1)),
        ),
        V,
        {"debug_callback", "pure_callback", "io_callback", "ffi_call"},
    ),
    "no elements": (lambda x: (x[:0] * 2, jnp.concatenate([x, x[:0]]), x[:0].sum()), F, {"mul"}),
    "precision": (lambda x: lax.reduce_precision(x, 8, 7), F, {"reduce_precision"}),
    "put on devices": (lambda x: jax.device_put(x, NamedSharding(mesh(), P("model"))), X, {"device_put"}),
    "constrained": (
        lambda x: lax.with_sharding_constraint(x, NamedSharding(mesh(), P(P.UNCONSTRAINED, "model"))),
        X,
        {"sharding_constraint"},
    ),
    "pmap": (jax.pmap(lambda x: lax.psum(x, "i"), axis_name="i"), jax.ShapeDtypeStruct((8, 2), np.float32), {"psum"}),
    "pmap inside vmap": (jax.vmap(lambda x: lax.psum(x, "i"), axis_name="i"), X, set()),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDINARY)
def test_encodes(name: str) -> None:
    function, arguments, expected = ORDINARY[name]
    program = encoded(function, *(arguments if isinstance(arguments, tuple) else (arguments,)))
    assert expected <= primitives(program)


# ── canonical form ───────────────────────────────────────────────────────────────────────────────


def collectives(x: Any) -> Any:
    rows = lax.psum_scatter(x.T, "model", tiled=True)
    return (
        lax.psum(x, "model"),
        lax.pmax(x, "model"),
        lax.pmin(x, "model"),
        lax.all_gather(x, "model"),
        rows,
        lax.all_to_all(x, "model", 1, 0, tiled=True),
        lax.ppermute(x, "model", [(d, (d + 1) % 8) for d in range(8)]),
        lax.axis_index("model"),
    )


@pytest.mark.parametrize("check", [True, False])
def test_collectives_have_one_name_each(check: bool) -> None:
    def body(x: Any) -> Any:
        return jax.tree.map(lambda each: jnp.sum(each, dtype=jnp.float32)[None], collectives(x))

    program = encoded(on_devices(body, check_vma=check), X)
    axes = ("model",)
    assert only(program, "psum").params == {"axes": axes, "axis_index_groups": None}
    assert only(program, "pmax").params == {"axes": axes, "axis_index_groups": None}
    assert only(program, "pmin").params == {"axes": axes, "axis_index_groups": None}
    assert only(program, "all_gather").params == {
        "axis_name": axes, "all_gather_dimension": 0, "axis_index_groups": None, "axis_size": 8, "tiled": False,
    }  # fmt: skip
    assert only(program, "reduce_scatter").params == {
        "axis_name": axes, "scatter_dimension": 0, "axis_index_groups": None, "axis_size": 8, "tiled": True,
    }  # fmt: skip
    assert only(program, "all_to_all").params == {
        "axis_name": axes, "split_axis": 1, "concat_axis": 0, "axis_index_groups": None, "tiled": True,
    }  # fmt: skip
    assert only(program, "ppermute").params == {
        "axis_name": axes, "perm": tuple((d, (d + 1) % 8) for d in range(8)),
    }  # fmt: skip
    assert only(program, "axis_index").params == {"axis_name": axes}
    assert only(program, "shard_map").params["check_vma"] is check


def test_shard_map() -> None:
    two_axes = jax.make_mesh((4, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
    body = jax.shard_map(
        lambda x, y: lax.psum(x + y, "b"),
        mesh=two_axes,
        in_specs=(P(("a", "b")), P(("a", "b"), None)),
        out_specs=P("a"),
    )
    call = only(encoded(body, X, X), "shard_map")
    assert call.params == {
        "mesh": types.Mesh(("a", "b"), (4, 2), tuple(device.id for device in two_axes.devices.flat)),
        "in_specs": (Spec((("a", "b"),)), Spec((("a", "b"),))),
        "out_specs": (Spec((("a",),)),),
        "jaxpr": BodyRef(0),
        "check_vma": True,
        "manual_axes": ("a", "b"),
        "pmap": False,
    }
    partly = jax.shard_map(lambda x: lax.psum(x, "a"), mesh=two_axes, in_specs=P("a"), out_specs=P(), axis_names={"a"})
    assert only(encoded(partly, X), "shard_map").params["manual_axes"] == ("a",)


def test_a_global_mesh_is_abstract() -> None:
    with jax.set_mesh(mesh()):
        program = encoded(lambda x: jax.shard_map(lambda y: y * 2, in_specs=P("model"), out_specs=P("model"))(x), X)
    assert only(program, "shard_map").params["mesh"] == types.Mesh(("model",), (8,))


def test_pmap_is_told_from_shard_map() -> None:
    function, argument, _ = ORDINARY["pmap"]
    assert only(encoded(function, argument), "shard_map").params["pmap"] is True
    assert only(encoded(on_devices(lambda x: x), X), "shard_map").params["pmap"] is False


def test_varying_axes() -> None:
    program = encoded(on_devices(lambda x: lax.psum(x, "model"), out_spec=P()), X)
    body = program.bodies[0]
    assert body.inputs == (Aval((2, 8), "float32", ("model",)),)
    assert only(program, "psum").results == (Aval((2, 8), "float32"),)


def test_pcast() -> None:
    program = encoded(on_devices(lambda x: lax.pcast(x, "model", to="varying"), in_spec=P()), X)
    assert only(program, "pvary").params == {"axes": ("model",)}


def test_groups_of_devices() -> None:
    groups = [[0, 1, 2, 3], [4, 5, 6, 7]]
    body = on_devices(lambda x: lax.psum(x, "model", axis_index_groups=groups), check_vma=False)
    assert only(encoded(body, X), "psum").params["axis_index_groups"] == ((0, 1, 2, 3), (4, 5, 6, 7))


def test_explicit_axes() -> None:
    wanted = NamedSharding(explicit_mesh(), P("model", None))
    sharding = Sharding("NamedSharding", types.Mesh(("model",), (8,)), Spec((("model",),)))

    def function(x: Any) -> Any:
        split = jax.sharding.reshard(x, wanted)
        return jnp.einsum("ij,jk->ik", split, split.T, out_sharding=wanted)

    program = encoded(function, X)
    assert only(program, "reshard").params == {"sharding": sharding}
    assert only(program, "dot_general").params["out_sharding"] == sharding
    assert "sharding" not in only(encoded(lambda x: jnp.arange(3), X), "iota").params


def test_where_arrays_are_put() -> None:
    split = NamedSharding(mesh(), P("model"))
    devices = tuple(device.id for device in mesh().devices.flat)
    sharding = Sharding("NamedSharding", types.Mesh(("model",), (8,), devices), Spec((("model",),)))
    assert only(encoded(lambda x: jax.device_put(x, split), X), "device_put").params == {"shardings": (sharding,)}
    assert only(encoded(lambda x: jax.device_put(x), X), "device_put").params == {"shardings": (None,)}
    single = only(encoded(lambda x: jax.device_put(x, jax.devices()[0]), X), "device_put")
    assert single.params == {"shardings": (Sharding("SingleDeviceSharding"),)}
    constraint = encoded(ORDINARY["constrained"][0], X)
    assert only(constraint, "sharding_constraint").params["sharding"].spec == Spec((("*",), ("model",)))
    pinned = encoded(lambda x: jax.jit(lambda y: y, out_shardings=split)(x), X)
    assert only(pinned, "jit").params["out_shardings"] == (sharding,)
    assert only(pinned, "jit").params["in_shardings"] == (None,)


def test_calls_keep_only_their_body() -> None:
    program = encoded(lambda x: (jax.nn.relu(x), doubled(x), jax.checkpoint(jnp.sin)(x)), F)
    for primitive in ("custom_jvp_call", "custom_vjp_call", "remat"):
        assert set(only(program, primitive).params) == {"jaxpr"}
    assert set(only(program, "jit").params) == {"jaxpr", "name", "in_shardings", "out_shardings"}
    assert only(program, "jit").params["name"] == "relu"


def test_loops_and_branches() -> None:
    program = encoded(lambda x, y: lax.scan(lambda c, row: (c + row * y, c), x[0], x), F, S)
    scan = only(program, "scan")
    assert set(scan.params) == {"jaxpr", "length", "reverse", "num_consts", "num_carry"}
    assert (scan.params["num_consts"], scan.params["length"], scan.params["reverse"]) == (1, 4, False)
    assert len(scan.operands) == 1 + scan.params["num_carry"] + 1
    loop = only(encoded(*ORDINARY["while"][:2]), "while")
    assert set(loop.params) == {"cond_jaxpr", "body_jaxpr", "cond_nconsts", "body_nconsts"}
    assert loop.params["body_nconsts"] == 1
    branches = only(encoded(lambda x, i: lax.switch(i[0], [jnp.sin, jnp.cos, jnp.sin], x), F, I), "cond")
    assert set(branches.params) == {"branches"}
    assert len(branches.params["branches"]) == 3


def test_a_vmapped_while_loop_has_a_plain_condition() -> None:
    def function(x: Any) -> Any:
        return jax.vmap(
            lambda n: lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] + n), (0.0, jnp.ones(2)))
        )(x)

    program = encoded(function, V)
    loop = only(program, "while")
    condition = program.bodies[loop.params["cond_jaxpr"].index]
    assert condition.equations[-1].primitive == "reduce_or"
    assert condition.equations[-1].results == (Aval((), "bool"),)
    body = program.bodies[loop.params["body_jaxpr"].index]
    assert [each.primitive for each in body.equations] == ["jit", "jit", "select_n", "broadcast_in_dim", "select_n"]


def test_the_platform_is_the_cpu() -> None:
    program = encoded(lambda x: lax.platform_dependent(x, tpu=jnp.sin, cpu=jnp.cos, default=jnp.tan), F)
    names = primitives(program)
    assert "cos" in names
    assert "platform_index" not in names
    if "cond" in names:
        choice = only(program, "cond")
        index = program.constants[-choice.operands[0] - 1]
        chosen = choice.params["branches"][int(np.frombuffer(index.data, np.int32)[0])]
        assert [each.primitive for each in program.bodies[chosen.index].equations] == ["cos"]


def test_param_values() -> None:
    product = only(
        encoded(lambda x: lax.dot(x, x, precision="highest", preferred_element_type=jnp.float32), F), "dot_general"
    )
    assert product.params == {
        "dimension_numbers": (((1,), (0,)), ((), ())),
        "precision": ("HIGHEST", "HIGHEST"),
        "preferred_element_type": Dtype("float32"),
    }
    gather = only(encoded(lambda x, i: jnp.take(x, i, axis=0), V, I), "gather")
    assert gather.params["mode"] == "FILL_OR_DROP"
    assert isinstance(gather.params["dimension_numbers"], Record)
    assert gather.params["dimension_numbers"]["collapsed_slice_dims"] == (0,)
    assert only(encoded(jnp.fft.fft, F), "fft").params == {"fft_type": "FFT", "fft_lengths": (4,)}
    seed = only(encoded(lambda: jax.random.key(7)), "random_seed")
    assert seed.params == {"impl": "fry"}
    assert seed.results == (Aval((), "key<fry>"),)
    assert only(encoded(lambda x: jnp.pad(x, 1), F), "pad").params == {"padding_config": ((1, 1, 0), (1, 1, 0))}
    pool = only(encoded(*ORDINARY["pooling's gradient"][:2]), "select_and_scatter_add")
    assert pool.params["select_prim"] == "ge"


def test_combining_functions_are_kept_where_the_name_does_not_say_them() -> None:
    program = encoded(*(ORDINARY["scatter"][0], *ORDINARY["scatter"][1]))
    kept = [each.params.get("update_jaxpr") for each in equations(program) if each.primitive.startswith("scatter")]
    assert sum(each is not None for each in kept) == 1  # the one of .apply


def test_only_the_solve_of_a_linear_solve_is_run() -> None:
    program = encoded(*ORDINARY["custom_linear_solve"][:2])
    assert [each.primitive for each in program.main.equations] == ["jit"]
    assert primitives(program) == {"jit", "div"}


def test_older_random_bits_are_marked() -> None:
    def bits() -> Any:
        return jax.random.bits(jax.random.key(0), (3,))

    assert "threefry_partitionable" not in only(encoded(bits), "random_bits").params
    with jax.threefry_partitionable(False):
        assert only(encoded(lambda: bits()), "random_bits").params["threefry_partitionable"] is False


# ── values ───────────────────────────────────────────────────────────────────────────────────────


def test_constants_and_literals() -> None:
    table = np.arange(6, dtype=np.int16).reshape(2, 3)
    key = jax.random.key(5)
    program = encoded(lambda x: (x + 1.5, x * 1.5, jnp.asarray(table) + x.astype(jnp.int16)[:2, :3], key), F)
    assert program.constants[-program.main.outputs[-1] - 1] == types.Constant(
        Aval((), "key<fry>"), np.asarray(jax.random.key_data(key)).tobytes()
    )
    assert types.Constant(Aval((2, 3), "int16"), table.tobytes()) in program.constants
    halves = types.Constant(Aval((), "float32"), np.float32(1.5).tobytes())
    assert program.constants.count(halves) == 1


def test_constants_of_other_kinds() -> None:
    split = jax.device_put(np.ones((16, 8), np.float32), NamedSharding(mesh(), P("model")))
    values = [jnp.ones(3, jnp.bfloat16), np.array([True, False, True]), np.arange(3) * 1j, np.zeros((0, 3)), split]
    program = encoded(lambda: [jnp.asarray(each) * 1 for each in values])
    assert {each.aval.dtype for each in program.constants} >= {"bfloat16", "bool", "complex64", "float32"}
    assert types.Constant(Aval((16, 8), "float32"), np.ones((16, 8), np.float32).tobytes()) in program.constants


def test_literal_results() -> None:
    program = encoded(lambda x: (1, 2.0, True, np.arange(2)), F)
    avals = [program.constants[-output - 1].aval for output in program.main.outputs]
    assert avals == [Aval((), "int32"), Aval((), "float32"), Aval((), "bool"), Aval((2,), "int32")]


# ── size ─────────────────────────────────────────────────────────────────────────────────────────


def test_shared_bodies_are_stored_once() -> None:
    step = jax.jit(lambda x: jnp.sin(x) + 1)
    program = encoded(lambda x: step(step(step(x))), F)
    assert len(program.bodies) == 2
    assert [each.params["jaxpr"] for each in program.main.equations] == [BodyRef(0)] * 3


def test_a_doubling_chain_is_linear() -> None:
    function: Callable[[Any], Any] = lambda x: x + 1  # noqa: E731
    for _ in range(40):
        function = jax.jit(lambda x, inner=function: inner(inner(x)))
    program = encoded(function, F)
    assert len(program.bodies) <= 42
    assert len(equations(program)) <= 90


def test_too_large_programs_are_refused() -> None:
    function: Callable[[Any], Any] = lambda x: x + 1  # noqa: E731
    for _ in range(110):
        function = jax.jit(lambda x, inner=function: inner(x))
    with pytest.raises(TooLarge, match="more than 100 deep"):
        encoded(function, F)
    with pytest.raises(TooLarge, match="bytes of constants"):
        encoded(lambda x: jnp.asarray(BIG) + x[0, 0], F)


BIG = np.ones((3000, 3000), np.float32)


def test_what_is_no_array_is_unsupported() -> None:
    def with_reference(x: Any) -> Any:
        reference = jax.new_ref(x)
        reference[...] = x * 2
        return reference[...]

    with pytest.raises(Unsupported, match="AbstractRef"):
        encoded(with_reference, F)


# ── places ───────────────────────────────────────────────────────────────────────────────────────


def from_text(text: str, function: str = "function") -> dict[str, types.Source | None]:
    """The places of the equations of a function in a file of this text, by primitive."""
    module = load(text.encode(), Places("mine.py"))
    assert isinstance(module, ModuleType)
    closed = jax.make_jaxpr(getattr(module, function))(F)
    return {each.primitive: each.source for each in equations(encode(closed, Leaf(0), "mine.py"))}


def test_equations_say_where_they_were_written() -> None:
    places = from_text(
        "import jax.numpy as jnp\ndef function(x):\n    y = jnp.sin(x) @ (\n        x * 2\n    )\n    return y + x\n"
    )
    assert places == {
        "sin": types.Source(3, 9, 3, 19),
        "mul": types.Source(4, 9, 4, 14),
        "dot_general": types.Source(3, 9, 5, 6),
        "add": types.Source(6, 12, 6, 17),
    }


def test_the_innermost_place_counts() -> None:
    places = from_text(
        "from jax import lax\n"
        "def inner(x):\n"
        "    return lax.cos(x)\n"
        "def function(x):\n"
        "    return lax.map(lambda row: row + inner(row), x)\n"
    )
    assert places["cos"] == types.Source(3, 12, 3, 22)
    assert places["add"] == types.Source(5, 32, 5, 48)
    assert places["scan"] == types.Source(5, 12, 5, 52)


def test_columns_count_characters() -> None:
    places = from_text("def function(x):\n    größe = x; return größe * 3\n")
    assert places["mul"] == types.Source(2, 23, 2, 32)


def test_a_call_from_outside_the_file_is_placed_at_the_function() -> None:
    places = from_text("import jax\n\n@jax.jit\ndef function(x):\n    return x + 1\n")
    assert places["jit"] == types.Source(3, 0)
    assert places["add"] == types.Source(5, 12, 5, 17)


def test_bodies_of_jax_itself_claim_no_place() -> None:
    encoded(lambda x: jax.nn.relu(x), F)  # JAX keeps this body, with this line in it
    program = encoded(lambda x: jax.nn.relu(x), F)
    assert only(program, "max").source is None
    call = only(program, "custom_jvp_call").source
    assert call is not None
    assert call.line == test_bodies_of_jax_itself_claim_no_place.__code__.co_firstlineno + 2


# ── versions ─────────────────────────────────────────────────────────────────────────────────────


class Counted(tuple):  # type: ignore[type-arg]
    def unpack(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        return (1, 2), (3,), ()


def test_counts_of_a_scan_in_either_form() -> None:
    assert versions.scan_counts({"num_consts": 2, "num_carry": 1}) == (2, 1)
    assert versions.scan_counts({"ft_in": Counted(), "ft_out": None}) == (2, 1)


def test_manual_axes_in_either_form() -> None:
    assert versions.manual_axes({"manual_axes": frozenset({"a"})}) == {"a"}
    assert versions.manual_axes({"newly_manual_axes": frozenset({"a"})}) == {"a"}


class Old:
    vma = frozenset({"a"})


def test_varying_axes_in_the_older_form() -> None:
    assert versions.varying(Old()) == {"a"}
