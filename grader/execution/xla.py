"""Run programs for real: XLA, on the CPU devices of this process.

Programs come as data, with NumPy inputs; every output comes back with each device's part of it. All programs of
one `run` are compiled together, equal ones once, so that most of compiling is paid for once.

Importing this starts no backend; `run` does (`grader.execution.environment` says in what environment).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from grader.execution import errors
from grader.execution.errors import Malformed
from grader.execution.rebuild import Unsupported, device_ids, meshes, rebuild
from grader.execution.values import KEY, numpy_dtype
from grader.program.types import Program, Spec
from grader.program.wire import to_bytes

__all__ = ["Malformed", "Result", "Shard", "Unsupported", "XlaError", "rebuild", "run"]

# Without optimisation code is made in half the time, and every product is rounded before it is added to something.
COMPILER_OPTIONS: dict[str, Any] = {"xla_backend_optimization_level": 0}


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """One device's part of an output.

    ``device`` is the device's position in the program's device order, ``index`` the (start, stop) of each
    dimension that the part stands at.
    """

    device: int
    index: tuple[tuple[int, int], ...]
    data: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """An output: the whole as JAX shows it, the parts by device, and its spec where it has a named one.

    Typed PRNG keys are one uint64 each, the first word in the high half.
    """

    value: np.ndarray
    shards: tuple[Shard, ...]
    spec: Spec | None


class XlaError(Exception):
    """JAX or XLA refused call number ``index``: the exception's type and message."""

    def __init__(self, index: int, type: str, message: str) -> None:
        super().__init__(f"{type}: {message}" if message else type)
        self.index = index
        self.type = type
        self.message = message


Call = tuple[Program, Sequence[np.ndarray]]


def run(calls: Sequence[Call]) -> list[tuple[Result, ...]]:
    """The outputs of each program on its inputs (one array for each input of its main body, in order).

    Raises `XlaError` for a call that JAX refuses and `Unsupported` for a program that cannot be rebuilt, both with
    the ``index`` of the call.
    """
    results: list[tuple[Result, ...] | None] = [None] * len(calls)
    for devices, indices in _groups(calls).items():
        group = [calls[index] for index in indices]
        try:
            found = _run(group, devices)
        except _Failed as failed:
            if failed.index is not None:
                failed.raise_as(indices[failed.index])
            found = []
            for index, call in zip(indices, group, strict=True):
                try:
                    found += _run([call], devices)
                except _Failed as alone:
                    alone.raise_as(index)
        for index, result in zip(indices, found, strict=True):
            results[index] = result
    return [result for result in results if result is not None]


class _Failed(Exception):
    """Call number ``index`` of a group cannot be run; None: which one is not known."""

    def __init__(self, index: int | None, error: Exception) -> None:
        self.index = index
        self.error = error

    def raise_as(self, index: int) -> None:
        error = self.error
        if isinstance(error, errors.Unsupported):
            reason = error.reason if isinstance(error, Unsupported) else ""
            raise Unsupported(error.primitive, reason, error.equation, index) from error
        raise XlaError(index, type(error).__name__, str(error)) from error


def _groups(calls: Sequence[Call]) -> dict[tuple[int, ...], list[int]]:
    """The calls by the devices that they run on: JAX compiles one order of devices at a time."""
    groups: dict[tuple[int, ...], list[int]] = {}
    anywhere: list[int] = []
    for index, (program, _) in enumerate(calls):
        found = meshes(program)
        if found:
            groups.setdefault(device_ids(found[0]), []).append(index)
        else:
            anywhere.append(index)
    if anywhere:
        groups.setdefault((0,), []).extend(anywhere)
    return groups


