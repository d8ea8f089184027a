"""How labels, origins and additions pass through one equation of array arithmetic.

`transfer(call, operands, data)` takes the operands with their labels and the results' concrete data
(already computed by the simulator's rule) and returns the labelled results. Control flow, collectives
and shard_map are `grader.analysis.flow`'s.

The labels are a *may* analysis: a label that is absent is proof of independence. Where a value is
known (no labels), the analysis is exact: a known predicate selects, a known index picks, a known zero
factor blocks. Where it is not known, every side counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from grader.analysis.facts import Labelled
from grader.analysis.labels import NONE
from grader.execution.primitives import MOVEMENT, RULES, Call

MANY = 1 << 20
"""Additions are counted up to here (a scan of ten thousand steps must not overflow)."""

UNARY = frozenset(
    "neg sign floor ceil round exp exp2 log expm1 log1p tanh sin cos tan asin acos atan sinh cosh asinh acosh atanh "
    "logistic erf erfc erf_inv lgamma digamma sqrt rsqrt cbrt abs not is_finite integer_pow square real imag conj "
    "convert_element_type reduce_precision bitcast_convert_type population_count clz bessel_i0e bessel_i1e "
    "random_wrap random_unwrap".split()
)
BINARY = frozenset(
    "add add_any sub mul div rem max min pow atan2 nextafter and or xor eq ne lt le gt ge shift_left "
    "shift_right_logical shift_right_arithmetic complex lt_to le_to igamma igammac polygamma zeta mulhi".split()
)
TERNARY = frozenset({"clamp", "regularized_incomplete_beta"})
ELEMENTWISE = UNARY | BINARY | TERNARY
SUMS = frozenset({"add", "add_any", "sub"})
REDUCTIONS = frozenset(
    "reduce_sum reduce_max reduce_min reduce_prod reduce_and reduce_or reduce_xor argmax argmin".split()
)
SCATTERS = frozenset({"scatter", "scatter-add", "scatter_add", "scatter-mul", "scatter_mul", "scatter_min",
                      "scatter_max", "scatter-min", "scatter-max", "scatter-sub", "scatter_sub"})  # fmt: skip


def transfer(call: Call, operands: Sequence[Labelled], data: Sequence[np.ndarray]) -> list[Labelled]:
    """The labelled results of an equation whose concrete results are ``data``."""
    name = call.equation.primitive
    if all(each.labels is None and each.origins is None and each.times is None for each in operands):
        return [Labelled(each) for each in data]
    special = SPECIAL.get(name)
    if special is not None:
        return special(call, operands, data)
    if name in ELEMENTWISE:
        return [elementwise(call, operands, data[0])]
    if name in MOVEMENT:
        return movement(call, operands, data)
    return coarse(operands, data)


def labels_of(value: Labelled) -> np.ndarray:
    return value.labels if value.labels is not None else np.zeros(value.data.shape, np.uint64)


def times_of(value: Labelled) -> np.ndarray:
    return value.times if value.times is not None else np.zeros(value.data.shape, np.int64)


def origins_of(value: Labelled) -> np.ndarray:
    return value.origins if value.origins is not None else np.zeros(value.data.shape, np.int64)


def lift(channel: np.ndarray, rank: int) -> np.ndarray:
    """A scalar's channel (lanes,) made to broadcast against one of (lanes, *shape)."""
    return channel.reshape(channel.shape + (1,) * (rank - channel.ndim)) if channel.ndim < rank else channel


def join(left: np.ndarray | None, right: np.ndarray | None) -> np.ndarray | None:
    if left is None:
        return right
    return left if right is None else left | right


def known_zero(value: Labelled) -> np.ndarray | None:
    """Where the element is zero whatever the inputs are; None: nowhere."""
    if value.labels is None:
        zero = value.data == 0
    else:
        unlabelled = value.labels == NONE
        if not unlabelled.any():
            return None
        zero = unlabelled & (value.data == 0)
    return zero if zero.any() else None


def summary(value: Labelled) -> np.uint64:
    """The labels of all elements on all lanes, joined."""
    return NONE if value.labels is None else np.uint64(np.bitwise_or.reduce(value.labels, axis=None))


def lane_summary(values: Sequence[Labelled]) -> np.ndarray | None:
    """The labels of all elements of all values, joined lane by lane: shape (lanes,)."""
    joined: np.ndarray | None = None
    for each in values:
        if each.labels is not None:
            joined = join(joined, np.bitwise_or.reduce(each.labels, axis=tuple(range(1, each.labels.ndim))))
    return joined


