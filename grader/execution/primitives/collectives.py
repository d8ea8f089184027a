"""Primitives by which devices exchange data.

In: a `Call`, the `MeshFrame` and arrays (examples * devices, *shape), devices in C order over the mesh's axes.
Out: arrays of the same lanes. A collective over several axes counts the devices of a group in C order over the
axes as named. What is moved (not added or compared) may have any dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from grader.execution.errors import Malformed
from grader.execution.primitives.call import Call, MeshFrame, Results
from grader.execution.primitives.elementwise import maximum, minimum

CollectiveRule = Callable[..., Results]
Groups = Sequence[Sequence[int]]


def axis_names(call: Call) -> tuple[Any, ...]:
    """The mesh axes that a collective works over (psum may name positions, as ints, too)."""
    params = call.params
    names = params["axes"] if "axes" in params else params["axis_name"]
    return (names,) if isinstance(names, str) else tuple(names)


def to_groups(array: np.ndarray, mesh: MeshFrame, names: Sequence[str]) -> np.ndarray:
    """(examples * devices, *shape) -> (groups, members, *shape); members in C order over ``names``."""
    places = _places(mesh, names)
    others = [place for place in range(len(mesh.sizes)) if place not in places]
    shape = array.shape[1:]
    grid = array.reshape((array.shape[0] // mesh.devices, *mesh.sizes, *shape))  # never -1: arrays may be empty
    if others:
        order = [0, *(1 + place for place in others), *(1 + place for place in places)]
        grid = grid.transpose([*order, *range(len(order), grid.ndim)])
    elif list(places) != sorted(places):
        grid = grid.transpose([0, *(1 + place for place in places), *range(1 + len(places), grid.ndim)])
    members = 1
    for place in places:
        members *= mesh.sizes[place]
    return grid.reshape((array.shape[0] // members, members, *shape))


def from_groups(array: np.ndarray, mesh: MeshFrame, names: Sequence[str]) -> np.ndarray:
    """The way back from `to_groups`; the trailing shape may have changed."""
    places = _places(mesh, names)
    others = [place for place in range(len(mesh.sizes)) if place not in places]
    shape = array.shape[2:]
    order = [0, *(1 + place for place in others), *(1 + place for place in places)]
    if order != sorted(order):
        sizes = [mesh.sizes[place] for place in (*others, *places)]
        grid = array.reshape((array.shape[0] * array.shape[1] // mesh.devices, *sizes, *shape))
        back = np.argsort(order).tolist()
        array = grid.transpose([*back, *range(len(order), grid.ndim)])
    lanes = 1
    for size in array.shape[: array.ndim - len(shape)]:
        lanes *= size
    return array.reshape((lanes, *shape))


def _places(mesh: MeshFrame, names: Sequence[str]) -> tuple[int, ...]:
    if len(set(names)) != len(names) or not all(name in mesh.names for name in names):
        raise Malformed(f"a collective over axes {tuple(names)} in a body over the axes {mesh.names}")
    return tuple(mesh.names.index(name) for name in names)


def groups_of(call: Call, members: int) -> Groups | None:
    """``axis_index_groups``, checked: they must divide the devices of the axes among them, evenly."""
    groups: Groups | None = call.params.get("axis_index_groups")
    if groups is None:
        return None
    flat = sorted(index for group in groups for index in group)
    if flat != list(range(members)) or len({len(group) for group in groups}) != 1:
        raise Malformed(f"{call.equation.primitive} over groups that do not share out the devices", call.equation)
    return groups


def grouped(call: Call, mesh: MeshFrame, x: np.ndarray) -> tuple[np.ndarray, tuple[str, ...], Groups | None]:
    """(groups, members, *shape), with axis_index_groups as groups of their own."""
    names = tuple(name for name in axis_names(call) if isinstance(name, str))
    grid = to_groups(x, mesh, names)
    groups = groups_of(call, grid.shape[1])
    if groups is not None:
        order = np.array(groups)
        grid = grid[:, order].reshape((grid.shape[0] * order.shape[0], order.shape[1], *x.shape[1:]))
    return grid, names, groups


def ungrouped(call: Call, mesh: MeshFrame, grid: np.ndarray, names: Sequence[str], groups: Groups | None) -> np.ndarray:
    """The way back from `grouped`."""
    if groups is not None:
        order = np.array(groups).reshape(-1)
        flat = grid.reshape((grid.shape[0] * grid.shape[1] // order.size, order.size, *grid.shape[2:]))
        grid = np.empty_like(flat)
        grid[:, order] = flat
    return from_groups(grid, mesh, names)


def all_reduce(reduce: Callable[[np.ndarray], np.ndarray], positional: Callable[..., np.ndarray]) -> CollectiveRule:
    """psum, pmax, pmin: every device of a group gets the same combination of all."""

    def rule(call: Call, mesh: MeshFrame, *arrays: np.ndarray) -> list[np.ndarray]:
        found = []
        for x in arrays:
            axes = tuple(axis + 1 for axis in axis_names(call) if isinstance(axis, int))
            if axes:
                x = positional(x, axes)
            grid, names, groups = grouped(call, mesh, x)
            total = np.broadcast_to(reduce(grid)[:, None], grid.shape)
            found.append(ungrouped(call, mesh, total, names, groups))
        return found

    return rule


def _sum(grid: np.ndarray) -> np.ndarray:
    """Device after device, as XLA adds; bfloat16 and narrower in float32, rounded once."""
    kind = grid.dtype
    if kind.kind == "V":
        return _sum(grid.astype(np.float32)).astype(kind)
    if kind.kind in "fc" and grid.size == grid.shape[0] * grid.shape[1]:  # scalars: NumPy would add in pairs
        total = grid[:, 0]
        for member in range(1, grid.shape[1]):
            total = total + grid[:, member]
        return total
    result: np.ndarray = np.add.reduce(grid, axis=1, dtype=kind)
    return result


def _fold(choose: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    def reduce(grid: np.ndarray) -> np.ndarray:
        found = grid[:, 0]
        for member in range(1, grid.shape[1]):
            found = choose(found, grid[:, member])
        return found

    return reduce


def _positional_sum(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    result: np.ndarray = np.add.reduce(x, axis=axes, dtype=x.dtype)
    return result


def _positional_max(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    result: np.ndarray = np.maximum.reduce(x, axis=axes)
    return result


def _positional_min(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    result: np.ndarray = np.minimum.reduce(x, axis=axes)
    return result


def all_gather(call: Call, mesh: MeshFrame, x: np.ndarray) -> np.ndarray:
    """Every device gets the group's arrays stacked (or, tiled, joined) along a dimension."""
    grid, names, groups = grouped(call, mesh, x)
    axis, tiled = call.params["all_gather_dimension"], call.params["tiled"]
    count, members, shape = grid.shape[0], grid.shape[1], grid.shape[2:]
    if tiled:
        full = (*shape[:axis], members * shape[axis], *shape[axis + 1 :])
    else:
        full = (*shape[:axis], members, *shape[axis:])
    if not 0 <= axis <= len(shape) - bool(tiled) or full != call.result.shape:
        raise Malformed(f"all_gather declares {call.result.shape}, but gives {full}", call.equation)
    joined = np.moveaxis(grid, 1, 1 + axis).reshape((count, 1, *full))
    return ungrouped(call, mesh, np.broadcast_to(joined, (count, members, *full)), names, groups)


