"""How arrays lie on the devices, in terms that every picture of it shares.

Comes in: a report. Goes out: the arrays to draw, and what to say of each in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.report.model import Block, Held, Layout, Report, RunOutput, RunReport

MOST_ARRAYS = 24
MOST_DEVICES = 64
PLAIN_DEVICES = 8
"""How many devices there are where a report does not say."""

Slices = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Region:
    """A part of an array, and the devices that hold it."""

    block: Slices
    devices: tuple[int, ...]


def mesh(report: Report | RunReport) -> dict[str, int]:
    """The mesh's axes and sizes; empty when the report does not say."""
    return {} if report.devices is None else report.devices.mesh


def arrays(report: Report | RunReport) -> tuple[Layout, ...]:
    """The arrays to draw: inputs first. What a run returned tells itself where it lies."""
    declared = () if report.devices is None else report.devices.arrays
    if isinstance(report, RunReport):
        outputs = tuple(
            Layout(
                name=each.name,
                role="output",
                shape=each.shape,
                dtype=each.dtype,
                blocks=tuple(Block(device=held.device, block=held.block) for held in each.devices),
            )
            for each in report.outputs
            if each.devices
        )
        declared = (*(each for each in declared if each.role == "input"), *outputs)
    return declared[:MOST_ARRAYS]


def device_count(report: Report | RunReport) -> int:
    """How many devices to draw."""
    sizes = mesh(report).values()
    held = [each.device + 1 for layout in arrays(report) for each in layout.blocks]
    count = max([math.prod(sizes) if sizes else 0, *held], default=0) or PLAIN_DEVICES
    return max(1, min(count, MOST_DEVICES))


def regions(layout: Layout) -> list[Region]:
    """The parts of an array that devices hold, each with its holders; parts that fit no such array are left out."""
    holders: dict[Slices, list[int]] = {}
    for each in layout.blocks:
        if fits(each.block, layout.shape) and each.device not in holders.setdefault(each.block, []):
            holders[each.block].append(each.device)
    return [Region(block, tuple(devices)) for block, devices in holders.items()]


def fits(block: Slices, shape: Sequence[int]) -> bool:
    return len(block) == len(shape) and all(
        0 <= start <= stop <= size for (start, stop), size in zip(block, shape, strict=True)
    )


def is_whole(block: Slices, shape: Sequence[int]) -> bool:
    return fits(block, shape) and all(pair == (0, size) for pair, size in zip(block, shape, strict=True))


def split_axes(layout: Layout) -> list[int]:
    """The axes along which the devices' blocks differ."""
    blocks = [each.block for each in regions(layout)]
    return [axis for axis in range(len(layout.shape)) if len({block[axis] for block in blocks}) > 1]


def copies_differ(output: RunOutput) -> bool:
    """Devices that hold the same part of an output hold different values."""
    first: dict[Slices, Held] = {}
    return any(first.setdefault(each.block, each).value != each.value for each in output.devices)


def in_words(layout: Layout, devices: int) -> str:
    """A sentence on who holds what."""
    found = regions(layout)
    if not found:
        return "No device holds any of it."
    if len(found) == 1:
        holders = found[0].devices
        what = "the whole of it" if is_whole(found[0].block, layout.shape) else slices(found[0].block)
        if len(holders) == devices:
            return f"All {devices} devices hold {what}."
        return f"{device_names(holders)} {'holds' if len(holders) == 1 else 'hold'} {what}; the others hold nothing."
    axes = split_axes(layout)
    sizes = {tuple(stop - start for start, stop in each.block) for each in found}
    along = f"Split along {'axis' if len(axes) == 1 else 'axes'} {listed(map(str, axes))}"
    if len(sizes) > 1:
        return f"{along} into blocks of different sizes."
    whose = "each device holds" if all(len(each.devices) == 1 for each in found) else "the devices share"
    [size] = sizes
    return f"{along}: {whose} {'a block' if whose.startswith('each') else 'blocks'} of shape {shape(size)}."


def shape(sizes: Iterable[int]) -> str:
    """As Python writes a tuple: ``(2, 16)``, ``(16,)``."""
    return repr(tuple(sizes))


def slices(block: Slices) -> str:
    """As Python indexes: ``[0:2, 4:6]``; ``[]`` for what has no axes."""
    return "[" + ", ".join(f"{start}:{stop}" for start, stop in block) + "]"


def device_names(devices: Sequence[int]) -> str:
    """``Device 3``, ``Devices 0 to 7``, ``Devices 0, 2 and 4``."""
    if len(devices) == 1:
        return f"Device {devices[0]}"
    return f"Devices {short_names(devices, ' to ')}"


def short_names(devices: Sequence[int], to: str = "–") -> str:
    """``0–7`` for consecutive devices, else a list."""
    ordered = sorted(devices)
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{ordered[0]}{to}{ordered[-1]}"
    return listed(map(str, ordered))


def listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
