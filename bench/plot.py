"""Growth as a picture: an SVG with one panel for each thing that grows, both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from bench.growth import Point

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 430, 250, 62, 46, 40, 62
TIME, MEMORY, INK, GRID = "#0b57b0", "#8a4700", "#55606c", "#d5d9df"


def svg(panels: Mapping[str, Sequence[Point]], labels: Mapping[str, str]) -> str:
    columns = 2
    rows = math.ceil(len(panels) / columns)
    width, height = columns * WIDTH, rows * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="{INK}">',
        "<title>Growth of time and memory</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (what, points) in enumerate(panels.items()):
        x, y = number % columns * WIDTH, number // columns * HEIGHT
        parts.append(f'<g transform="translate({x} {y})">{panel(points, labels[what])}</g>')
    return "\n".join([*parts, "</svg>\n"])


def panel(points: Sequence[Point], label: str) -> str:
    sizes = [each.size for each in points]
    across = Axis(min(sizes), max(sizes), LEFT, WIDTH - RIGHT)
    seconds = [each.seconds for each in points]
    mebibytes = [each.memory / 2**20 for each in points]
    up = Axis(min(seconds), max(seconds), HEIGHT - BOTTOM, TOP)
    more = Axis(min(mebibytes), max(mebibytes), HEIGHT - BOTTOM, TOP)
    parts = [f'<text x="{LEFT}" y="18" font-weight="600">{escape(label)}</text>']
    parts.append(f'<text x="{LEFT}" y="34" fill="{TIME}">● seconds (left)</text>')
    parts.append(f'<text x="{WIDTH - RIGHT}" y="34" text-anchor="end" fill="{MEMORY}">■ peak MiB (right)</text>')
    for size in sizes:
        at = across.at(size)
        parts.append(f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{HEIGHT - BOTTOM}" stroke="{GRID}"/>')
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{size:,}</text>')
    for axis, values, x, anchor, color in (
        (up, seconds, LEFT - 6, "end", TIME),
        (more, mebibytes, WIDTH - RIGHT + 6, "start", MEMORY),
    ):
        for value in axis.marks(values):
            text = f"{value:,.3g}"
            parts.append(
                f'<text x="{x}" y="{axis.at(value) + 4:.1f}" text-anchor="{anchor}" fill="{color}">{text}</text>'
            )
    for axis, values, color, mark in ((up, seconds, TIME, circle), (more, mebibytes, MEMORY, square)):
        places = [(across.at(size), axis.at(value)) for size, value in zip(sizes, values, strict=True)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts += [mark(x, y, color) for x, y in places]
    return "".join(parts)


def circle(x: float, y: float, color: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>'


def square(x: float, y: float, color: str) -> str:
    return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" fill="{color}"/>'


class Axis:
    """Values to places, logarithmically; at least a factor of ten is shown, so that noise looks like noise."""

    def __init__(self, least: float, most: float, start: float, end: float) -> None:
        middle = math.log10(max(least, 1e-9) * max(most, 1e-9)) / 2
        half = max(math.log10(max(most, 1e-9) / max(least, 1e-9)) / 2, 0.5)
        self.low, self.high = middle - half, middle + half
        self.start, self.end = start, end

    def at(self, value: float) -> float:
        share = (math.log10(max(value, 1e-9)) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def marks(self, values: Sequence[float]) -> list[float]:
        """The values to write beside the axis: those that do not run into each other."""
        shown: list[float] = []
        for value in sorted(values, reverse=True):
            if all(abs(self.at(value) - self.at(each)) > 14 for each in shown):
                shown.append(value)
        return shown