def _run(calls: Sequence[Call], devices: tuple[int, ...]) -> list[tuple[Result, ...]]:
    """Compile and run calls that share their devices. Raises `_Failed`."""
    # Calls of equal programs share one compilation: they take turns in it.
    turns: dict[bytes, list[int]] = {}
    for index, (program, _) in enumerate(calls):
        turns.setdefault(to_bytes(program), []).append(index)
    distinct = [(indices[0], calls[indices[0]][0]) for indices in turns.values()]
    current: list[int] = []

    def joined(inputs: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
        results: list[tuple[Any, ...]] = []
        for (index, program), arrays in zip(distinct, inputs, strict=True):
            current[:] = [index]
            outputs = rebuild(program)(*_typed(program, arrays))
            results.append(tuple([_untyped(value) for value in outputs]))
        current.clear()
        return results

    found: list[tuple[Result, ...]] = [()] * len(calls)
    positions = {device: position for position, device in enumerate(devices)}
    try:
        with _widths([program for _, program in distinct]):
            inputs = []
            for index, (program, arrays) in enumerate(calls):
                current[:] = [index]
                inputs.append(_checked(program, arrays))
            rounds = [
                [indices[min(turn, len(indices) - 1)] for indices in turns.values()]
                for turn in range(max(map(len, turns.values())))
            ]
            compiled = None
            for chosen in rounds:
                arrays_in = [inputs[index] for index in chosen]
                if compiled is None:
                    compiled = jax.jit(joined).lower(arrays_in).compile(compiler_options=COMPILER_OPTIONS)
                outputs = compiled(arrays_in)
                for index, values in zip(chosen, outputs, strict=True):
                    found[index] = _results(calls[index][0], values, positions)
    except Exception as error:
        raise _Failed(current[0] if current else 0 if len(calls) == 1 else None, error) from error
    return found


def _results(program: Program, values: Sequence[Any], positions: dict[int, int]) -> tuple[Result, ...]:
    dtypes = _output_dtypes(program)
    return tuple([_result(value, dtype == KEY, positions) for value, dtype in zip(values, dtypes, strict=True)])


# ── inputs ───────────────────────────────────────────────────────────────────────────────────────


def _checked(program: Program, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The inputs, if they are what the program takes. (JAX would make 32 bits of 64 without a word.)"""
    avals = program.main.inputs
    if len(arrays) != len(avals):
        raise Malformed(f"{len(arrays)} inputs for a program that takes {len(avals)}")
    checked = [np.asarray(array) for array in arrays]
    for array, aval in zip(checked, avals, strict=True):
        if array.shape != aval.shape or array.dtype != numpy_dtype(aval.dtype):
            raise Malformed(f"an input is not of the program's shape and dtype {aval.dtype}{list(aval.shape)}")
    return [_pairs(array) if aval.dtype == KEY else array for array, aval in zip(checked, avals, strict=True)]


def _pairs(words: np.ndarray) -> np.ndarray:
    """Keys of one uint64 as pairs of uint32 (..., 2)."""
    return np.stack([words >> np.uint64(32), words & np.uint64(0xFFFFFFFF)], axis=-1).astype(np.uint32)


def _typed(program: Program, arrays: Sequence[Any]) -> list[Any]:
    return [
        jax.random.wrap_key_data(array, impl="threefry2x32") if aval.dtype == KEY else array
        for array, aval in zip(arrays, program.main.inputs, strict=True)
    ]


def _widths(programs: Sequence[Program]) -> AbstractContextManager[Any]:
    """JAX's 64-bit types, where a program has any: it was traced with them."""
    return jax.enable_x64(True) if any(map(_is_wide, programs)) else nullcontext()


_WIDE = frozenset(("int64", "uint64", "float64", "complex128"))


def _is_wide(program: Program) -> bool:
    if any(constant.aval.dtype in _WIDE for constant in program.constants):
        return True
    for body in program.bodies:
        if any(aval.dtype in _WIDE for aval in body.inputs):
            return True
        for equation in body.equations:
            if any(aval.dtype in _WIDE for aval in equation.results):
                return True
    return False


# ── outputs ──────────────────────────────────────────────────────────────────────────────────────


def _untyped(value: Any) -> Any:
    return jax.random.key_data(value) if _is_key(value) else value


def _is_key(value: Any) -> bool:
    return str(value.dtype).startswith("key<")


def _output_dtypes(program: Program) -> list[str]:
    main = program.main
    values = [*main.inputs, *[aval for equation in main.equations for aval in equation.results]]
    return [(values[k] if k >= 0 else program.constants[-k - 1].aval).dtype for k in main.outputs]


def _result(value: Any, keys: bool, positions: dict[int, int]) -> Result:
    shards = []
    for shard in value.addressable_shards:
        bounds = [each.indices(size)[:2] for each, size in zip(shard.index, value.shape, strict=True)]
        data = np.asarray(shard.data)
        shards.append(
            Shard(
                positions.get(shard.device.id, shard.device.id),
                tuple(bounds[:-1] if keys else bounds),
                _joined_words(data) if keys else data,
            )
        )
    shards.sort(key=lambda shard: shard.device)
    whole = np.asarray(value)
    sharding = value.sharding
    spec = _spec(sharding.spec) if isinstance(sharding, jax.sharding.NamedSharding) else None
    return Result(_joined_words(whole) if keys else whole, tuple(shards), spec)


def _joined_words(pairs: np.ndarray) -> np.ndarray:
    words = pairs.astype(np.uint64)
    joined: np.ndarray = (words[..., 0] << np.uint64(32)) | words[..., 1]
    return joined


def _spec(spec: jax.sharding.PartitionSpec) -> Spec:
    """In its shortest form, as programs have it."""
    axes: list[tuple[str, ...]] = []
    for entry in spec:
        if entry is None:
            axes.append(())
        elif isinstance(entry, tuple):
            axes.append(tuple(map(str, entry)))
        else:
            axes.append((str(entry),))
    while axes and not axes[-1]:
        axes.pop()
    return Spec(tuple(axes))
