"""Every primitive family: what the simulator computes is what jax.jit computes, edge values included."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

from grader.execution.simulator import Fuel, simulate
from tests.execution.tracing import program_of

NAN, INF = np.nan, np.inf
F = np.float32


def f(*values: Any) -> np.ndarray:
    return np.array(values, np.float32)


def i(*values: Any) -> np.ndarray:
    return np.array(values, np.int32)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


EDGES = f(0, -0.0, 1, -1, 0.5, -0.5, 2.5, -2.5, 1e-40, -1e-40, 1e-30, 3e38, -3e38, 1e10, -1e10, INF, -INF, NAN)
LEFT, RIGHT = (each.reshape(-1) for each in np.meshgrid(EDGES, EDGES))
NO_SUBNORMALS = [each.reshape(-1) for each in np.meshgrid(*[EDGES[np.abs(EDGES) != F(1e-40)]] * 2)]
"""XLA's pow and atan2 are the C library's with subnormals half flushed: nothing that makes sense there."""
WHOLE = np.array([0, 1, -1, 2, -2, 7, -7, 31, 32, 33, 100, -100, 2**31 - 1, -(2**31), -(2**31) + 1], np.int32)
WHOLE_LEFT, WHOLE_RIGHT = (each.reshape(-1) for each in np.meshgrid(WHOLE, WHOLE))
NATURAL = WHOLE_LEFT.view(np.uint32), WHOLE_RIGHT.view(np.uint32)
COMPLEX = (normal(9) + 1j * normal(9, seed=1)).astype(np.complex64)
MATRIX = normal(4, 6)
BELL = f(-3, -1.5, -1, -0.75, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.5, 3, 20, -20, 80, -80, INF, -INF, NAN)


@dataclass(frozen=True)
class Row:
    name: str
    function: Callable[..., Any]
    arguments: Sequence[np.ndarray]
    rtol: float = 0.0
    atol: float = 0.0


def row(name: str, function: Callable[..., Any], *arguments: Any, rtol: float = 0.0, atol: float = 0.0) -> Row:
    return Row(name, function, [np.asarray(each) for each in arguments], rtol, atol)


EXACT_UNARY = "neg abs sign floor ceil sqrt square is_finite".split()
CLOSE_UNARY = (
    "exp exp2 expm1 log log1p rsqrt cbrt logistic sin cos tan tanh sinh cosh asin acos atan asinh acosh atanh "
    "erf erfc erf_inv lgamma bessel_i0e bessel_i1e"
).split()
BINARY = "add sub mul max min".split()
COMPARISONS = "eq ne lt le gt ge".split()
INTEGER = "add sub mul div rem max min and or xor shift_left shift_right_logical shift_right_arithmetic".split()
NAMES = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}


def primitive(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(lax, NAMES.get(name, name))
    return function


def cast(to: Any) -> Callable[..., Any]:
    return lambda x: lax.convert_element_type(x, to)


CASTS = f(0, -0.0, 1.9, -1.9, 127.6, 128, 255.9, 256, -128.9, 300, -300, 65504, 65520, 1e5, 3e9, -3e9, 5e9, 1e20)
CASTS = np.concatenate([CASTS, f(-1e20, INF, -INF, NAN, 1e-40, 1e-6, 6e-8)])


def elementwise() -> list[Row]:
    rows = [row(name, primitive(name), EDGES) for name in EXACT_UNARY]
    rows += [row(name, primitive(name), BELL, rtol=3e-6, atol=1e-6) for name in CLOSE_UNARY]
    rows += [row(name, primitive(name), LEFT, RIGHT) for name in (*BINARY, *COMPARISONS, "div", "rem")]
    rows += [row(name, primitive(name), *NO_SUBNORMALS, rtol=1e-5) for name in ("pow", "atan2")]
    rows += [row("nextafter", lax.nextafter, LEFT, RIGHT)]
    rows += [row(f"{name} int32", primitive(name), WHOLE_LEFT, WHOLE_RIGHT) for name in (*INTEGER, *COMPARISONS)]
    rows += [row(f"{name} uint32", primitive(name), *NATURAL) for name in (*INTEGER, *COMPARISONS)]
    for kind in (np.int8, np.uint8, np.int16, np.uint16):
        pair = WHOLE_LEFT.astype(kind), WHOLE_RIGHT.astype(kind)
        rows += [row(f"{name} {kind.__name__}", primitive(name), *pair) for name in INTEGER]
    rows += [
        row(f"{name} {kind.__name__}", primitive(name), WHOLE.astype(kind))
        for name in ("neg", "abs", "sign", "clz", "population_count", "bitwise_not", "square")
        for kind in (np.int8, np.int32, np.uint16)
        if not (name in ("neg", "abs") and kind is np.uint16)
    ]
    rows += [row(f"integer_pow {n}", lambda x, n=n: lax.integer_pow(x, n), EDGES, rtol=1e-6) for n in (-3, -1, 0, 5)]
    rows += [row(f"integer_pow int {n}", lambda x, n=n: lax.integer_pow(x, n), WHOLE) for n in (0, 1, 3, 40)]
    rows += [row("pow by int", lax.pow, f(0, 1, -2, 3, -0.0, NAN), i(3, -2, 5, -3, -1, 0), rtol=1e-6)]
    rows += [row("round to even", lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), EDGES)]
    halves = f(0.5, -0.5, 0.49999997, -0.49999997, 1.5, 2.5, -2.5, 8388609, 8388607.5, -0.2, NAN, INF)
    rows += [row("round away", lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), halves)]
    rows += [row("clamp", lax.clamp, f(0, 0, -0.0, NAN, 0, 2, NAN, 0), f(NAN, -0.0, 0, 5, -5, 1, 1, 1),
                 f(1, 1, 0, 1, NAN, 0, NAN, NAN))]  # fmt: skip
    rows += [row("clamp scalar", lambda x: lax.clamp(F(-1), x, F(1)), EDGES)]
    rows += [row("logical", lambda a, b: (a & b, a | b, a ^ b, ~a), np.arange(4) > 1, np.arange(4) % 2 > 0)]
    rows += [row("select", lambda p, a, b: jnp.where(p, a, b), EDGES > 0, EDGES, -EDGES)]
    rows += [row("select scalar", lambda p, a, b: lax.select(p[0] > 0, a, b), EDGES, EDGES, -EDGES)]
    cases = [np.full(6, k, F) for k in range(3)]
    rows += [row("select_n", lax.select_n, i(-1, 0, 1, 2, 3, 99), *cases)]
    rows += [row("complex parts", lambda z: (z.real, z.imag, lax.conj(z), lax.abs(z)), COMPLEX, rtol=1e-6)]
    rows += [row("complex", lambda a, b: lax.complex(a, b), f(1, NAN, -0.0), f(0, 2, 3))]
    for name in ("add", "sub", "mul", "div", "eq", "ne"):
        rows += [row(f"{name} complex", primitive(name), COMPLEX, COMPLEX[::-1].copy(), rtol=1e-5)]
    for name in ("exp", "log", "sqrt", "tanh", "sin", "sign", "neg", "rsqrt", "logistic"):
        rows += [row(f"{name} complex", primitive(name), COMPLEX, rtol=1e-5)]
    rows += [row("pow complex", lax.pow, COMPLEX, COMPLEX[::-1].copy(), rtol=1e-4)]
    rows += [row(f"float32 to {np.dtype(to).name}", cast(to), CASTS)
             for to in (np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.float16,
                        ml_dtypes.bfloat16)]  # fmt: skip
    rows += [row(f"int32 to {np.dtype(to).name}", cast(to), WHOLE)
             for to in (np.bool_, np.int8, np.uint8, np.uint16, np.uint32, F, np.float16, ml_dtypes.bfloat16,
                        np.complex64)]  # fmt: skip
    rows += [row(f"uint32 to {np.dtype(to).name}", cast(to), WHOLE.view(np.uint32)) for to in (np.int32, F, np.uint8)]
    for kind in (np.float16, ml_dtypes.bfloat16):
        with np.errstate(over="ignore"):
            name, small = np.dtype(kind).name, CASTS.astype(kind)
        rows += [row(f"{name} to {np.dtype(to).name}", cast(to), small) for to in (F, np.int8, np.int32, np.uint8)]
        rows += [row(f"{name} to bool", cast(bool), small[np.abs(CASTS) != F(1e-40)])]  # JAX 0.10: not flushed
        rows += [row(f"{op} {name}", primitive(op), small, small[::-1].copy()) for op in ("add", "mul", "sub", "max")]
        rows += [row(f"{op} {name}", primitive(op), small) for op in ("neg", "abs", "sign", "floor")]
        rows += [row(f"div {name}", lax.div, small, small[::-1].copy(), rtol=4e-3)]
        rows += [row(f"exp {name}", lax.exp, BELL.astype(kind), rtol=4e-3)]
        rows += [row(f"compare {name}", lambda a, b: (a < b, a == b), small, small[::-1].copy())]
    rows += [row(f"reduce_precision {e} {m}", lambda x, e=e, m=m: lax.reduce_precision(x, e, m), CASTS)
             for e, m in ((8, 7), (5, 10), (8, 23), (4, 3), (8, 0))]  # fmt: skip
    rows += [row("bitcast", lambda x: lax.bitcast_convert_type(x, np.int32), EDGES)]
    rows += [row("bitcast narrower", lambda x: lax.bitcast_convert_type(x, np.uint8), EDGES)]
    rows += [
        row(
            "bitcast wider",
            lambda x: lax.bitcast_convert_type(x, np.uint32),
            np.arange(8, dtype=np.uint16).reshape(4, 2),
        )
    ]
    rows += [row("scalar operands", lambda x: (x * 2.5 + 1, x > 0, jnp.maximum(x, 0), 2 - x), EDGES)]
    rows += [row("igamma", lax.igamma, f(0.5, 1, 3, 10), f(0.1, 1, 4, 9), rtol=1e-5)]
    rows += [row("digamma", lax.digamma, f(0.5, 1, 3, 10, -0.5, -2.3), rtol=1e-5)]
    rows += [row("betainc", lax.betainc, f(0.5, 1, 3), f(1, 2, 0.7), f(0.1, 0.5, 0.9), rtol=1e-5)]
    rows += [row("zeta", lax.zeta, f(2, 3.5), f(1, 2), rtol=1e-5)]
    return rows


def movement() -> list[Row]:
    x = np.arange(24, dtype=F).reshape(2, 3, 4)
    return [
        row("reshape", lambda x: x.reshape(4, 6), x),
        row("reshape dimensions", lambda x: lax.reshape(x, (6, 4), (1, 0, 2)), x),
        row("transpose", lambda x: jnp.transpose(x, (2, 0, 1)), x),
        row("squeeze", lambda x: jnp.squeeze(x[:, :1]), x),
        row("expand_dims", lambda x: jnp.expand_dims(x, (0, 2)), x),
        row("broadcast", lambda x: jnp.broadcast_to(x[0, 0], (5, 4)), x),
        row("broadcast_in_dim", lambda x: lax.broadcast_in_dim(x[:, :1], (3, 2, 7, 4), (1, 2, 3)), x),
        row("concatenate", lambda x: jnp.concatenate([x, x[:, :1], -x], axis=1), x),
        row("stack", lambda x: jnp.stack([x, -x], axis=-1), x),
        row("pad", lambda x: lax.pad(x, F(9), [(1, 2, 0), (0, 0, 2), (-1, -2, 0)]), x),
        row("pad negative", lambda x: lax.pad(x, F(9), [(-1, 0, 1), (0, -2, 2), (3, -6, 0)]), x),
        row("pad all away", lambda x: lax.pad(x, F(9), [(-2, 1, 0), (0, 0, 0), (5, -7, 1)]), x),
        row("pad zero size", lambda x: lax.pad(x[:0], F(9), [(1, 2, 3), (0, 0, 0), (0, 0, 0)]), x),
        row("slice", lambda x: x[1:, ::2, 1:4:2], x),
        row("rev", lambda x: lax.rev(x, (0, 2)), x),
        row("split", lambda x: jnp.split(x, (1, 3), axis=2), x),
        row("tile", lambda x: jnp.tile(x, (2, 1, 3)), x),
        row("iota", lambda x: lax.broadcasted_iota(np.int32, (3, 4), 1) + x[0].astype(np.int32), x),
        row("roll", lambda x: jnp.roll(x, 3), x),
        row("repeat", lambda x: jnp.repeat(x, 3, axis=1), x),
        row("constants", lambda x: x + np.arange(4, dtype=F), x),
        row("outputs not computed", lambda x: (x, 1.0, np.arange(3), x), x),
        row("empty", lambda x: jnp.concatenate([x[:0], x[:0]]), x),
    ]


def reduction() -> list[Row]:
    x = normal(3, 5, 4)
    odd = np.array([[NAN, 1, 2], [-0.0, 0.0, -1], [0.0, -0.0, -5], [INF, -INF, 1]], F)
    zeros = np.array([[-0.0, -0.0], [0.0, -0.0], [-0.0, 0.0]], F)
    rows = []
    for name in ("sum", "prod", "max", "min"):
        function = getattr(jnp, name)
        rows += [row(f"{name} {axis}", lambda x, g=function, a=axis: g(x, axis=a), x, rtol=1e-5, atol=1e-6)
                 for axis in (0, 1, 2, (0, 2), None)]  # fmt: skip
        rows += [row(f"{name} int8", lambda x, g=function: lax.convert_element_type(g(x, axis=0), np.int8), WHOLE)]
        rows += [row(f"{name} {kind} edges", lambda x, g=function: g(x, axis=1), each, rtol=1e-6)
                 for kind, each in (("odd", odd), ("zeros", zeros))]  # fmt: skip
        rows += [
            row(
                f"{name} bfloat16",
                lambda x, g=function: g(x, axis=1),
                x.astype(ml_dtypes.bfloat16),
                rtol=8e-3,
                atol=1e-2,
            )
        ]
    rows += [row("max of nothing", lambda x: lax.reduce_max(x[:0], (0,)), x)]
    rows += [row("all any", lambda x: (jnp.all(x > 0, 1), jnp.any(x > 0, 1)), x)]
    rows += [row("xor", lambda x: lax.reduce_xor(x, (0,)), WHOLE.reshape(5, 3))]
    rows += [row("and or", lambda x: (lax.reduce_and(x, (0,)), lax.reduce_or(x, (0,))), WHOLE.reshape(5, 3))]
    rows += [row("argmax", lambda x: (jnp.argmax(x, axis=1), jnp.argmax(x)), odd)]
    rows += [row("argmin", lambda x: (jnp.argmin(x, axis=1), jnp.argmin(x)), odd)]
    rows += [row("argmax zeros", lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 1)), zeros)]
    for name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
        function = getattr(lax, name)
        rows += [row(name, lambda x, g=function: (g(x, axis=1), g(x, axis=0, reverse=True)), x, rtol=1e-5, atol=1e-6)]
    rows += [row("cummax edges", lambda x: (lax.cummax(x, axis=1), lax.cummin(x, axis=1)), odd)]
    rows += [row("cumsum int", lambda x: lax.cumsum(x), WHOLE)]
    rows += [row("softmax", lambda x: jax.nn.softmax(x, axis=-1), x, rtol=1e-5)]
    rows += [row("variance", lambda x: (jnp.var(x), jnp.std(x, axis=0), jnp.median(x)), x, rtol=1e-5, atol=1e-6)]
    rows += [
        row("generic reduce", lambda x: lax.reduce(x, F(0), lambda a, b: a + b + a * b, (1,)), x, rtol=1e-5, atol=1e-5)
    ]
    return rows


def contraction() -> list[Row]:
    a, b = normal(2, 3, 4), normal(2, 4, 5, seed=1)
    close = {"rtol": 1e-5, "atol": 1e-5}
    whole = np.arange(-6, 6, dtype=np.int8).reshape(3, 4)
    return [
        row("matmul", lambda a, b: a[0] @ b[0], a, b, **close),
        row("batched", lambda a, b: a @ b, a, b, **close),
        row("vectors", lambda a, b: (a[0, 0] @ b[0], a[0, 0] @ a[0, 0], a[0] @ b[0, :, 0]), a, b, **close),
        row("outer", lambda a: jnp.outer(a[0, 0], a[0, 1]), a, **close),
        row("einsum", lambda a, b: jnp.einsum("bij,bjk->kib", a, b), a, b, **close),
        row("two summed", lambda a: jnp.einsum("bij,bij->", a, a), a, **close),
        row("tensordot", lambda a: jnp.tensordot(a, a, ((0, 2), (0, 2))), a, **close),
        row("nothing summed", lambda a: a[:, :, :0] @ jnp.zeros((2, 0, 3), F), a),
        row("int8 to int32", lambda x: lax.dot_general(x, x, (((1,), (1,)), ((), ())), preferred_element_type=np.int32), whole),  # noqa: E501
        row("int8", lambda x: lax.dot(x, x.T), whole),
        row("int32 wraps", lambda x: lax.dot(x, x), WHOLE),
        row("bfloat16", lambda a, b: a @ b, a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16), rtol=1e-2, atol=1e-2),  # noqa: E501
        row("bfloat16 to float32", lambda x: lax.dot_general(x, x, (((1,), (1,)), ((), ())), preferred_element_type=F), a[0].astype(ml_dtypes.bfloat16), **close),  # noqa: E501
        row("complex", lambda z: z.reshape(3, 3) @ z.reshape(3, 3), COMPLEX, **close),
        row("subnormal", lambda a: a @ jnp.eye(3, dtype=F), np.array([[1e-40, 1, -1e-40]], F)),
        row("precision", lambda a, b: lax.dot(a[0], b[0], precision="highest"), a, b, **close),
        row("conv 1d", lambda x, w: jnp.convolve(x, w), normal(9), normal(3, seed=1), **close),
        row("conv 2d", lambda x, w: lax.conv(x, w, (1, 1), "SAME"), normal(2, 3, 5, 6), normal(4, 3, 3, 2), **close),
        row("conv strides", lambda x, w: lax.conv_general_dilated(x, w, (2, 1), [(1, 2), (-1, 0)], (1, 2), (2, 1)),
            normal(2, 3, 7, 6), normal(4, 3, 3, 2), **close),
        row("conv groups", lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", feature_group_count=2),
            normal(2, 4, 7), normal(6, 2, 3), **close),
        row("conv batch groups", lambda x, w: lax.conv_general_dilated(x, w, (1,), "VALID", batch_group_count=2),
            normal(4, 3, 7), normal(6, 3, 3), **close),
        row("conv NHWC", lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),  # noqa: E501
            normal(2, 5, 6, 3), normal(3, 2, 3, 4), **close),
        row("conv transposed", lambda x, w: lax.conv_transpose(x, w, (2,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")),  # noqa: E501
            normal(2, 5, 3), normal(3, 3, 4), **close),
    ]  # fmt: skip


def indexing() -> list[Row]:
    x = normal(5, 4)
    where = i(-9, -5, -1, 0, 2, 4, 5, 99)
    rows = [
        row("dynamic_slice", lambda x, s: lax.dynamic_slice(x, (s[0], s[1]), (2, 3)), x, i(9, -3)),
        row("dynamic_slice lanes", lambda x, s: lax.dynamic_slice(x, (s[0], s[1]), (2, 3)), x, i(1, 0)),
        row("dynamic_update_slice", lambda x, s: lax.dynamic_update_slice(x, -x[:2, :2], (s[0], s[1])), x, i(2, 9)),
        row("dynamic index", lambda x, s: lax.dynamic_index_in_dim(x, s[0], 0), x, i(7, 1)),
        row("row", lambda x, s: x[s[0]], x, i(3, -1)),
        row("take rows", lambda x, s: x[s], x, where),
        row("take columns", lambda x, s: x[:, s], x, where),
        row("take pairs", lambda x, s: x[s, s], x, where),
        row("take_along_axis", lambda x: jnp.take_along_axis(x, jnp.argsort(x, axis=0), 0), x),
        row("at set", lambda x, s: x.at[s].set(7.0), x, where),
        row("at set twice", lambda x, s: x.at[s].set(jnp.arange(8.0)[:, None]), x, i(0, 1, 0, 1, 2, 2, 0, 9)),
        row("at add", lambda x, s: x.at[s].add(x[:2].sum()), x, where, rtol=1e-6),
        row("at add column", lambda x, s: x.at[:, s].add(jnp.ones((5, 8), F)), x, where, rtol=1e-6),
        row("at mul", lambda x, s: x.at[s, 1].mul(3.0), x, where, rtol=1e-6),
        row("at max", lambda x, s: x.at[s].max(0.5), x, where),
        row("at min", lambda x, s: x.at[s].min(jnp.nan), x, where),
        row("at apply", lambda x, s: x.at[s].apply(lambda v: v * 2 + 1), x, where),
        row("int fill", lambda x, s: jnp.take(x, s, mode="fill"), WHOLE, where),
        row("uint fill", lambda x, s: jnp.take(x, s, mode="fill"), WHOLE.view(np.uint32), i(99, -99)),
        row("bool fill", lambda x, s: jnp.take(x, s, mode="fill"), WHOLE > 0, i(99, 0, -99)),
        row(
            "vmapped dynamic_slice",
            lambda x, s: jax.vmap(lambda r, s: lax.dynamic_slice(r, (s,), (2,)))(x, s),
            x,
            i(0, 3, -4, 9, 1),
        ),
        row(
            "vmapped gather",
            lambda x, s: jax.vmap(lambda r, s: r[s])(x, s.reshape(4, 2).T[:, :1].repeat(5, 0)[:5]),
            x,
            where,
        ),
        row(
            "vmapped scatter",
            lambda x, s: jax.vmap(lambda r, s: r.at[s].add(1.0))(x, s),
            x,
            i(0, 3, -4, 9, 1),
            rtol=1e-6,
        ),
        row("grad of take", lambda x, s: jax.grad(lambda x: (x[s] ** 2).sum())(x), x, where, rtol=1e-5),
        row("empty indices", lambda x, s: (x[s[:0]], x.at[s[:0]].set(1.0)), x, where),
    ]
    for mode in ("clip", "fill", "promise_in_bounds"):
        inside = i(0, 3, 4, 1) if mode == "promise_in_bounds" else where
        rows += [row(f"gather {mode}", lambda x, s, m=mode: x.at[s].get(mode=m), x, inside)]
        rows += [row(f"scatter {mode}", lambda x, s, m=mode: x.at[s].add(1.0, mode=m), x, inside, rtol=1e-6)]
    windows = lax.GatherDimensionNumbers(offset_dims=(1, 2), collapsed_slice_dims=(), start_index_map=(0, 1))
    starts = np.array([[0, 0], [3, 2], [4, 0], [-1, 1], [9, 9]], np.int32)
    for mode in ("clip", "fill"):
        rows += [
            row(f"window gather {mode}", lambda x, s, m=mode: lax.gather(x, s, windows, (2, 3), mode=m), x, starts)
        ]
    into = lax.ScatterDimensionNumbers((1, 2), (), (0, 1))
    for mode in ("clip", "fill"):
        rows += [
            row(
                f"window scatter {mode}",
                lambda x, s, m=mode: lax.scatter_add(x, s, jnp.ones((5, 2, 3), F), into, mode=m),
                x,
                starts,
                rtol=1e-6,
            )
        ]
    return rows


def sorting() -> list[Row]:
    odd = f(1, NAN, -0.0, 0.0, -NAN, 3, INF, -INF, 1e-40, -1e-40, 5e-41)
    whole = i(3, 1, 3, -2, 1, 2**31 - 1, -(2**31), 0)
    return [
        row("sort", jnp.sort, odd),
        row("sort rows", lambda x: lax.sort(x, dimension=0), normal(4, 3)),
        row("argsort", jnp.argsort, odd),
        row("argsort descending", lambda x: jnp.argsort(x, descending=True), whole),
        row("sort by two keys", lambda a, b: lax.sort((a, b, jnp.arange(8)), num_keys=2), whole % 3, whole),
        row("sort pairs", lambda a, b: lax.sort((a, b), num_keys=1), whole, normal(8)),
        row("sort complex", jnp.sort, COMPLEX),
        row("sort bfloat16", jnp.sort, odd.astype(ml_dtypes.bfloat16)),
        row("top_k", lambda x: lax.top_k(x, 6), odd),
        row("top_k all", lambda x: lax.top_k(x, 11), odd),
        row("top_k int", lambda x: lax.top_k(x, 5), whole),
        row("top_k rows", lambda x: lax.top_k(x, 2), normal(3, 4)),
        row("unique", lambda x: jnp.unique(x, size=6), whole),
        row("searchsorted", lambda x: jnp.searchsorted(jnp.sort(x), i(0, 3, 9)), whole),
        row("percentile", lambda x: jnp.percentile(x, 30.0), normal(9), rtol=1e-5),
    ]


def random() -> list[Row]:
    def keys(seed: Any) -> Any:
        key = jax.random.key(seed)
        one, two = jax.random.split(key)
        return jax.random.bits(one, (3,)), jax.random.bits(two, (2, 2), np.uint8), jax.random.key_data(key)

    seed = np.array(7, np.int32)
    return [
        row("keys", keys, seed),
        row("negative seed", keys, np.array(-7, np.int32)),
        row("raw keys", lambda s: jax.random.split(jax.random.PRNGKey(s), 3), seed),
        row("fold_in", lambda s: jax.random.key_data(jax.random.fold_in(jax.random.key(s), 5)), seed),
        row("uniform", lambda s: jax.random.uniform(jax.random.key(s), (5,)), seed),
        row("normal", lambda s: jax.random.normal(jax.random.key(s), (5,)), seed, rtol=1e-5, atol=1e-6),
        row("permutation", lambda s: jax.random.permutation(jax.random.key(s), 9), seed),
        row("randint", lambda s: jax.random.randint(jax.random.key(s), (5,), 0, 100), seed),
        row("bernoulli", lambda s: jax.random.bernoulli(jax.random.key(s), 0.3, (8,)), seed),
        row("categorical", lambda s: jax.random.categorical(jax.random.key(s), jnp.zeros((4, 3))), seed),
        row("constant key", lambda s: jax.random.normal(jax.random.key(0), (3,)) + s, seed, rtol=1e-5, atol=1e-6),
        row("vmapped keys", lambda s: jax.vmap(lambda k: jax.random.uniform(k, (2,)))(jax.random.split(jax.random.key(s), 3)), seed),  # noqa: E501
        row("key moves", lambda s: jax.random.key_data(jax.random.split(jax.random.key(s), (2, 3))[1, ::-1]), seed),
    ]  # fmt: skip


def windows() -> list[Row]:
    x = normal(2, 6, 7, 3)
    close = {"rtol": 1e-5, "atol": 1e-5}

    def pool(x: Any) -> Any:
        return lax.reduce_window(x, -INF, lax.max, (1, 2, 3, 1), (1, 2, 2, 1), "SAME")

    return [
        row("max pool", pool, x),
        row("min pool", lambda x: lax.reduce_window(x, INF, lax.min, (1, 2, 2, 1), (1, 1, 2, 1), "VALID"), x),
        row("sum pool", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 2, 1), "SAME"), x, **close),
        row("dilated", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), [(0, 0), (1, 2), (0, 1), (0, 0)], (1, 2, 1, 1), (1, 1, 3, 1)), x, **close),  # noqa: E501
        row("grad of max pool", lambda x: jax.grad(lambda x: (pool(x) ** 2).sum())(x), x, **close),
        row("generic window", lambda x: lax.reduce_window(x, F(0), lambda a, b: a + b + a * b, (1, 2, 2, 1), (1, 1, 2, 1), "SAME"), x, **close),  # noqa: E501
    ]  # fmt: skip


def factorisation() -> list[Row]:
    square = normal(4, 4)
    positive = square @ square.T + 4 * np.eye(4, dtype=F)
    close = {"rtol": 1e-3, "atol": 1e-4}
    return [
        row("cholesky", jnp.linalg.cholesky, positive, **close),
        row("cholesky fails", jnp.linalg.cholesky, -positive),
        row("qr", jnp.linalg.qr, normal(5, 3), **close),
        row("qr complete", lambda x: jnp.linalg.qr(x, mode="complete"), normal(5, 3), **close),
        row("svd values", lambda x: jnp.linalg.svd(x, compute_uv=False), normal(5, 3), **close),
        row("svd", lambda x: jnp.linalg.svd(x, full_matrices=False), normal(5, 3), **close),
        row("eigh", jnp.linalg.eigh, positive, **close),
        row("solve", jnp.linalg.solve, positive, normal(4, 2), **close),
        row("inverse", jnp.linalg.inv, positive, **close),
        row("determinant", lambda x: (jnp.linalg.det(x), jnp.linalg.slogdet(x)), positive, **close),
        row("triangular", lambda a, b: [jax.scipy.linalg.solve_triangular(a, b, lower=low, trans=t) for low in (True, False) for t in (0, 1)], positive, normal(4, 2), **close),  # noqa: E501
        row("triangular right", lambda a, b: lax.linalg.triangular_solve(a, b, left_side=False, lower=True, transpose_a=True), positive, normal(2, 4), **close),  # noqa: E501
        row("norms", lambda x: (jnp.linalg.norm(x), jnp.linalg.norm(x, axis=0)), square, rtol=1e-5),
        row("fft", lambda x: jnp.abs(jnp.fft.fft(x)), normal(8), **close),
        row("rfft", lambda x: jnp.fft.irfft(jnp.fft.rfft(x)), normal(8), **close),
    ]  # fmt: skip


def control() -> list[Row]:
    x = normal(4, 3)
    n = np.array(5, np.int32)

    @jax.custom_jvp
    def softplus(x: Any) -> Any:
        return jnp.log1p(jnp.exp(x))

    softplus.defjvp(lambda primals, tangents: (softplus(*primals), tangents[0]))

    @jax.custom_vjp
    def double(x: Any) -> Any:
        return x * 2

    double.defvjp(lambda x: (double(x), None), lambda _, g: (g,))

    def steps(x: Any, n: Any) -> Any:
        return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 1.5), (0, x))

    return [
        row("scan", lambda x: lax.scan(lambda c, r: (c + r, c * r), x[0], x), x, rtol=1e-6),
        row("scan reversed", lambda x: lax.scan(lambda c, r: (c + r, (c, r)), x[0], x, reverse=True), x, rtol=1e-6),
        row("scan without rows", lambda x: lax.scan(lambda c, _: (c * 2, None), x, None, length=3), x),
        row("scan of nothing", lambda x: lax.scan(lambda c, r: (c + r, c), x[0], x[:0]), x),
        row("scan with constants", lambda x, n: lax.scan(lambda c, r: (c + n, r * n), n, x), x, n),
        row("associative_scan", lambda x: lax.associative_scan(jnp.add, x), x, rtol=1e-5, atol=1e-6),
        row("map", lambda x: lax.map(lambda r: r.sum(), x), x, rtol=1e-5, atol=1e-6),
        row("fori", lambda x, n: lax.fori_loop(0, n, lambda k, c: c + k, x), x, n),
        row("while", steps, x, n),
        row("while by data", lambda x: lax.while_loop(lambda c: c.sum() < 50, lambda c: c * 1.5 + 1, x), x, rtol=1e-5),
        row("vmapped while", lambda x: jax.vmap(lambda r: lax.while_loop(lambda c: c.sum() < 9, lambda c: c + 1, r))(x), x, rtol=1e-5),  # noqa: E501
        row("cond", lambda x: lax.cond(x[0, 0] > x[0, 1], lambda x: x + 1, lambda x: x * 2, x), x),
        row("switch", lambda x, n: [lax.switch(n + k, [lambda x: x, lambda x: -x, lambda x: x * 2], x) for k in (-9, -4, -3, 0)], x, n),  # noqa: E501
        row("jit", lambda x: jax.jit(lambda x: jax.jit(jnp.sin)(x) + 1)(x), x, rtol=1e-6),
        row("checkpoint", lambda x: jax.checkpoint(jnp.sin)(x), x, rtol=1e-6),
        row("custom", lambda x: (softplus(x), double(x)), x, rtol=1e-5),
        row("grad", lambda x: jax.grad(lambda x: (softplus(x) * double(x)).sum())(x), x, rtol=1e-5, atol=1e-6),
        row("relu", jax.nn.relu, EDGES),
        row("gelu", jax.nn.gelu, x, rtol=1e-5, atol=1e-6),
        row("grad of scan", lambda x: jax.grad(lambda x: lax.scan(lambda c, r: (jnp.sin(c) * r, c), x[0], x)[0].sum())(x), x, rtol=1e-5, atol=1e-6),  # noqa: E501
        row("linear solve", lambda x: lax.custom_linear_solve(lambda v: v * 2, x[0], lambda mv, b: b / 2, lambda mv, b: b / 2), x),  # noqa: E501
        row("vmap with psum", lambda x: jax.vmap(lambda r: lax.psum(r, "n") + r, axis_name="n")(x), x, rtol=1e-5, atol=1e-6),  # noqa: E501
        row("vmap with pmax", lambda x: jax.vmap(lambda r: r - lax.pmax(r, "n"), axis_name="n")(x), x),
        row("vmap with index", lambda x: jax.vmap(lambda r: r + lax.axis_index("n"), axis_name="n")(x), x),
        row("debug print", lambda x: (jax.debug.print("{}", x), x * 2)[1], x),
        row("platform", lambda x: lax.platform_dependent(x, cpu=lambda x: x + 1, default=lambda x: x), x),
        row("barrier", lambda x: lax.optimization_barrier((x, x + 1)), x),
        row("stop_gradient", lambda x: lax.stop_gradient(x) + 1, x),
        row("hessian", lambda x: jax.hessian(lambda v: jnp.sum(jnp.tanh(v) ** 2))(x[0]), x, rtol=1e-4, atol=1e-5),
    ]  # fmt: skip


FAMILIES = {
    family.__name__: family()
    for family in (
        elementwise,
        movement,
        reduction,
        contraction,
        indexing,
        sorting,
        random,
        windows,
        factorisation,
        control,
    )
}
TABLE = [
    pytest.param(family, place, id=f"{family}: {case.name}")
    for family, rows in FAMILIES.items()
    for place, case in enumerate(rows)
]


def examples_of(case: Row) -> list[Sequence[np.ndarray]]:
    """Two examples: the row's own, and the same rolled, so that the lanes differ."""
    return [case.arguments, [np.roll(each, 1, axis=-1) if each.ndim else each for each in case.arguments]]


