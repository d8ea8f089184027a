"""What each device holds of the inputs and outputs, for the device picture.

In: what the data-flow analysis found in a program. Out: `grader.report.model.Devices`. An input is drawn as
the shard_map's body receives it, when that is the input itself in boxes; an output as it leaves the
shard_map, when it is that output unchanged. What is neither is left out of the picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from grader.analysis.facts import BodyResult, Facts, Result, ShardMap
from grader.execution.blocks import split_blocks
from grader.execution.primitives import MeshFrame
from grader.report.model import Block, Devices, Layout

MOST_DEVICES = 64
MOST_ELEMENTS = 1 << 20

Box = tuple[tuple[int, int], ...]


def holdings(facts: Facts) -> Devices | None:
    """At the shape of ``facts``; None when no shard_map that an output is made of was found."""
    bodies = [each for each in facts.received or facts.shard_maps if 0 < math.prod(each.mesh.sizes) <= MOST_DEVICES]
    if not bodies:
        return None
    most = max(bodies, key=lambda body: len(inputs_of(facts, body)))
    layouts = [*inputs_of(facts, most), *outputs_of(facts, bodies)]
    return Devices(mesh=dict(zip(most.mesh.names, most.mesh.sizes, strict=True)), arrays=tuple(layouts))


def inputs_of(facts: Facts, body: ShardMap) -> list[Layout]:
    """The inputs that a body receives as they are, in boxes."""
    layouts = []
    for name, shape in facts.inputs.items():
        own = facts.input_origins(name)
        if not 0 < own.size <= MOST_ELEMENTS:
            continue
        for operand in body.operands:
            boxes = [box(block, own) for block in operand.blocks]
            if boxes and all(each is not None for each in boxes):
                layouts.append(layout(name, "input", shape, (each for each in boxes if each is not None)))
                break
    return layouts


def box(block: np.ndarray, own: np.ndarray) -> Box | None:
    """Where in an input a device's block is from; None when it is not a box of it, in order."""
    first = int(own.min())
    if block.ndim != own.ndim or not block.size or not ((block >= first) & (block <= int(own.max()))).all():
        return None
    start = np.unravel_index(int(block.flat[0]) - first, own.shape)
    found = tuple((int(low), int(low) + size) for low, size in zip(start, block.shape, strict=True))
    part = own[tuple(slice(*pair) for pair in found)]
    return found if np.array_equal(part, block) else None


def outputs_of(facts: Facts, bodies: Iterable[ShardMap]) -> list[Layout]:
    layouts = []
    for name, result in facts.results.items():
        leaving = next((pair for body in bodies if (pair := left(result, body)) is not None), None)
        if leaving is not None:
            body, output = leaving
            places = np.arange(1, result.origins.size + 1).reshape(result.shape)
            frame = MeshFrame(body.mesh.names, body.mesh.sizes)
            boxes = [box(each, places) for each in split_blocks(places[None], output.spec, frame)]
            if all(each is not None for each in boxes):
                layouts.append(
                    layout(name, "output", result.shape, (each for each in boxes if each is not None), result.dtype)
                )
    return layouts


def left(result: Result, body: ShardMap) -> tuple[ShardMap, BodyResult] | None:
    """The body's output that ``result`` is."""
    if not 0 < result.origins.size <= MOST_ELEMENTS:
        return None
    for output in body.results:
        if output.shape == result.origins.shape and np.array_equal(output.origins(), result.origins):
            return body, output
    return None


def layout(name: str, role: str, shape: tuple[int, ...], boxes: Iterable[Box], dtype: str = "float32") -> Layout:
    blocks = tuple(Block(device=device, block=each) for device, each in enumerate(boxes))
    return Layout(name=name, role="input" if role == "input" else "output", shape=shape, dtype=dtype, blocks=blocks)
