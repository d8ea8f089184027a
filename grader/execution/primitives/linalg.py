"""Factorisations and triangular systems, by LAPACK, as XLA on the CPU has them.

In: a `Call` and arrays (lanes, *batch, rows, columns). Out: arrays of the declared shapes. What LAPACK refuses
(a matrix that is not positive definite) gives NaN in that matrix only.
"""

from __future__ import annotations

import numpy as np

from grader.execution.errors import Malformed, Unsupported
from grader.execution.primitives.call import Call, Rule, expect

_DTYPES = (np.float32, np.float64, np.complex64, np.complex128)


def _matrices(call: Call, x: np.ndarray) -> np.ndarray:
    if x.ndim < 3 or x.dtype not in _DTYPES:
        raise Malformed(f"{call.equation.primitive} of something that is no matrix of floats", call.equation)
    return x.reshape(-1, *x.shape[-2:])


def _square(call: Call, x: np.ndarray) -> np.ndarray:
    flat = _matrices(call, x)
    if flat.shape[1] != flat.shape[2]:
        raise Malformed(f"{call.equation.primitive} of a matrix that is not square", call.equation)
    return flat


def cholesky(call: Call, x: np.ndarray) -> np.ndarray:
    flat = _square(call, x)
    if call.params.get("symmetrize_input", True):
        flat = (flat + np.conj(np.swapaxes(flat, 1, 2))) / flat.dtype.type(2)
    result = np.empty_like(flat)
    for place, matrix in enumerate(flat):
        try:
            result[place] = np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            result[place] = np.nan
    return np.where(np.isnan(result), result, np.tril(result)).reshape(x.shape)


def triangular_solve(call: Call, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    import scipy.linalg  # type: ignore[import-untyped]

    params = call.params
    flat_a, flat_b = _square(call, a), _matrices(call, b)
    if a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2 if params["left_side"] else -1]:
        raise Malformed("triangular_solve of stacks that do not fit", call.equation)
    transpose = params["transpose_a"] + (params["transpose_a"] and params["conjugate_a"])
    result = np.empty_like(flat_b)
    for place, (matrix, right) in enumerate(zip(flat_a, flat_b, strict=True)):
        if params["conjugate_a"] and not params["transpose_a"]:
            matrix = np.conj(matrix)
        if not params["left_side"]:  # x a = b is aᵀ xᵀ = bᵀ
            if transpose == 2:
                matrix, trans = np.conj(matrix), 0
            else:
                trans = 1 - transpose
            right = right.T
        else:
            trans = transpose
        if not matrix.size or not right.size:
            continue
        trtrs = scipy.linalg.get_lapack_funcs("trtrs", (matrix, right))
        diagonal = matrix.diagonal()
        if not params["unit_diagonal"] and (diagonal == 0).any():
            raise Unsupported("triangular_solve", "of a singular matrix", call.equation)
        solved, _ = trtrs(matrix, right, lower=params["lower"], trans=trans, unitdiag=params["unit_diagonal"])
        result[place] = solved if params["left_side"] else solved.T
    return result.reshape(b.shape)