def full(lanes: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """One channel value a lane, spread over an array of ``shape`` (lanes first)."""
    lifted = lift(lanes, len(shape))
    return lifted if lifted.shape == shape else np.broadcast_to(lifted, shape)


# ── elementwise ──────────────────────────────────────────────────────────────────────────────────


def elementwise(call: Call, operands: Sequence[Labelled], data: np.ndarray) -> Labelled:
    name, rank = call.equation.primitive, data.ndim
    labels: np.ndarray | None = None
    for each in operands:
        if each.labels is not None:
            labels = join(labels, lift(each.labels, rank))
    if labels is not None:
        if name in ("mul", "and"):
            # 0 / y may be NaN and says something of y; so does 0 * y where it is seen to be.
            nought = data == 0
            for each in operands:
                zero = known_zero(each)
                if zero is not None and zero.dtype == bool:
                    labels = np.where(lift(zero, rank) & nought, NONE, labels)
        if labels.shape != data.shape:
            labels = np.broadcast_to(labels, data.shape)
    return Labelled(data, labels, exact_copy(call, operands, data), elementwise_times(name, operands, data))


def exact_copy(call: Call, operands: Sequence[Labelled], data: np.ndarray) -> np.ndarray | None:
    """A cast that loses nothing keeps what the element is a copy of."""
    if call.equation.primitive != "convert_element_type" or operands[0].origins is None:
        return None
    source, target = operands[0].data.dtype, data.dtype
    if {str(source), str(target)} <= {"float32", "float64"}:
        return operands[0].origins
    return None


def elementwise_times(name: str, operands: Sequence[Labelled], data: np.ndarray) -> np.ndarray | None:
    if all(each.times is None for each in operands):
        return None
    counts = []
    for position, each in enumerate(operands):
        count = lift(times_of(each), data.ndim)
        if name == "mul":  # a known zero factor adds nothing
            zero = known_zero(operands[1 - position])
            if zero is not None:
                count = np.where(lift(zero, data.ndim), 0, count)
        counts.append(count)
    total = counts[0]
    for count in counts[1:]:
        total = total + count if name in SUMS or name == "complex" else np.maximum(total, count)
    return np.broadcast_to(np.minimum(total, MANY), data.shape)


# ── movement ─────────────────────────────────────────────────────────────────────────────────────


def movement(call: Call, operands: Sequence[Labelled], data: Sequence[np.ndarray]) -> list[Labelled]:
    """Elements move, and their channels with them; an index that is not known may have picked any."""
    moved = MOVEMENT[call.equation.primitive]
    moves = range(len(operands)) if moved == () else moved
    indices = [each for position, each in enumerate(operands) if position not in moves]
    if lane_summary(indices) is not None and np.any(lane_summary(indices)):
        return coarse(operands, data)
    labels = move(call, operands, moves, "labels", np.uint64)
    origins = move(call, operands, moves, "origins", np.int64)
    times = move(call, operands, moves, "times", np.int64)
    nothing: list[np.ndarray | None] = [None] * len(data)
    channels = zip(data, labels or nothing, origins or nothing, times or nothing, strict=True)
    return [Labelled(*each) for each in channels]


def move(
    call: Call, operands: Sequence[Labelled], moves: Sequence[int], channel: str, dtype: type
) -> list[np.ndarray] | None:
    if all(getattr(operands[position], channel) is None for position in moves):
        return None
    arrays = [
        (getattr(each, channel) if getattr(each, channel) is not None else np.zeros(each.data.shape, dtype))
        if position in moves
        else each.data
        for position, each in enumerate(operands)
    ]
    return apply(call, arrays)


def apply(call: Call, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    results = RULES[call.equation.primitive](call, *arrays)
    return [results] if isinstance(results, np.ndarray) else list(results)


def coarse(operands: Sequence[Labelled], data: Sequence[np.ndarray]) -> list[Labelled]:
    """Every element of every result may depend on everything that goes in, lane by lane."""
    labels = lane_summary(operands)
    times: np.ndarray | None = None
    for each in operands:
        if each.times is not None:
            most = each.times.max(axis=tuple(range(1, each.times.ndim)), initial=0)
            times = most if times is None else np.maximum(times, most)
    return [
        Labelled(
            each,
            None if labels is None else full(labels, each.shape),
            None,
            None if times is None else full(times, each.shape),
        )
        for each in data
    ]


# ── those with a way of their own ────────────────────────────────────────────────────────────────


def select(call: Call, operands: Sequence[Labelled], data: Sequence[np.ndarray]) -> list[Labelled]:
    """Where the predicate is known, the case taken; elsewhere any of them, and the predicate."""
    which, cases = operands[0], operands[1:]
    rank = data[0].ndim
    predicate = lift(labels_of(which), rank)
    known = predicate == NONE

    def chosen(channels: Sequence[np.ndarray]) -> np.ndarray:
        picks = lift(which.data, rank).astype(np.int64)
        where = np.broadcast_to(picks, data[0].shape)[None]
        taken: np.ndarray = np.take_along_axis(np.stack(channels), where, axis=0)[0]
        return taken

    channels = [labels_of(each) for each in cases]
    labels = predicate
    for channel in channels:
        labels = labels | channel
    if known.any():
        labels = np.where(known, chosen(channels), labels)
    origins = times = None
    if any(each.origins is not None for each in cases):
        origins = np.where(known, chosen([origins_of(each) for each in cases]), 0)
    if any(each.times is not None for each in cases):
        counts = [times_of(each) for each in cases]
        times = np.where(known, chosen(counts), np.maximum.reduce(counts))
    return [Labelled(data[0], np.broadcast_to(labels, data[0].shape), origins, times)]


def reduction(call: Call, operands: Sequence[Labelled], data: Sequence[np.ndarray]) -> list[Labelled]:
    axes = tuple(int(axis) + 1 for axis in call.params["axes"])
    [operand] = operands
    labels = operand.labels
    if labels is not None and axes:
        labels = np.bitwise_or.reduce(labels, axis=axes)
    times = None
    if operand.times is not None:
        name = call.equation.primitive
        times = operand.times.sum(axis=axes) if name == "reduce_sum" else operand.times.max(axis=axes, initial=0)
    return [Labelled(data[0], labels, None, times)]


def cumulative(call: Call, operands: Sequence[Labelled], data: Sequence[np.ndarray]) -> list[Labelled]:
    axis = int(call.params["axis"]) + 1
    backward = bool(call.params.get("reverse", False))

    def along(channel: np.ndarray | None, ufunc: np.ufunc) -> np.ndarray | None:
        if channel is None:
            return None
        channel = np.flip(channel, axis) if backward else channel
        channel = ufunc.accumulate(channel, axis=axis)
        return np.flip(channel, axis) if backward else channel

    total = np.add if call.equation.primitive == "cumsum" else np.maximum
    return [Labelled(data[0], along(operands[0].labels, np.bitwise_or), None, along(operands[0].times, total))]


def product(call: Call, operands: Sequence[Labelled], data: Sequence[np.ndarray]) -> list[Labelled]:
    """dot_general: each term of each sum counts, save those with a known zero factor."""
    (contract_left, contract_right), (batch_left, batch_right) = call.params["dimension_numbers"]
    left = Factor(operands[0], batch_left, contract_left, last=False)
    right = Factor(operands[1], batch_right, contract_right, last=True)
    shape = data[0].shape
    labels = product_labels(left, right, shape)
    if labels is not None and data[0].dtype.kind in "fc" and np.isnan(data[0]).any():
        # 0 * infinity: a known zero factor that does not keep the other factor from showing.
        everything = lane_summary(operands)
        assert everything is not None
        labels = np.where(np.isnan(data[0]), full(everything, shape), labels)
    return [Labelled(data[0], labels, None, product_times(left, right, shape))]


class Factor:
    """An operand of dot_general as (lanes, batch, contracted, free) or, ``last``, the same for the right side."""

    def __init__(self, value: Labelled, batch: Sequence[int], contract: Sequence[int], last: bool) -> None:
        rank = value.data.ndim - 1
        free = [axis for axis in range(rank) if axis not in batch and axis not in contract]
        shape = value.data.shape
        self.order = [0, *(axis + 1 for axis in [*batch, *contract, *free])]

        def size(axes: Sequence[int]) -> int:
            return math.prod([shape[axis + 1] for axis in axes])

        self.shape = (shape[0], size(batch), size(contract), size(free))
        self.expand = (slice(None), slice(None), slice(None), None) if last else (..., None)
        self.labels = self.arrange(value.labels)
        self.times = self.arrange(value.times)
        zero = known_zero(value)
        self.nonzero = None if zero is None else self.arrange(~zero)

    def arrange(self, channel: np.ndarray | None) -> np.ndarray | None:
        return None if channel is None else channel.transpose(self.order).reshape(self.shape)[self.expand]


def product_labels(left: Factor, right: Factor, shape: tuple[int, ...]) -> np.ndarray | None:
    total: np.ndarray | None = None
    for one, other in ((left, right), (right, left)):
        if one.labels is None:
            continue
        terms = one.labels if other.nonzero is None else np.where(other.nonzero, one.labels, NONE)
        if one.nonzero is not None:
            terms = np.where(one.nonzero, terms, NONE)
        total = join(total, np.bitwise_or.reduce(terms, axis=2))
    if total is None:
        return None
    full_shape = (left.shape[0], left.shape[1], left.shape[3], right.shape[3])
    return np.broadcast_to(total, full_shape).reshape(shape)


def product_times(left: Factor, right: Factor, shape: tuple[int, ...]) -> np.ndarray | None:
    total: np.ndarray | None = None
    for one, other in ((left, right), (right, left)):
        if one.times is None:
            continue
        terms = one.times if other.nonzero is None else np.where(other.nonzero, one.times, 0)
        count = np.minimum(terms.sum(axis=2), MANY)
        total = count if total is None else np.maximum(total, count)
    if total is None:
        return None
    full_shape = (left.shape[0], left.shape[1], left.shape[3], right.shape[3])
    return np.broadcast_to(total, full_shape).reshape(shape)


def scatter(call: Call, operands: Sequence[Labelled], data: Sequence[np.ndarray]) -> list[Labelled]:
    """Updates land where known indices say; a scatter-add adds to what was there."""
    operand, indices, updates = operands
    if indices.labels is not None and indices.labels.any():
        return coarse(operands, data)
    name = call.equation.primitive.replace("_", "-")
    if name == "scatter":
        return movement(call, operands, data)
    labels = operand.labels
    if updates.labels is not None:
        landed = np.zeros(data[0].shape, np.uint64)
        for label in np.unique(updates.labels):
            if label != NONE:
                mask = (updates.labels == label).astype(np.int64)
                arrays = [np.zeros(operand.data.shape, np.int64), indices.data, mask]
                landed |= np.where(plainly_added(call, arrays) > 0, label, NONE)
        labels = join(labels, landed)
    times = None
    if operand.times is not None or updates.times is not None:
        if name == "scatter-add":
            times = plainly_added(call, [times_of(operand), indices.data, times_of(updates)])
        else:
            times = coarse(operands, data)[0].times
    return [Labelled(data[0], labels, None, times)]


def window_sum(call: Call, operands: Sequence[Labelled], data: Sequence[np.ndarray]) -> list[Labelled]:
    """Sums over windows, weighted or not: additions are counted as in any sum."""
    [result] = coarse(operands, data)
    if result.times is None:
        return [result]
    counts = []
    for position, each in enumerate(operands):
        if each.times is not None:
            others = [np.ones(other.data.shape) for other in operands]
            others[position] = times_of(each).astype(np.float64)
            for place, other in enumerate(operands):
                zero = known_zero(other)
                if place != position and zero is not None:
                    others[place] = np.where(zero, 0.0, 1.0)
            counts.append(np.asarray(apply_named(call.equation.primitive, call, others)))
    times = np.minimum(np.rint(np.maximum.reduce(counts)), MANY).astype(np.int64)
    return [Labelled(result.data, result.labels, None, times)]


def mixture(call: Call, operands: Sequence[Labelled], data: Sequence[np.ndarray]) -> list[Labelled]:
    """Sums of everything with everything: all additions count everywhere."""
    lanes = data[0].shape[0]
    total = sum(times_of(each).reshape(lanes, -1).sum(axis=1) for each in operands)
    results = coarse(operands, data)
    return [
        each
        if each.times is None
        else Labelled(each.data, each.labels, None, full(np.minimum(total, MANY), each.data.shape))
        for each in results
    ]


def plainly_added(call: Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.asarray(apply_named("scatter-add", call, arrays))


def apply_named(name: str, call: Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    rule = RULES.get(name) or RULES[name.replace("-", "_")]
    result = rule(call, *arrays)
    return result if isinstance(result, np.ndarray) else result[0]


def same(call: Call, operands: Sequence[Labelled], data: Sequence[np.ndarray]) -> list[Labelled]:
    """Each operand comes out as it is."""
    return list(operands)


SPECIAL: dict[str, Callable[[Call, Sequence[Labelled], Sequence[np.ndarray]], list[Labelled]]] = {
    "select_n": select,
    "dot_general": product,
    **dict.fromkeys(REDUCTIONS, reduction),
    **dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"), cumulative),
    **dict.fromkeys(SCATTERS, scatter),
    **dict.fromkeys(("conv_general_dilated", "reduce_window_sum"), window_sum),
    **dict.fromkeys(("fft", "triangular_solve"), mixture),
    **dict.fromkeys(("copy", "copy_p", "name", "optimization_barrier", "pvary", "reshard", "sharding_constraint",
                     "device_put", "stop_gradient"), same),
}  # fmt: skip