@functools.cache
def by_xla(family: str) -> list[list[list[np.ndarray]]]:
    """The outputs of every row of a family, [example][row][output]: compiled together, which saves most of the time."""
    rows = FAMILIES[family]

    @jax.jit
    def together(arguments: list[Sequence[np.ndarray]]) -> list[Any]:
        return [jax.tree.leaves(case.function(*given)) for case, given in zip(rows, arguments, strict=True)]

    found = [together([examples_of(case)[k] for case in rows]) for k in (0, 1)]
    return [[[np.asarray(each) for each in outputs] for outputs in one] for one in found]


@pytest.mark.parametrize(("family", "place"), TABLE)
def test_the_simulator_computes_what_xla_computes(family: str, place: int) -> None:
    case = FAMILIES[family][place]
    program = program_of(case.function, case.arguments)
    stacked = [np.stack(pair) for pair in zip(*examples_of(case), strict=True)]
    outputs = simulate(program, stacked, fuel=Fuel()).outputs
    for lane in (0, 1):
        wanted = by_xla(family)[lane][place]
        assert len(wanted) == len(outputs)
        for got, want in zip(outputs, wanted, strict=True):
            compare(got[lane], want, case)


def compare(got: np.ndarray, want: np.ndarray, case: Row) -> None:
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    if case.rtol == 0 and case.atol == 0:
        np.testing.assert_array_equal(got, want)
        if want.dtype.kind in "fV":
            zero = want == 0
            np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(want[zero]), "signs of zeros")
    else:
        wide = np.float32 if want.dtype.kind == "V" else want.dtype
        np.testing.assert_allclose(got.astype(wide), want.astype(wide), rtol=case.rtol, atol=case.atol)