def reduce_scatter(call: Call, mesh: MeshFrame, x: np.ndarray) -> np.ndarray:
    """The group's sum, dealt along a dimension: member i gets the i-th part."""
    grid, names, groups = grouped(call, mesh, x)
    axis, tiled = call.params["scatter_dimension"], call.params["tiled"]
    return ungrouped(call, mesh, _deal(call, _sum(grid)[:, None], axis, grid.shape[1], tiled)[:, 0], names, groups)


def _deal(call: Call, grid: np.ndarray, axis: int, members: int, tiled: bool) -> np.ndarray:
    """(groups, n, *shape) -> (groups, n, members, *part): dimension ``axis`` in ``members`` parts."""
    shape = grid.shape[2:]
    if not 0 <= axis < len(shape) or shape[axis] % members or (not tiled and shape[axis] != members):
        raise Malformed(f"{call.equation.primitive} of a dimension that its devices cannot share", call.equation)
    part = shape[axis] // members
    parts = grid.reshape((*grid.shape[:2], *shape[:axis], members, part, *shape[axis + 1 :]))
    parts = np.moveaxis(parts, 2 + axis, 2)
    if not tiled:
        parts = parts.reshape((*parts.shape[:3], *shape[:axis], *shape[axis + 1 :]))
    return parts


