"""What a learner is told about each well-known error, word for word."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from grader.program.types import Program
from grader.tracer.advice import ADVICE, advice
from grader.tracer.load import load
from grader.tracer.messages import HELP_LENGTH, TraceError
from grader.tracer.places import Places
from grader.tracer.trace import trace

HEAD = """\
import functools, math
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P
def on(body, in_specs=P(None, "model"), out_specs=P(None, "model"), **more):
    return jax.shard_map(body, mesh=Mesh(np.array(jax.devices()), ("model",)), in_specs=in_specs,
                         out_specs=out_specs, **more)
kept = []
def f(x):
    return """

BRANCH = (
    "A traced value has no number yet, so it cannot decide an if, a while, an and, or Python's max and min: use "
    "jnp.where, jnp.maximum, jnp.minimum or jax.lax.cond."
)
NUMBER = (
    "A traced value has no number yet: leave out float(), int(), .item() and the math module, convert with .astype, "
    "and compute with jax.numpy."
)
INDEX = (
    "A traced value cannot be a Python index, a slice bound or the length of a range: take sizes from .shape, index "
    "JAX arrays with it, or use jax.lax.dynamic_slice."
)
NUMPY = "NumPy cannot take a traced array: use the function of jax.numpy with the same name."
SHAPE = "A shape must be known while tracing: take it from another array's .shape, never from a traced value."
MASK = (
    "How many elements a traced mask picks is not known while tracing: write jnp.where(mask, x, 0) instead of x[mask]."
)
SIZE = (
    "How long this result is depends on traced values: give size=..., or use jnp.where with three arguments to keep "
    "the shape."
)
EXPLICIT = (
    "jax.make_mesh makes Explicit axes unless told otherwise: write jax.make_mesh(..., axis_types=(AxisType.Auto,)) "
    "with one AxisType.Auto for each axis (from jax.sharding import AxisType)."
)
AXIS = (
    "A collective such as psum was given an axis name that the mesh does not have, or stands outside shard_map: write "
    "the name exactly as in the mesh."
)
SPEC_AXIS = "A PartitionSpec names an axis that the mesh does not have: write the name exactly as in the mesh."
DIVIDE = (
    "shard_map cuts a dimension into as many equal blocks as the mesh axis has devices: check that the spec names the "
    "axis at the dimension that is to be split, and that its size is a multiple of the number of devices."
)
PIECES = (
    "A collective splits this dimension into one piece for each device: its size must be a multiple of their number."
)
REPLICATED = (
    "JAX cannot prove that every device holds the same value for this out_spec. A psum over the axis makes it so; "
    "after an all_gather it cannot be proved, use psum or, if the values are really the same, check_vma=False."
)
DEVICES = "There are 8 devices: the sizes of the mesh's axes must multiply to at most 8."
DOT = (
    "In x @ w the last dimension of x must be as long as the first of w: compare both shapes, inside shard_map those "
    "of the blocks."
)
BROADCAST = (
    "Shapes broadcast from the right, where each pair of sizes must be equal or one of them 1: compare both shapes."
)
VARYING = (
    "The carry starts out the same on every device and becomes different in the loop: make the initial value varying "
    'with jax.lax.pcast(value, ("model",), to="varying"), with the name of the mesh axis.'
)
CARRY = (
    "What a loop's body returns as carry must have the shape, dtype and structure of the initial carry: start from "
    "such a value, for example jnp.zeros of that shape and dtype."
)
BRANCHES = (
    "Both branches must return the same structure, shapes and dtypes, on the same mesh axes: convert with .astype or "
    "jax.lax.pcast where they differ."
)
LEAKED = (
    "A traced value was kept from an earlier trace, in a global, a default, a cache or an object: pass it as an "
    "argument and return it instead."
)
STATIC = (
    "Only hashable Python values can be static arguments: leave traced arrays out of static_argnums and "
    "static_argnames."
)
RETURN = "Return JAX arrays, in dicts, lists or tuples; strings, sets, functions and other objects are none."
SPECS = (
    "in_specs needs one PartitionSpec for each argument of the function, as a tuple, and out_specs the structure of "
    "what the function returns."
)
RANK = "A PartitionSpec has at most one entry for each dimension of the array: shorten it, P() for a scalar."
NO_MESH = "No mesh is set: pass mesh=... to shard_map, and NamedSharding(mesh, spec) where a sharding is wanted."
ENDS = "The function must return its result; it may not end the process."

CONCRETISED: list[tuple[str, str]] = [
    ("1 if x.sum() > 0 else 2", BRANCH),
    ("1 if x > 0 else 2", BRANCH),
    ("x and 1", BRANCH),
    ("not x", BRANCH),
    ("max(x, 0)", BRANCH),
    ("min(x[0])", BRANCH),
    ("sorted(x[0])", BRANCH),
    ("bool(x[:0])", BRANCH),
    ("next(1 for _ in iter(lambda: bool(x[0, 0]), False))", BRANCH),
    ("float(x.sum())", NUMBER),
    ("float(x)", NUMBER),
    ("int(x[0, 0])", NUMBER),
    ("complex(x[0, 0])", NUMBER),
    ("x[0, 0].item()", NUMBER),
    ("x.tolist()", NUMBER),
    ("math.sqrt(x[0, 0])", NUMBER),
    ("math.sqrt(x)", NUMBER),
    ("np.asarray(x)", NUMPY),
    ("np.array(x)", NUMPY),
    ("np.dot(x, x.T)", NUMPY),
    ("np.maximum(x, 0)", NUMPY),
    ("np.arange(5)[x[0, 0].astype(int)]", NUMPY),
    ("[1, 2][x[0, 0].astype(int)]", INDEX),
    ("[1, 2][x[0, 0]]", INDEX),
    ("range(x[0, 0].astype(int))", INDEX),
    ("x[:x[0, 0].astype(int)]", INDEX),
    ("x[x > 0]", MASK),
    ("jnp.nonzero(x)", SIZE),
    ("jnp.where(x > 0)", SIZE),
    ("jnp.unique(x)", SIZE),
    ("jnp.repeat(x[0], x[0].astype(int))", SIZE),
    ("jnp.zeros(x[0, 0].astype(int))", SHAPE),
    ("jnp.zeros((x[0, 0].astype(int), 3))", SHAPE),
    ("x.reshape(x[0, 0].astype(int), -1)", SHAPE),
    ("jnp.arange(x[0, 0])", SHAPE),
    ("jax.nn.one_hot(x[0].astype(int), x[0, 0].astype(int))", SHAPE),
    ("lax.dynamic_slice(x, (0, 0), (x[0, 0].astype(int), 1))", SHAPE),
]

RAISED: list[tuple[str, str, str | None]] = [
    # ── meshes and axes ──
    ("jax.shard_map(lambda y: y, mesh=jax.make_mesh((8,), ('model',)), in_specs=P(None, 'model'), out_specs=P())(x)",
     "ValueError", EXPLICIT),
    ("lax.with_sharding_constraint(x, NamedSharding(jax.make_mesh((8,), ('model',)), P(None, 'model')))",
     "ValueError", EXPLICIT),
    ("(lambda y: y @ y.T)(jax.sharding.reshard(x, NamedSharding(jax.make_mesh((8,), ('model',)), P(None, 'model'))))",
     "ShardingTypeError", EXPLICIT),
    ("on(lambda y: lax.psum(y, 'modle'), out_specs=P())(x)", "AssertionError", AXIS),
    ("on(lambda y: lax.psum(y, 'modle'), out_specs=P(), check_vma=False)(x)", "NameError", AXIS),
    ("on(lambda y: lax.pmax(y, 'modle'), out_specs=P())(x)", "AssertionError", AXIS),
    ("on(lambda y: lax.all_gather(y, 'modle'))(x)", "NameError", AXIS),
    ("on(lambda y: y + lax.axis_index('modle'))(x)", "NameError", AXIS),
    ("on(lambda y: lax.pcast(y, 'modle', to='varying'))(x)", "AssertionError", AXIS),
    ("lax.psum(x, 'model')", "NameError", AXIS),
    ("on(lambda y: y, P(None, 'modle'))(x)", "ValueError", SPEC_AXIS),
    ("on(lambda y: y, out_specs=P(None, 'modle'))(x)", "ValueError", SPEC_AXIS),
    ("lax.with_sharding_constraint(x, NamedSharding(Mesh(np.array(jax.devices()), ('model',)), P('modle')))",
     "ValueError", SPEC_AXIS),
    ("on(lambda y: y, P('model'))(x)", "ValueError", DIVIDE),
    ("on(lambda y: lax.psum_scatter(y, 'model', tiled=True))(x)", "ValueError", PIECES),
    ("on(lambda y: lax.all_to_all(y, 'model', 0, 1, tiled=True))(x)", "ValueError", PIECES),
    ("on(lambda y: lax.all_to_all(y, 'model', 0, 1))(x)", "ValueError", PIECES),
    ("on(lambda y: lax.all_gather(y, 'model', axis=1, tiled=True), out_specs=P())(x)", "ValueError", REPLICATED),
    ("on(lambda y: y.sum(), out_specs=P())(x)", "ValueError", REPLICATED),
    ("jax.make_mesh((16,), ('model',))", "ValueError", DEVICES),
    ("Mesh(jax.devices(), ('a', 'b'))", "ValueError",
     "Mesh needs an array of devices with one dimension for each axis name: np.array(jax.devices()).reshape(sizes)."),
    ("on(lambda y: on(lambda z: z)(y))(x)", "ValueError",
     "This shard_map stands inside another one: a device's own block cannot be split over the same axis again."),
    ("jax.shard_map(lambda y: y, in_specs=P(), out_specs=P())(x)", "ValueError", NO_MESH),
    ("lax.with_sharding_constraint(x, P('model'))", "RuntimeError", NO_MESH),
    ("jax.device_put(x, P('model'))", "ValueError", NO_MESH),
    ("jax.set_mesh(Mesh(np.array(jax.devices()), ('model',)))", "ValueError",
     "jax.set_mesh belongs at the top of the file; inside the function pass mesh=... to shard_map."),
    # ── the arguments of shard_map ──
    ("jax.shard_map(lambda y: y, mesh=Mesh(np.array(jax.devices()), ('model',)), out_specs=P())(x)", "TypeError",
     'shard_map needs in_specs: one PartitionSpec for each argument, such as in_specs=(P(), P(None, "model")).'),
    ("jax.shard_map(lambda y: y, mesh=Mesh(np.array(jax.devices()), ('model',)), in_specs=P())(x)", "TypeError",
     "shard_map needs in_specs and out_specs: one PartitionSpec for each argument and each result."),
    ("jax.shard_map(lambda y: y, None, P(), P())(x)", "TypeError",
     "Pass mesh, in_specs and out_specs to shard_map by keyword."),
    ("jax.shard_map(lambda y: y, in_specs=P(), out_specs=P(), check_rep=False)(x)", "TypeError",
     "check_rep is now called check_vma."),
    ("on(lambda y, z: y, (P(), P(), P()))(x, x)", "ValueError", SPECS),
    ("on(lambda y: {'a': y}, P(), (P(), P()))(x)", "ValueError", SPECS),
    ("on(lambda y: y, P(None, None, 'model'))(x)", "ValueError", RANK),
    ("on(lambda y: y.sum(), out_specs=P('model'))(x)", "ValueError", RANK),
    # ── loops and branches ──
    ("on(lambda y: lax.scan(lambda c, r: (c + r.sum(), None), 0., y)[0], out_specs=P())(x)", "TypeError", VARYING),
    ("on(lambda y: lax.fori_loop(0, 3, lambda i, c: c + y.sum(), 0.), out_specs=P())(x)", "TypeError", VARYING),
    ("lax.scan(lambda c, r: (c + r, None), 0., x)", "TypeError", CARRY),
    ("lax.scan(lambda c, r: ((c, c), None), 0., x)", "TypeError", CARRY),
    ("lax.while_loop(lambda c: c < 3, lambda c: c + x, 0.)", "TypeError", CARRY),
    ("lax.cond(x.sum() > 0, lambda: 1, lambda: 1.)", "TypeError", BRANCHES),
    ("lax.scan(lambda c, r: c, 0., x)", "TypeError",
     "The body of jax.lax.scan returns two things: the new carry, and what to stack (or None)."),
    ("lax.scan(lambda c, r: (c, r), 0., (x, x.T))", "ValueError",
     "All arrays that jax.lax.scan runs over must be equally long in their first dimension."),
    ("lax.while_loop(lambda c: c > 0, lambda c: c - 1, x)", "TypeError",
     "The condition of a while_loop must be one bool: combine an array with jnp.any or jnp.all."),
    ("jax.grad(lambda y: lax.fori_loop(0, y[0, 0].astype(int), lambda i, c: c * 2, y).sum())(x)", "ValueError",
     "A loop that is to be differentiated needs a length known while tracing: use jax.lax.scan, or fori_loop with "
     "Python bounds."),
    # ── shapes and dtypes ──
    ("x @ x", "TypeError", DOT),
    ("jnp.dot(x, x)", "TypeError", DOT),
    ("jnp.einsum('ij,jk->ik', x, x)", "ValueError", DOT),
    ("lax.dot(x, x)", "ValueError", DOT),
    ("x + jnp.ones(3)", "ValueError", BROADCAST),
    ("lax.add(x, jnp.ones((2, 3)))", "TypeError", BROADCAST),
    ("lax.add(x, x.astype(int))", "TypeError",
     "Convert one of them with .astype, or use the jax.numpy function, which converts by itself."),
    ("jnp.concatenate([x, x.T])", "TypeError",
     "Arrays to be concatenated may differ only along the axis of concatenation."),
    ("x.reshape(7, 3)", "TypeError",
     "A reshape keeps the number of elements: the new sizes must multiply to the old number."),
    ("x[0, 0, 0]", "IndexError", "An array takes at most as many indices as it has dimensions."),
    ("jax.grad(lambda y: y)(x)", "TypeError",
     "jax.grad needs one number: sum or average the output, or use jax.jacobian."),
    ("jax.grad(lambda y: 1. * y.sum())(x.astype(int))", "TypeError",
     "Differentiate with respect to floating-point arguments only; argnums chooses them."),
    ("jax.vmap(lambda a, b: a)(x, x.T)", "ValueError",
     "All arrays that vmap maps over must be equally long there; in_axes=None leaves one out."),
    ("jax.custom_vjp(lambda y: y)(x)", "AttributeError",
     "A custom_vjp function needs f.defvjp(forward, backward), a custom_jvp function f.defjvps or @f.defjvp."),
    ("jnp.sum([x, x])", "TypeError", "Turn lists and tuples into arrays first, with jnp.array or jnp.stack."),
    ("x.__setitem__(0, 1)", "TypeError", "JAX arrays cannot be changed in place: write x = x.at[index].set(value)."),
    ("jax.jit(lambda y: 'text')(x)", "TypeError", RETURN),
    # ── the rest ──
    ("[jax.jit(lambda y: kept.append(y))(x), kept[0] + jax.jit(lambda y: y + kept[0])(x)]", "UnexpectedTracerError",
     LEAKED),
    ("jax.jit(lambda a, b: a, static_argnums=1)(x, x)", "ValueError", STATIC),
    ("{x: 1}", "TypeError", "A traced array cannot be a dict key or a set member, nor go through functools.cache."),
    ("f'{x[0, 0]:.2f}'", "TypeError", 'A traced value has no number to print: use jax.debug.print("{}", x).'),
    ("'%d' % x[0, 0]", "TypeError", 'A traced value has no number to print: use jax.debug.print("{}", x).'),
    ("jax.random.normal(0, (2,))", "TypeError",
     "Random functions take a key as their first argument: jax.random.key(0)."),
    ("jax.tree_map(lambda y: y, x)", "AttributeError", "jax.tree_map is gone: use jax.tree.map."),
    ("jax.sharding.use_mesh(None)", "AttributeError", "jax.sharding.use_mesh is now jax.set_mesh."),
    ("__import__('jax.experimental.maps')", "ModuleNotFoundError", "Use jax.shard_map, jax.jit and jax.sharding."),
    ("x.block_until_ready()", "AttributeError",
     "A traced array has shape, dtype and ndim, but no values, devices or sharding."),
    ("f(x)", "RecursionError", "A function calls itself without end, or too often: use a loop."),
    ("bytearray(1 << 60)", "MemoryError",
     "Tracing needs no large arrays: look for arrays that are made in Python, and for lists that grow without end."),
    ("exit(3)", "SystemExit", ENDS),
    ("(_ for _ in ()).throw(KeyboardInterrupt)", "KeyboardInterrupt", ENDS),
    # ── the submission's own ──
    ("{}['key']", "KeyError", None),
    ("np.ones(2) and 1", "ValueError", None),
    ("(_ for _ in ()).throw(AssertionError)", "AssertionError", None),
    ("jax.no_such_name", "AttributeError", None),
]  # fmt: skip


def traced(expression: str) -> Any:
    module = load((HEAD + expression + "\n").encode(), Places("mine.py"))
    assert isinstance(module, ModuleType), module
    entry: Callable[..., Any] = module.f
    return trace(entry, [((2, 16), "float32")], Places("mine.py"))


@pytest.mark.parametrize(("expression", "help"), CONCRETISED)
def test_a_concretised_value(expression: str, help: str) -> None:
    error = traced(expression)
    assert isinstance(error, TraceError)
    assert (error.kind, error.line, error.help) == ("concretisation", 10, help)


@pytest.mark.parametrize(("expression", "kind", "help"), RAISED)
def test_an_exception(expression: str, kind: str, help: str | None) -> None:
    error = traced(expression)
    assert isinstance(error, TraceError)
    assert error.kind == "exception"
    assert error.type.rsplit(".", 1)[-1] == kind
    assert error.help == help
    assert error.line == 10


def test_jax_speaks_of_the_entry_function() -> None:
    error = traced("float(x.sum())")
    assert "tracing the function f at mine.py:9 for jit" in error.message
    assert "the value of the argument x" in error.message
    assert "http" not in error.message


def test_a_value_kept_from_an_earlier_trace() -> None:
    module = load(b"kept = []\ndef f(x):\n    kept.append(x)\n    return kept[0] + x\n", Places("mine.py"))
    assert isinstance(module, ModuleType)
    first, second = (trace(module.f, [((2, 16), "float32")], Places("mine.py")) for _ in range(2))
    assert isinstance(first, Program)
    assert isinstance(second, TraceError)
    assert (second.kind, second.type, second.line) == ("exception", "jax.errors.UnexpectedTracerError", 4)
    assert second.help == LEAKED


def test_columns() -> None:
    error = traced("x.sum() + math.sqrt(x[0, 0])")
    assert (error.line, error.column) == (10, 22)


def test_types_are_qualified_where_that_says_something() -> None:
    assert traced("float(x.sum())").type == "jax.errors.ConcretizationTypeError"
    assert traced("{}['key']").type == "KeyError"
    assert traced("np.linalg.cholesky(-np.eye(2))").type == "numpy.linalg.LinAlgError"
    assert traced("exec('class Odd(Exception): pass\\nraise Odd(3)')").type == "Odd"


def test_messages_are_the_same_on_every_run() -> None:
    assert " at 0x" not in traced("(_ for _ in ()).throw(ValueError(repr(object())))").message


@pytest.mark.parametrize(
    "message",
    [
        "module 'jax.lax' has no attribute 'pvary'",
        "jax.lax.pvary was deprecated in JAX v0.8.2 and removed in JAX v0.10.0; use `jax.lax.pcast(..., to='varying')",
    ],
)
def test_errors_of_some_versions(message: str) -> None:
    expected = 'jax.lax.pvary is gone: use jax.lax.pcast(x, axes, to="varying").'
    assert advice("AttributeError", message, "getattr") == expected


def test_errors_of_other_versions() -> None:
    assert advice("TypeError", "make_mesh() got an unexpected keyword argument 'axis_shapes'", None) == (
        "The first parameter of jax.make_mesh has changed its name: pass it by position, as in "
        'jax.make_mesh((8,), ("model",)).'
    )


def test_help_is_short_enough_to_be_sent() -> None:
    assert all(0 < len(each.help) <= HELP_LENGTH for each in ADVICE)
    assert all(each.help.endswith(".") for each in ADVICE)
