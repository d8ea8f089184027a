"""Primitives that work element by element, with XLA's results at the edges.

In: a `Call` and arrays (lanes, *shape) of equal shapes, or scalars (lanes,). Out: one array (lanes, *shape).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grader.execution.errors import Malformed, Unsupported
from grader.execution.float_environment import plain_floats
from grader.execution.primitives.call import Call, Rule, aligned
from grader.execution.values import numpy_dtype

Function = Callable[..., np.ndarray]

_SIGNED: dict[int, type[np.signedinteger]] = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
_UNSIGNED: dict[int, type[np.unsignedinteger]] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def unary(function: Function) -> Rule:
    def rule(call: Call, x: np.ndarray) -> np.ndarray:
        return function(x)

    return rule


def binary(function: Function) -> Rule:
    def rule(call: Call, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if x.shape != y.shape:
            x, y = aligned(call, x, y)
        return function(x, y)

    return rule


def is_float(array: np.ndarray) -> bool:
    """Real floating point, ml_dtypes' kinds included (NumPy calls those kind V)."""
    return array.dtype.kind == "f" or array.dtype.kind == "V"


# ── arithmetic ───────────────────────────────────────────────────────────────────────────────────


def divide(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Integers: towards zero; by zero gives all bits set; the smallest by -1 gives itself."""
    kind = x.dtype.kind
    if kind in "fcV":
        result: np.ndarray = x / y
        return result
    zero = y == 0
    if kind == "u":
        return np.where(zero, np.array(np.iinfo(x.dtype).max, x.dtype), x // np.where(zero, np.array(1, y.dtype), y))
    one = np.array(1, y.dtype)
    minus = y == -1
    safe = np.where(zero | minus, one, y)
    quotient = x // safe
    quotient += ((x - quotient * safe) != 0) & ((x < 0) != (safe < 0))
    return np.where(zero, np.array(-1, x.dtype), np.where(minus, -x, quotient))


def remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The sign of the dividend; integers by zero give the dividend."""
    if is_float(x):
        if x.dtype.kind == "V":
            return np.fmod(x.astype(np.float32), y.astype(np.float32)).astype(x.dtype)
        result: np.ndarray = np.fmod(x, y)
        return result
    zero = y == 0
    safe = (
        np.where(zero | (y == np.array(-1).astype(y.dtype)), np.array(1, y.dtype), y)
        if x.dtype.kind == "i"
        else (np.where(zero, np.array(1, y.dtype), y))
    )
    return np.where(zero, x, np.fmod(x, safe))


def sign(x: np.ndarray) -> np.ndarray:
    """Zeros keep their sign, NaN stays; complex: the point on the unit circle."""
    kind = x.dtype.kind
    if kind == "f":
        result: np.ndarray = np.copysign(np.sign(x), x)
        return result
    if kind == "c":
        size = np.abs(x)
        return np.where(size == 0, np.zeros((), x.dtype), x / np.where(size == 0, np.ones((), size.dtype), size))
    if kind == "V":
        return sign(x.astype(np.float32)).astype(x.dtype)
    result = np.sign(x)
    return result


def maximum(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """NaN wins; 0 is above -0."""
    kind = x.dtype.kind
    if kind == "c":
        return np.where(_complex_less(x, y), y, x)
    if kind == "f":
        # Of equal operands NumPy gives either: taken in both orders, the signs of zeros can be combined.
        return _combined(np.maximum(x, y), np.maximum(y, x), np.bitwise_and)
    result: np.ndarray = np.maximum(x, y)
    return result


def minimum(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """NaN wins; -0 is below 0."""
    kind = x.dtype.kind
    if kind == "c":
        return np.where(_complex_less(x, y), x, y)
    if kind == "f":
        return _combined(np.minimum(x, y), np.minimum(y, x), np.bitwise_or)
    result: np.ndarray = np.minimum(x, y)
    return result


def _combined(one: np.ndarray, other: np.ndarray, combine: np.ufunc) -> np.ndarray:
    bits = _SIGNED[one.dtype.itemsize]
    result: np.ndarray = combine(one.view(bits), other.view(bits)).view(one.dtype)
    return result


def _complex_less(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Lexicographic."""
    less: np.ndarray = (x.real < y.real) | ((x.real == y.real) & (x.imag < y.imag))
    return less


def power(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if y.dtype.kind in "iu":
        y = y.astype(x.real.dtype if x.dtype.kind == "c" else x.dtype)
    return _from_library(np.power, x, y)


def atan2(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    return _from_library(np.arctan2, y, x)


def _from_library(function: np.ufunc, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """XLA calls the C library here: it tells a subnormal operand from zero, yet gives no subnormal result."""
    with plain_floats():
        result: np.ndarray = function(x, y)
    result = result * result.dtype.type(1)
    return result


def integer_pow(call: Call, x: np.ndarray) -> np.ndarray:
    """x multiplied by itself, squaring on the way; the reciprocal of that for negative exponents."""
    exponent = call.params["y"]
    if type(exponent) is not int:
        raise Malformed(f"integer_pow with exponent {exponent!r}", call.equation)
    left, base, result = abs(exponent), x, None
    while left > 0:
        if left & 1:
            result = base if result is None else result * base
        left >>= 1
        if left > 0:
            base = base * base
    if result is None:
        return np.ones(x.shape, x.dtype)
    if exponent < 0:
        return divide(np.ones((), x.dtype), result)
    return result


def square(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = x * x
    return result


def one_minus_square(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.ones((), x.dtype) - x * x
    return result


def log_gamma(call: Call, x: np.ndarray) -> np.ndarray:
    result = np.asarray(special("gammaln")(call, x))
    return np.where(np.isneginf(x), np.array(np.inf, x.dtype), result)


def erf_inv(call: Call, x: np.ndarray) -> np.ndarray:
    """NaN outside [-1, 1] (asked for one by one, scipy takes very long to say so)."""
    inside = np.abs(x) <= 1
    result = np.asarray(special("erfinv")(call, np.where(inside, x, np.zeros((), x.dtype))))
    return np.where(inside, result, np.array(np.nan, x.dtype))


def compare(function: np.ufunc) -> Function:
    """Narrow floats are compared as float32, in which subnormals count as zero."""

    def wide(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if x.dtype.kind == "V":
            x, y = x.astype(np.float32), y.astype(np.float32)
        result: np.ndarray = function(x, y)
        return result

    return wide


def high_product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The upper half of the bits of the product."""
    bits = x.dtype.itemsize * 8
    if bits < 64:
        wide = x.astype(np.int64 if x.dtype.kind == "i" else np.uint64)
        high: np.ndarray = (wide * y.astype(wide.dtype) >> wide.dtype.type(bits)).astype(x.dtype)
        return high
    whole = (x.astype(object) * y.astype(object)) >> 64
    return np.asarray(whole).astype(x.dtype)


def rsqrt(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.ones((), x.dtype) / np.sqrt(x)
    return result


def logistic(x: np.ndarray) -> np.ndarray:
    one = np.ones((), x.dtype)
    result: np.ndarray = one / (one + np.exp(-x))
    return result


def cbrt(x: np.ndarray) -> np.ndarray:
    return np.cbrt(x) if x.dtype.kind == "f" else np.cbrt(x.astype(np.float32)).astype(x.dtype)


def absolute(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.abs(x)
    return result


def round_(call: Call, x: np.ndarray) -> np.ndarray:
    """Halves away from zero, or to even."""
    if call.params.get("rounding_method") == "AWAY_FROM_ZERO":
        whole = np.trunc(x)
        up = np.copysign(np.ones((), x.dtype), x)
        away: np.ndarray = np.where(np.abs(x - whole) >= np.array(0.5, x.dtype), whole + up, whole)
        return away
    result: np.ndarray = np.rint(x)
    return result


def clamp(call: Call, low: np.ndarray, x: np.ndarray, high: np.ndarray) -> np.ndarray:
    if not (low.shape == x.shape == high.shape):
        low, x, high = aligned(call, low, x, high)
    return minimum(maximum(low, x), high)


def special(name: str) -> Rule:
    """A function of scipy.special, loaded when first needed (scipy takes long to import)."""

    def rule(call: Call, *arrays: np.ndarray) -> np.ndarray:
        import scipy.special  # type: ignore[import-untyped]

        function = getattr(scipy.special, name)
        first = arrays[0]
        if any(array.shape != first.shape for array in arrays):
            arrays = tuple(aligned(call, *arrays))
        if first.dtype in (np.float32, np.float64):
            result: np.ndarray = function(*arrays)
            return result.astype(first.dtype, copy=False)
        return np.asarray(function(*(array.astype(np.float32) for array in arrays))).astype(first.dtype)

    return rule


# ── bits ─────────────────────────────────────────────────────────────────────────────────────────


def not_(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.logical_not(x) if x.dtype.kind == "b" else np.invert(x)
    return result


def shift_left(x: np.ndarray, by: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.left_shift(x, by)
    return result


def shift_right_arithmetic(x: np.ndarray, by: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "u":
        signed = _SIGNED[x.dtype.itemsize]
        return np.right_shift(x.view(signed), by.view(signed)).view(x.dtype)
    result: np.ndarray = np.right_shift(x, by)
    return result


def shift_right_logical(x: np.ndarray, by: np.ndarray) -> np.ndarray:
    unsigned = _UNSIGNED[x.dtype.itemsize]
    return np.right_shift(x.view(unsigned), by.view(unsigned)).view(x.dtype)


def population_count(x: np.ndarray) -> np.ndarray:
    return np.bitwise_count(x.view(_UNSIGNED[x.dtype.itemsize])).astype(x.dtype)


def count_leading_zeros(x: np.ndarray) -> np.ndarray:
    bits = x.dtype.itemsize * 8
    unsigned = x.view(_UNSIGNED[x.dtype.itemsize])
    shift = 1
    while shift < bits:
        unsigned = unsigned | (unsigned >> unsigned.dtype.type(shift))
        shift *= 2
    return (bits - np.bitwise_count(unsigned).astype(np.int64)).astype(x.dtype)


def bitcast(call: Call, x: np.ndarray) -> np.ndarray:
    """The same bits as another dtype; a different width adds or takes away a last dimension."""
    to = numpy_dtype(call.params["new_dtype"].name)
    shape = (x.shape[0], *call.result.shape)
    if to.itemsize > x.dtype.itemsize and x.shape[-1] * x.dtype.itemsize != to.itemsize:
        raise Malformed("bitcast_convert_type between shapes that do not fit", call.equation)
    flat = np.ascontiguousarray(x).reshape(-1) if to.itemsize >= x.dtype.itemsize else np.ascontiguousarray(x)
    return flat.view(to).reshape(shape)


# ── casts ────────────────────────────────────────────────────────────────────────────────────────


def convert(x: np.ndarray, to: np.dtype) -> np.ndarray:
    """XLA's casts: floats to integers saturate, NaN gives 0; integers wrap around; complex drops the imaginary part."""
    if x.dtype == to:
        return x
    if x.dtype.kind == "c" and to.kind not in "cb":
        x = x.real
    if to.kind == "b":
        return compare(np.not_equal)(x, np.zeros((), x.dtype))
    if to.kind in "iu" and is_float(x):
        return _float_to_integer(x, to)
    return x.astype(to)


def _float_to_integer(x: np.ndarray, to: np.dtype) -> np.ndarray:
    if x.dtype.kind == "V" or x.dtype == np.float16:
        x = x.astype(np.float32)
    bounds = np.iinfo(to)
    low = np.array(bounds.min, x.dtype)  # a power of two, or 0: exact
    above = x >= np.array(2.0 ** (bounds.bits - (1 if to.kind == "i" else 0)), x.dtype)
    below = x < low
    odd = above | below | np.isnan(x)
    if not odd.any():
        return np.trunc(x).astype(to) if to.kind == "u" else x.astype(to)
    inside = np.where(odd, np.zeros((), x.dtype), x).astype(to)
    inside[above] = bounds.max
    inside[below] = bounds.min
    return inside


def convert_element_type(call: Call, x: np.ndarray) -> np.ndarray:
    return convert(x, numpy_dtype(call.params["new_dtype"].name))


def reduce_precision(call: Call, x: np.ndarray) -> np.ndarray:
    """Round to a float of the given exponent and mantissa bits, kept in x's dtype."""
    exponent, mantissa = call.params["exponent_bits"], call.params["mantissa_bits"]
    if type(exponent) is not int or type(mantissa) is not int or exponent < 1 or mantissa < 0:
        raise Malformed("reduce_precision with impossible bits", call.equation)
    widths = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}
    if x.dtype.kind == "c":
        part = np.dtype(np.float32 if x.dtype == np.complex64 else np.float64)
        real = _reduce_precision(x.real.astype(part), exponent, mantissa, *widths[part.name])
        imag = _reduce_precision(x.imag.astype(part), exponent, mantissa, *widths[part.name])
        return complex_(real, imag)
    if x.dtype.name not in widths:
        raise Unsupported("reduce_precision", f"on {x.dtype.name}", call.equation)
    return _reduce_precision(x, exponent, mantissa, *widths[x.dtype.name])


def _reduce_precision(x: np.ndarray, exponent: int, mantissa: int, own_exponent: int, own_mantissa: int) -> np.ndarray:
    unsigned = _UNSIGNED[x.dtype.itemsize]
    bits = np.ascontiguousarray(x).view(unsigned)
    if mantissa < own_mantissa:
        drop = own_mantissa - mantissa
        last = (bits >> unsigned(drop)) & unsigned(1)
        kept = unsigned(2 ** (8 * x.dtype.itemsize) - (1 << drop))
        bits = (bits + (unsigned((1 << (drop - 1)) - 1) + last)) & kept
    if exponent < own_exponent:
        total = 8 * x.dtype.itemsize
        sign_mask = unsigned(1 << (total - 1))
        exponents = bits & unsigned(((1 << own_exponent) - 1) << own_mantissa)
        bias, smaller = (1 << (own_exponent - 1)) - 1, (1 << (exponent - 1)) - 1
        largest = unsigned((bias + smaller) << own_mantissa)
        smallest = unsigned((bias - smaller) << own_mantissa)
        infinite = unsigned(((1 << own_exponent) - 1) << own_mantissa)
        signs = bits & sign_mask
        bits = np.where(exponents > largest, signs | infinite, bits)
        bits = np.where(exponents <= smallest, signs, bits)
    result = bits.view(x.dtype)
    return np.where(np.isnan(x), x, result)


def complex_(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    result = np.empty(real.shape, np.complex64 if real.dtype == np.float32 else np.complex128)
    result.real = real
    result.imag = imag
    return result


def conjugate(x: np.ndarray) -> np.ndarray:
    return complex_(x, -np.zeros_like(x)) if x.dtype.kind == "f" else np.conjugate(x)


def real(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x.real)


def imag(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x.imag)


def is_finite(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.isfinite(x)
    return result


def total_order(array: np.ndarray) -> np.ndarray:
    """Integers in the order of the floats: -NaN < -inf < … < -0 < 0 < … < inf < NaN."""
    signed = _SIGNED[array.dtype.itemsize]
    bits = np.ascontiguousarray(array).view(signed)
    return np.where(bits < 0, bits ^ np.iinfo(signed).max, bits)


def intotal_order(compare: np.ufunc) -> Function:
    def function(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if is_float(x):
            x, y = total_order(x), total_order(y)
        result: np.ndarray = compare(x, y)
        return result

    return function


_UNARY: dict[str, Function] = {
    "neg": np.negative,
    "abs": absolute,
    "sign": sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "sqrt": np.sqrt,
    "rsqrt": rsqrt,
    "cbrt": cbrt,
    "square": square,
    "one_minus_square": one_minus_square,
    "logistic": logistic,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "is_finite": is_finite,
    "not": not_,
    "population_count": population_count,
    "clz": count_leading_zeros,
    "real": real,
    "imag": imag,
    "conj": conjugate,
}

_BINARY: dict[str, Function] = {
    "add": np.add,
    "add_any": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": divide,
    "rem": remainder,
    "max": maximum,
    "min": minimum,
    "pow": power,
    "atan2": atan2,
    "mulhi": high_product,
    "nextafter": np.nextafter,
    "complex": complex_,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shift_left": shift_left,
    "shift_right_logical": shift_right_logical,
    "shift_right_arithmetic": shift_right_arithmetic,
    "eq": compare(np.equal),
    "ne": compare(np.not_equal),
    "lt": compare(np.less),
    "le": compare(np.less_equal),
    "gt": compare(np.greater),
    "ge": compare(np.greater_equal),
    "eq_to": intotal_order(np.equal),
    "lt_to": intotal_order(np.less),
    "le_to": intotal_order(np.less_equal),
}

_SPECIAL: dict[str, str] = {
    "erf": "erf",
    "erfc": "erfc",
    "digamma": "digamma",
    "polygamma": "polygamma",
    "zeta": "zeta",
    "igamma": "gammainc",
    "igammac": "gammaincc",
    "regularized_incomplete_beta": "betainc",
    "bessel_i0e": "i0e",
    "bessel_i1e": "i1e",
}

RULES: dict[str, Rule] = {
    **{name: unary(function) for name, function in _UNARY.items()},
    **{name: binary(function) for name, function in _BINARY.items()},
    **{name: special(function) for name, function in _SPECIAL.items()},
    "lgamma": log_gamma,
    "erf_inv": erf_inv,
    "integer_pow": integer_pow,
    "round": round_,
    "clamp": clamp,
    "convert_element_type": convert_element_type,
    "bitcast_convert_type": bitcast,
    "reduce_precision": reduce_precision,
}
