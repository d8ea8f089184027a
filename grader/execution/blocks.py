"""How a global array is dealt to the devices of a mesh, and put together again.

Arrays have a leading lane axis: examples outside a shard_map body; examples × devices (row-major, the
mesh's axes in order) inside.
"""

from __future__ import annotations

import math

import numpy as np

from grader.execution.primitives import MeshFrame
from grader.program.types import Spec


def split_blocks(array: np.ndarray, spec: Spec, mesh: MeshFrame) -> np.ndarray:
    """(examples, *shape) -> (examples * devices, *block); axes that the spec leaves out hold copies."""
    examples, shape = array.shape[0], array.shape[1:]
    sizes = dict(zip(mesh.names, mesh.sizes, strict=True))
    devices = math.prod(mesh.sizes)
    if not any(spec.axes):
        return np.repeat(array, devices, axis=0)
    factored, block, where = _factor(shape, spec, sizes)
    grid = array.reshape((examples, *factored))
    front = [where[name] + 1 for name in mesh.names if name in where]
    rest = [axis for axis in range(1, grid.ndim) if axis not in front]
    grid = grid.transpose([0, *front, *rest])
    full = grid.reshape((examples, *(sizes[name] if name in where else 1 for name in mesh.names), *block))
    return np.broadcast_to(full, (examples, *mesh.sizes, *block)).reshape((examples * devices, *block))


def gather_blocks(array: np.ndarray, spec: Spec, mesh: MeshFrame) -> np.ndarray:
    """(examples * devices, *block) -> (examples, *shape); of equal places, the first device's is taken."""
    devices = math.prod(mesh.sizes)
    examples, block = array.shape[0] // devices, array.shape[1:]
    sizes = dict(zip(mesh.names, mesh.sizes, strict=True))
    grid = array.reshape((examples, *mesh.sizes, *block))
    named = {axis for axes in spec.axes for axis in axes}
    first = tuple(slice(None) if name in named else 0 for name in mesh.names)
    grid = grid[(slice(None), *first)]
    if not named:
        return grid
    shape = list(block)
    for dimension, axes in enumerate(spec.axes):
        shape[dimension] *= math.prod(sizes[axis] for axis in axes)
    factored, _, where = _factor(tuple(shape), spec, sizes)
    front = [where[name] + 1 for name in mesh.names if name in where]
    rest = [axis for axis in range(1, len(factored) + 1) if axis not in front]
    order = [0, *front, *rest]
    inverse = np.argsort(order)
    return grid.transpose(inverse).reshape((examples, *shape))


def _factor(
    shape: tuple[int, ...], spec: Spec, sizes: dict[str, int]
) -> tuple[tuple[int, ...], tuple[int, ...], dict[str, int]]:
    """Split each sharded dimension into its mesh axes and the block: (factored, block, position of each axis)."""
    factored: list[int] = []
    block: list[int] = []
    where: dict[str, int] = {}
    for dimension, size in enumerate(shape):
        axes = spec.axes[dimension] if dimension < len(spec.axes) else ()
        for axis in axes:
            where[axis] = len(factored)
            factored.append(sizes[axis])
        per_device = size // math.prod(sizes[axis] for axis in axes)
        factored.append(per_device)
        block.append(per_device)
    return tuple(factored), tuple(block), where