def all_to_all(call: Call, mesh: MeshFrame, x: np.ndarray) -> np.ndarray:
    """Member i sends its j-th part along split_axis to member j, which joins what it gets along concat_axis.

    The same whether tiled or not: JAX adds and takes away dimensions of 1 around the equation.
    """
    grid, names, groups = grouped(call, mesh, x)
    split, concat = call.params["split_axis"], call.params["concat_axis"]
    members = grid.shape[1]
    sent = np.swapaxes(_deal(call, grid, split, members, True), 1, 2)  # (groups, receiver, sender, *part)
    shape = sent.shape[3:]
    if not 0 <= concat < len(shape):
        raise Malformed("all_to_all along a dimension that its operand does not have", call.equation)
    full = (*shape[:concat], members * shape[concat], *shape[concat + 1 :])
    joined = np.moveaxis(sent, 2, 2 + concat).reshape((*sent.shape[:2], *full))
    return ungrouped(call, mesh, joined, names, groups)


def ppermute(call: Call, mesh: MeshFrame, *arrays: np.ndarray) -> list[np.ndarray]:
    """Each source's array at its destination; a device that is no destination gets zeros."""
    found = []
    for x in arrays:
        grid, names, _ = grouped(call, mesh, x)
        perm = [(int(source), int(target)) for source, target in call.params["perm"]]
        members = grid.shape[1]
        sources, targets = [source for source, _ in perm], [target for _, target in perm]
        if len(set(targets)) != len(targets) or len(set(sources)) != len(sources):
            raise Malformed("ppermute with a source or a destination twice", call.equation)
        if not all(0 <= device < members for device in (*sources, *targets)):
            raise Malformed("ppermute with a device that the axis does not have", call.equation)
        moved = np.zeros_like(grid)
        moved[:, targets] = grid[:, sources]
        found.append(from_groups(moved, mesh, names))
    return found


def pbroadcast(call: Call, mesh: MeshFrame, *arrays: np.ndarray) -> list[np.ndarray]:
    """Every device of a group gets the array of member ``source``."""
    found = []
    for x in arrays:
        grid, names, groups = grouped(call, mesh, x)
        source = call.params["source"]
        if not 0 <= source < grid.shape[1]:
            raise Malformed("pbroadcast from a device that the axis does not have", call.equation)
        found.append(ungrouped(call, mesh, np.broadcast_to(grid[:, source : source + 1], grid.shape), names, groups))
    return found


def axis_index(call: Call, mesh: MeshFrame, *arrays: np.ndarray) -> np.ndarray:
    """(devices,): each device's place along the axes, once, for one example; the caller repeats it."""
    names = axis_names(call)
    places = _places(mesh, names)
    index = np.zeros(mesh.sizes, np.int32)
    for place in places:
        along = np.arange(mesh.sizes[place], dtype=np.int32)
        index = index * mesh.sizes[place] + along.reshape([-1 if k == place else 1 for k in range(len(mesh.sizes))])
    return np.broadcast_to(index, mesh.sizes).reshape(-1).astype(np.int32)


def pvary(call: Call, mesh: MeshFrame, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The same values; only what JAX knows about them changes."""
    return arrays


COLLECTIVES: dict[str, CollectiveRule] = {
    "psum": all_reduce(_sum, _positional_sum),
    "pmax": all_reduce(_fold(maximum), _positional_max),
    "pmin": all_reduce(_fold(minimum), _positional_min),
    "all_gather": all_gather,
    "reduce_scatter": reduce_scatter,
    "all_to_all": all_to_all,
    "ppermute": ppermute,
    "pbroadcast": pbroadcast,
    "axis_index": axis_index,
    "pvary": pvary,
}

COMMUNICATION = frozenset(COLLECTIVES) - {"axis_index", "pvary"}
"""Collectives that wait for the other devices of their group."""
