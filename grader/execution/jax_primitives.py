"""What JAX function stands for each primitive of a program.

``TABLE[name](operands, params, results)`` takes JAX values (traced, or NumPy arrays for constants), the equation's
params and its declared results; it returns a value, or a list of them. A name is looked up here and nowhere else:
whatever the submission called its own primitives, what runs is JAX's.

Importing this starts no backend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import random as extend_random
from jax.extend.core import Primitive
from jax.extend.core import primitives as _primitives

from grader.execution.errors import Malformed, Unsupported
from grader.execution.values import numpy_dtype
from grader.program.types import Aval, Dtype, Record

lax: Any = jax.lax  # its annotations are partial

Params = Mapping[str, Any]
Rule = Callable[[Sequence[Any], Params, Sequence[Aval]], Any]


def plain(value: Any) -> Any:
    """A param as JAX has it: dtypes and tuples are converted, numbers and strings are what they are."""
    if isinstance(value, Dtype):
        return numpy_dtype(value.name)
    if isinstance(value, tuple):
        return tuple([plain(item) for item in value])
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise Unsupported(f"a param that is a {type(value).__name__}")


def _function(function: Callable[..., Any]) -> Rule:
    """A function of the operands alone. ``accuracy``, where it is given, must be the default."""

    def rule(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
        if params.get("accuracy") is not None:
            raise Unsupported("an accuracy that is not the default")
        return function(*operands)

    return rule


def _keyed(function: Callable[..., Any], *keys: str) -> Rule:
    """A function of the operands and then of these params."""

    def rule(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
        return function(*operands, *[plain(params[key]) for key in keys])

    return rule


def _named(function: Callable[..., Any], *keys: str) -> Rule:
    """A function of the operands, and of these params by name."""

    def rule(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
        return function(*operands, **{key: plain(params[key]) for key in keys if key in params})

    return rule


def _bind(primitive: Any) -> Rule:
    """JAX's primitive itself, with just the params that the program gives it."""

    def rule(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
        return primitive.bind(*operands, **{key: plain(value) for key, value in params.items()})

    return rule


def _identity(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    return list(operands)


def _fields(record: Any) -> dict[str, Any]:
    if not isinstance(record, Record):
        raise Malformed("dimension numbers that are no record")
    return {name: plain(value) for name, value in record.fields}


def _member(enum: Any, name: Any) -> Any:
    """A member of one of JAX's enums by its name."""
    if not isinstance(name, str) or name not in enum.__members__:
        raise Malformed(f"{name!r} is no {enum.__name__}")
    return enum[name]


def _precision(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple([_precision(item) for item in value])
    if value in lax.Precision.__members__:
        return lax.Precision[value]
    return _member(lax.DotAlgorithmPreset, value)


def _dot_general(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    return lax.dot_general(
        *operands,
        dimension_numbers=params["dimension_numbers"],
        precision=_precision(params.get("precision")),
        preferred_element_type=plain(params.get("preferred_element_type")),
    )


def _convolution(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    numbers = lax.ConvDimensionNumbers(**_fields(params["dimension_numbers"]))
    keys = ("window_strides", "padding", "lhs_dilation", "rhs_dilation", "feature_group_count", "batch_group_count")
    return lax.conv_general_dilated(
        *operands,
        **{key: plain(params[key]) for key in keys},
        dimension_numbers=numbers,
        precision=_precision(params.get("precision")),
        preferred_element_type=plain(params.get("preferred_element_type")),
    )


def _gather(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    return lax.gather(
        *operands,
        lax.GatherDimensionNumbers(**_fields(params["dimension_numbers"])),
        plain(params["slice_sizes"]),
        unique_indices=bool(params["unique_indices"]),
        indices_are_sorted=bool(params["indices_are_sorted"]),
        mode=_member(lax.GatherScatterMode, params["mode"]),
        fill_value=plain(params.get("fill_value")),
    )


def scatter_params(params: Params) -> dict[str, Any]:
    return {
        "dimension_numbers": lax.ScatterDimensionNumbers(**_fields(params["dimension_numbers"])),
        "indices_are_sorted": bool(params["indices_are_sorted"]),
        "unique_indices": bool(params["unique_indices"]),
        "mode": _member(lax.GatherScatterMode, params["mode"]),
    }


def _scatter(function: Callable[..., Any]) -> Rule:
    return lambda operands, params, results: function(*operands, **scatter_params(params))


def _arg(function: Callable[..., Any]) -> Rule:
    def rule(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
        (axis,) = plain(params["axes"])
        return function(*operands, axis, plain(params["index_dtype"]))

    return rule


def _sort(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    return lax.sort(
        tuple(operands),
        dimension=plain(params["dimension"]),
        is_stable=bool(params["is_stable"]),
        num_keys=plain(params["num_keys"]),
    )


def _pooled(primitive: Any) -> Rule:
    """A window reduction that selects by comparing: ``select_prim`` says whether by ≥ or by ≤."""

    def rule(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
        rest = {key: plain(value) for key, value in params.items() if key != "select_prim"}
        chosen = {"ge": _primitives.ge_p, "le": _primitives.le_p}.get(params["select_prim"])
        if chosen is None:
            raise Malformed("a selection by neither ge nor le")
        return primitive.bind(*operands, select_prim=chosen, **rest)

    return rule


def _seed(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    bind: Any = _primitives.random_seed_p.bind
    return bind(*operands, impl=_generator(params))


def _wrap(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    _generator(params)
    return jax.random.wrap_key_data(operands[0], impl="threefry2x32")


def _generator(params: Params) -> Any:
    if params.get("impl") != "fry":
        raise Unsupported("a random generator other than threefry")
    return extend_random.threefry_prng_impl


def _random(primitive: Any) -> Rule:
    bind = _bind(primitive)

    def rule(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
        if params.get("threefry_partitionable", True):
            return bind(operands, params, results)
        with jax.threefry_partitionable(False):
            rest = {key: value for key, value in params.items() if key != "threefry_partitionable"}
            return bind(operands, rest, results)

    return rule


def _bits(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    generator = _member(lax.RandomAlgorithm, params["algorithm"])
    return lax.rng_bit_generator(operands[0], plain(params["shape"]), plain(params["dtype"]), generator)


def _concatenate(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    return lax.concatenate(list(operands), plain(params["dimension"]))


def _stack(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    return jnp.stack(list(operands), axis=plain(params["axis"]))


def _unstack(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    return list(jnp.unstack(operands[0], axis=plain(params["axis"])))


def _empty(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    """What nobody has written yet: zeros, as XLA fills it on CPU, and the same on every run."""
    return jnp.zeros(results[0].shape, results[0].dtype)


def _polynomial(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    """Horner's scheme; the coefficients come after the variable, the constant one first."""
    variable, *coefficients = operands
    total = jnp.broadcast_to(coefficients[-1], results[0].shape)
    for each in coefficients[-2::-1]:
        total = total * variable + each
    return total


def _ragged_dot(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    numbers = lax.RaggedDotDimensionNumbers(
        plain(params["dimension_numbers"]),
        plain(params["lhs_ragged_dimensions"]),
        plain(params["rhs_group_dimensions"]),
    )
    return lax.ragged_dot_general(
        *operands,
        numbers,
        precision=_precision(params.get("precision")),
        preferred_element_type=plain(params.get("preferred_element_type")),
    )


def _iota(operands: Sequence[Any], params: Params, results: Sequence[Aval]) -> Any:
    return lax.broadcasted_iota(plain(params["dtype"]), plain(params["shape"]), plain(params["dimension"]))


def _cumulative(function: Callable[..., Any]) -> Rule:
    return _named(function, "axis", "reverse")


_UNARY = (
    "abs acos acosh asin asinh atan atanh bessel_i0e bessel_i1e cbrt ceil clz cos cosh digamma erf erf_inv erfc exp "
    "exp2 expm1 floor imag is_finite lgamma log log1p logistic neg population_count real rsqrt sign sin sinh sqrt "
    "square tan tanh"
).split()
_BINARY = (
    "add atan2 complex div eq ge gt igamma igammac le lt max min ne nextafter polygamma pow rem shift_left "
    "shift_right_arithmetic shift_right_logical sub zeta random_gamma_grad"
).split()
_LATER = "log2 mulhi one_minus_square".split()
"""Functions that older versions of JAX lack."""
_LINALG = (
    "cholesky eig eigh hessenberg householder_product lu qr schur svd triangular_solve tridiagonal tridiagonal_solve "
    "lu_pivots_to_permutation"
).split()
_BOUND = (
    "add_any clamp dynamic_slice dynamic_update_slice eq_to igamma_grad_a integer_pow le_to lt_to reduce_precision "
    "reduce_window_max reduce_window_min reduce_window_sum select_n threefry2x32 top_k"
).split()
_REDUCTIONS = "reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum reduce_xor".split()
_SAME = "copy copy_p layout_constraint mesh_cast name random_clone stop_gradient".split()
"""Steps that change no number."""


_JAX_NAMES = {each.name: each for each in vars(_primitives).values() if isinstance(each, Primitive)}


def _bound(name: str) -> Rule:
    return _bind(_JAX_NAMES[name])


TABLE: Mapping[str, Rule] = {
    **{name: _function(getattr(lax, name)) for name in (*_UNARY, *_BINARY)},
    **{name: _function(getattr(lax, name)) for name in _LATER if hasattr(lax, name)},
    **{name: _bind(getattr(lax.linalg, f"{name}_p")) for name in _LINALG},
    **{name: _bound(name) for name in _BOUND},
    **{name: _keyed(getattr(lax, name), "axes") for name in _REDUCTIONS},
    **dict.fromkeys(_SAME, _identity),
    "and": _function(lax.bitwise_and),
    "argmax": _arg(lax.argmax),
    "argmin": _arg(lax.argmin),
    "bitcast_convert_type": _keyed(lax.bitcast_convert_type, "new_dtype"),
    "broadcast_in_dim": _keyed(lax.broadcast_in_dim, "shape", "broadcast_dimensions"),
    "concatenate": _concatenate,
    "conj": _function(lax.conj),
    "conv_general_dilated": _convolution,
    "convert_element_type": _keyed(lax.convert_element_type, "new_dtype"),
    "cumlogsumexp": _cumulative(lax.cumlogsumexp),
    "cummax": _cumulative(lax.cummax),
    "cummin": _cumulative(lax.cummin),
    "cumprod": _cumulative(lax.cumprod),
    "cumsum": _cumulative(lax.cumsum),
    "dot_general": _dot_general,
    **dict.fromkeys(("empty", "empty2"), _empty),
    "expand_dims": _keyed(lax.expand_dims, "dimensions"),
    "fft": _keyed(lax.fft, "fft_type", "fft_lengths"),
    "gather": _gather,
    "iota": _iota,
    "mul": _named(lax.mul, "out_dtype"),
    "not": _function(lax.bitwise_not),
    "optimization_barrier": lambda operands, params, results: list(lax.optimization_barrier(tuple(operands))),
    "or": _function(lax.bitwise_or),
    "pad": _keyed(lax.pad, "padding_config"),
    "polynomial": _polynomial,
    "ragged_dot_general": _ragged_dot,
    "random_bits": _random(_primitives.random_bits_p),
    "random_fold_in": _random(_primitives.random_fold_in_p),
    "random_gamma": _random(_primitives.random_gamma_p),
    "random_seed": _seed,
    "random_split": _random(_primitives.random_split_p),
    "random_unwrap": _function(jax.random.key_data),
    "random_wrap": _wrap,
    "regularized_incomplete_beta": _function(lax.betainc),
    "reshape": _keyed(lax.reshape, "new_sizes", "dimensions"),
    "rev": _keyed(lax.rev, "dimensions"),
    "rng_bit_generator": _bits,
    "round": lambda operands, params, results: lax.round(
        operands[0], _member(lax.RoundingMethod, params["rounding_method"])
    ),
    "scatter-add": _scatter(lax.scatter_add),
    "scatter-max": _scatter(lax.scatter_max),
    "scatter-min": _scatter(lax.scatter_min),
    "scatter-mul": _scatter(lax.scatter_mul),
    "scatter-sub": _scatter(lax.scatter_sub),
    "select_and_gather_add": _pooled(_primitives.select_and_gather_add_p),
    "select_and_scatter_add": _pooled(_primitives.select_and_scatter_add_p),
    "slice": _keyed(lax.slice, "start_indices", "limit_indices", "strides"),
    "sort": _sort,
    "split": _keyed(lax.split, "sizes", "axis"),
    "squeeze": _keyed(lax.squeeze, "dimensions"),
    "stack": _stack,
    "tile": _keyed(lax.tile, "reps"),
    "transpose": _keyed(lax.transpose, "permutation"),
    "unstack": _unstack,
    "xor": _function(lax.bitwise_xor),
}
