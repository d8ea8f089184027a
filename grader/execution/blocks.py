"""How a global array is dealt to the devices of a mesh, and put together again.

Arrays have a leading lane axis: examples outside a shard_map body; examples × devices (row-major, the
mesh's axes in order) inside.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from grader.execution.primitives import MeshFrame
from grader.program.types import Spec


def split_blocks(array: np.ndarray, spec: Spec, mesh: MeshFrame) -> np.ndarray:
    """(examples, *shape) -> (examples * devices, *block); axes that the spec leaves out hold copies."""
    examples, shape = array.shape[0], array.shape[1:]
    devices = math.prod(mesh.sizes)
    if not any(spec.axes):
        return array.repeat(devices, axis=0)
    factored, order, held, block = _dealing(shape, spec, mesh)
    grid = array.reshape((examples, *factored)).transpose(order)
    if held == mesh.sizes:
        return grid.reshape((examples * devices, *block))
    full = grid.reshape((examples, *held, *block))
    return np.broadcast_to(full, (examples, *mesh.sizes, *block)).reshape((examples * devices, *block))


@lru_cache(maxsize=512)
def _dealing(shape: tuple[int, ...], spec: Spec, mesh: MeshFrame) -> tuple[tuple[int, ...], ...]:
    """How a shape is cut: into which factors, in which order, the mesh's sizes (1: copies), the block."""
    sizes = dict(zip(mesh.names, mesh.sizes, strict=True))
    factored, block, where = _factor(shape, spec, sizes)
    front = [where[name] + 1 for name in mesh.names if name in where]
    rest = [axis for axis in range(1, len(factored) + 1) if axis not in front]
    held = tuple([size if name in where else 1 for name, size in zip(mesh.names, mesh.sizes, strict=True)])
    return factored, (0, *front, *rest), held, block


def gather_blocks(array: np.ndarray, spec: Spec, mesh: MeshFrame) -> np.ndarray:
    """(examples * devices, *block) -> (examples, *shape); of equal places, the first device's is taken."""
    devices = math.prod(mesh.sizes)
    examples, block = array.shape[0] // devices, array.shape[1:]
    grid = array.reshape((examples, *mesh.sizes, *block))
    named = {axis for axes in spec.axes for axis in axes}
    first = tuple(slice(None) if name in named else 0 for name in mesh.names)
    grid = grid[(slice(None), *first)]
    if not named:
        return grid
    shape, inverse = _gathering(block, spec, mesh)
    return grid.transpose(inverse).reshape((examples, *shape))


@lru_cache(maxsize=512)
def _gathering(block: tuple[int, ...], spec: Spec, mesh: MeshFrame) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape that blocks make, and in which order their axes come to it."""
    sizes = dict(zip(mesh.names, mesh.sizes, strict=True))
    shape = list(block)
    for dimension, axes in enumerate(spec.axes):
        shape[dimension] *= math.prod(sizes[axis] for axis in axes)
    _, order, _, _ = _dealing(tuple(shape), spec, mesh)
    return tuple(shape), tuple(np.argsort(order).tolist())


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
