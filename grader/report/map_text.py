"""A map of an array for a terminal: a character an element, which is the number of the device that holds it.

Comes in: how an array lies on the devices. Goes out: rows of (text, style) parts; colour says the same as the
numbers. Elements on several devices are ``*``, those on none ``.``. A large array is drawn a block a character.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from grader.report.layout import Region, regions
from grader.report.model import Layout

Part = tuple[str, str]

MOST_ROWS, MOST_COLUMNS = 4, 32
"""Rows and columns up to which every element is drawn; beyond, each stretch that no block divides is one."""
MOST_STRETCHES = 32

STYLES = (
    "black on yellow",
    "black on cyan",
    "black on green",
    "black on bright_yellow",
    "white on blue",
    "black on bright_red",
    "black on magenta",
    "black on white",
)
_NUMBERS = "0123456789abcdefghijklmnopqrstuvwxyz"


def array_map(layout: Layout, devices: int) -> list[list[Part]]:
    """The map's rows; none for what has more than two axes or more blocks than can be drawn."""
    found = regions(layout)
    if len(layout.shape) > 2 or not found:
        return []
    rows, columns = [1, 1, *layout.shape][-2:]
    blocks = [[(0, 1), (0, 1), *each.block][-2:] for each in found]
    down = _samples(rows, MOST_ROWS, [pair for block in blocks for pair in block[:1]])
    across = _samples(columns, MOST_COLUMNS, [pair for block in blocks for pair in block[1:]])
    if len(down) > MOST_STRETCHES or len(across) > MOST_STRETCHES:
        return []
    return [_joined(_part(_holders(found, blocks, row, column), devices) for column in across) for row in down]


def chip(device: int) -> Part:
    return _NUMBERS[device % len(_NUMBERS)], STYLES[device % len(STYLES)]


def _samples(size: int, most: int, cuts: Iterable[tuple[int, int]]) -> list[int]:
    """An index for each row (or column) that is drawn."""
    if size <= most:
        return list(range(size))
    return sorted({0, *(start for start, _ in cuts), *(stop for _, stop in cuts)} - {size})


def _holders(found: Sequence[Region], blocks: Sequence[Sequence[tuple[int, int]]], row: int, column: int) -> set[int]:
    return {
        device
        for region, ((top, bottom), (left, right)) in zip(found, blocks, strict=True)
        if top <= row < bottom and left <= column < right
        for device in region.devices
    }


def _part(holders: set[int], devices: int) -> Part:
    if len(holders) == 1:
        return chip(next(iter(holders)))
    return ("*", "reverse") if holders and devices > 1 else (".", "dim")


def _joined(parts: Iterable[Part]) -> list[Part]:
    """Neighbours of one style as one part."""
    return [
        ("".join(text for text, _ in group), style) for style, group in itertools.groupby(parts, lambda each: each[1])
    ]