def lu(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    import scipy.linalg

    flat = _matrices(call, x)
    rows, columns = flat.shape[1:]
    small = min(rows, columns)
    factors = np.empty_like(flat)
    pivots = np.zeros((len(flat), small), np.int32)
    permutation = np.broadcast_to(np.arange(rows, dtype=np.int32), (len(flat), rows)).copy()
    for place, matrix in enumerate(flat):
        if not matrix.size:
            continue
        getrf = scipy.linalg.get_lapack_funcs("getrf", (matrix,))
        factors[place], pivots[place], _ = getrf(matrix)
        for row, other in enumerate(pivots[place]):
            permutation[place, [row, other]] = permutation[place, [other, row]]
    lead = x.shape[:-2]
    return factors.reshape(x.shape), pivots.reshape((*lead, small)), permutation.reshape((*lead, rows))


def qr(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if call.params.get("pivoting"):
        raise Unsupported("qr", "with pivoting", call.equation)
    _matrices(call, x)
    rows, columns = x.shape[-2:]
    inner = rows if call.params["full_matrices"] else min(rows, columns)
    expect(call, (*x.shape[1:-1], inner))
    q, r = np.linalg.qr(x, mode="complete" if call.params["full_matrices"] else "reduced")
    return q, r


def eigh(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    _square(call, x)
    if call.params.get("subset_by_index") not in (None, (0, x.shape[-1])):
        raise Unsupported("eigh", "of a part of the spectrum", call.equation)
    values, vectors = np.linalg.eigh(x, UPLO="L" if call.params["lower"] else "U")
    return vectors, values


def svd(call: Call, x: np.ndarray) -> tuple[np.ndarray, ...]:
    _matrices(call, x)
    if call.params.get("subset_by_index") is not None:
        raise Unsupported("svd", "of a part of the spectrum", call.equation)
    if not call.params["compute_uv"]:
        return (np.linalg.svd(x, compute_uv=False),)
    rows, columns = x.shape[-2:]
    full = call.params["full_matrices"]
    expect(call, (*x.shape[1:-1], rows if full else min(rows, columns)), 1)
    expect(call, (*x.shape[1:-2], columns if full else min(rows, columns), columns), 2)
    u, s, v = np.linalg.svd(x, full_matrices=call.params["full_matrices"])
    return s, u, v


def lu_pivots_to_permutation(call: Call, pivots: np.ndarray) -> np.ndarray:
    size = call.params["permutation_size"]
    if type(size) is not int or call.result.shape != (*pivots.shape[1:-1], size):
        raise Malformed("lu_pivots_to_permutation of another size than it declares", call.equation)
    if ((pivots < 0) | (pivots >= size)).any():
        raise Malformed("lu_pivots_to_permutation with pivots out of range", call.equation)
    flat = pivots.reshape(-1, pivots.shape[-1])
    rows = np.arange(len(flat))
    result = np.broadcast_to(np.arange(size, dtype=np.int32), (len(flat), size)).copy()
    for step in range(flat.shape[1]):
        other = flat[:, step]
        mine, theirs = result[rows, step].copy(), result[rows, other].copy()
        result[rows, step], result[rows, other] = theirs, mine
    return result.reshape((*pivots.shape[:-1], size))


def tridiagonal_solve(
    call: Call, lower: np.ndarray, diagonal: np.ndarray, upper: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """The Thomas algorithm, without pivoting."""
    size = diagonal.shape[-1]
    if not (lower.shape == diagonal.shape == upper.shape) or b.shape[:-1] != diagonal.shape:
        raise Malformed("tridiagonal_solve of diagonals that do not fit", call.equation)
    c, d = np.zeros_like(upper), np.zeros_like(b)
    for k in range(size):
        before = lower[..., k] if k else np.zeros_like(lower[..., k])
        pivot = diagonal[..., k] - before * (c[..., k - 1] if k else 0)
        c[..., k] = upper[..., k] / pivot
        d[..., k, :] = (b[..., k, :] - before[..., None] * (d[..., k - 1, :] if k else 0)) / pivot[..., None]
    for k in reversed(range(size - 1)):
        d[..., k, :] -= c[..., k, None] * d[..., k + 1, :]
    return d


def fft(call: Call, x: np.ndarray) -> np.ndarray:
    """Discrete Fourier transforms over the last dimensions."""
    kind, lengths = str(call.params["fft_type"]), tuple(call.params["fft_lengths"])
    axes = tuple(range(x.ndim - len(lengths), x.ndim))
    if not lengths or len(lengths) > x.ndim - 1:
        raise Malformed("fft over dimensions that it does not have", call.equation)
    name = kind.rsplit(".", 1)[-1].upper()
    single = x.dtype in (np.float32, np.complex64)
    if name in ("FFT", "IFFT", "RFFT") and x.shape[-len(lengths) :] != lengths:
        raise Malformed("fft of another length than its operand's", call.equation)
    result: np.ndarray
    if name == "FFT":
        result = np.fft.fftn(x, axes=axes)
    elif name == "IFFT":
        result = np.fft.ifftn(x, axes=axes)
    elif name == "RFFT":
        result = np.fft.rfftn(x, axes=axes)
    elif name == "IRFFT":
        if call.result.shape[-len(lengths) :] != lengths:
            raise Malformed("irfft of another length than it declares", call.equation)
        result = np.fft.irfftn(x, s=lengths, axes=axes)
    else:
        raise Unsupported("fft", kind, call.equation)
    if single:
        return result.astype(np.complex64 if result.dtype.kind == "c" else np.float32)
    return result


RULES: dict[str, Rule] = {
    "cholesky": cholesky,
    "triangular_solve": triangular_solve,
    "lu": lu,
    "lu_pivots_to_permutation": lu_pivots_to_permutation,
    "qr": qr,
    "eigh": eigh,
    "svd": svd,
    "tridiagonal_solve": tridiagonal_solve,
    "fft": fft,
}
