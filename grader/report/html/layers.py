"""Where the nodes of a graph go when it is drawn from top to bottom.

Comes in: nodes and edges. Goes out: a place for each node and a line of points for each edge. Nodes stand
in layers, every edge leads down; within a layer nodes stand near those they are joined to, so that few
edges cross. An edge over several layers goes through a gap kept free for it in each.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

NODE_WIDTH, NODE_HEIGHT = 132.0, 46.0
GAP, LAYER_GAP = 18.0, 34.0
LANE = 12.0
"""Width kept free for an edge that passes a layer."""
SWEEPS = 8

Point = tuple[float, float]
Edge = tuple[str, str]


@dataclass(frozen=True)
class Drawing:
    width: float
    height: float
    nodes: Mapping[str, Point]
    """The centre of each node."""
    edges: Mapping[Edge, Sequence[Point]]
    """From the source's lower side to the target's upper side."""


@dataclass
class _Graph:
    """Nodes and, for edges over several layers, the points that they pass (called by numbers)."""

    layers: list[list[str | int]]
    above: dict[str | int, list[str | int]] = field(default_factory=dict)
    below: dict[str | int, list[str | int]] = field(default_factory=dict)

    def join(self, upper: str | int, lower: str | int) -> None:
        self.below.setdefault(upper, []).append(lower)
        self.above.setdefault(lower, []).append(upper)


def draw(nodes: Sequence[str], edges: Iterable[Edge]) -> Drawing:
    """Edges that name no node, lead to their own source or close a cycle are left out."""
    joined = acyclic(nodes, edges)
    level = _levels(nodes, joined)
    graph = _Graph([[] for _ in range(max(level.values(), default=-1) + 1)])
    for node in nodes:
        graph.layers[level[node]].append(node)
    chains: dict[Edge, list[str | int]] = {}
    passing = 0
    for source, target in joined:
        chain: list[str | int] = [source]
        for between in range(level[source] + 1, level[target]):
            passing += 1
            graph.layers[between].append(passing)
            chain.append(passing)
        chain.append(target)
        for upper, lower in itertools.pairwise(chain):
            graph.join(upper, lower)
        chains[source, target] = chain
    _order(graph)
    across = _across(graph)
    return _drawn(graph, chains, across)


def acyclic(nodes: Sequence[str], edges: Iterable[Edge]) -> list[Edge]:
    """The edges, each once, without those that would close a cycle."""
    known = set(nodes)
    below: dict[str, set[str]] = {each: set() for each in nodes}
    kept = []
    for source, target in dict.fromkeys(edges):
        if source not in known or target not in known or source == target or _reaches(below, target, source):
            continue
        below[source].add(target)
        kept.append((source, target))
    return kept


def _reaches(below: Mapping[str, set[str]], start: str, end: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        if here == end:
            return True
        new = below[here] - seen
        seen |= new
        waiting += new
    return False


def _levels(nodes: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """Every node below all its sources; what has no sources as near to its targets as can be."""
    above: dict[str, list[str]] = {each: [] for each in nodes}
    below: dict[str, list[str]] = {each: [] for each in nodes}
    for source, target in edges:
        above[target].append(source)
        below[source].append(target)
    order = _sorted(nodes, above, below)
    level: dict[str, int] = {}
    for node in order:
        level[node] = max((level[each] + 1 for each in above[node]), default=0)
    for node in reversed(order):
        # What is made of one thing alone goes down with it, to where it is used.
        if below[node] and len(above[node]) <= 1:
            level[node] = min(level[each] for each in below[node]) - 1
    return level


def _sorted(nodes: Sequence[str], above: Mapping[str, list[str]], below: Mapping[str, list[str]]) -> list[str]:
    left = {each: len(above[each]) for each in nodes}
    ready = [each for each in nodes if not left[each]]
    order = []
    while ready:
        node = ready.pop(0)
        order.append(node)
        for each in below[node]:
            left[each] -= 1
            if not left[each]:
                ready.append(each)
    return order


def _order(graph: _Graph) -> None:
    """Sort each layer by where its neighbours stand, from above and from below in turn."""
    for sweep in range(SWEEPS):
        downward = sweep % 2 == 0
        neighbours = graph.above if downward else graph.below
        for layer in graph.layers if downward else reversed(graph.layers):
            place = {each: position for row in graph.layers for position, each in enumerate(row)}
            wish = {each: _mean([float(place[n]) for n in neighbours.get(each, [])], place[each]) for each in layer}
            layer.sort(key=lambda each, wish=wish: wish[each])  # type: ignore[misc]


def _across(graph: _Graph) -> dict[str | int, float]:
    """How far from the left everything stands: near its neighbours, with room between."""
    across: dict[str | int, float] = {}
    for layer in graph.layers:
        edge = 0.0
        for each in layer:
            across[each] = edge + _width(each) / 2
            edge += _width(each) + GAP
        middle = (edge - GAP) / 2
        for each in layer:
            across[each] -= middle
    for sweep in range(SWEEPS):
        for layer in graph.layers if sweep % 2 == 0 else reversed(graph.layers):
            joined = {each: graph.above.get(each, []) + graph.below.get(each, []) for each in layer}
            wish = [_mean([across[n] for n in joined[each]], across[each]) for each in layer]
            for each, place in zip(layer, _apart(layer, wish), strict=True):
                across[each] = place
    left = min((place - _width(each) / 2 for each, place in across.items()), default=0.0)
    return {each: place - left for each, place in across.items()}


def _apart(layer: Sequence[str | int], wish: Sequence[float]) -> list[float]:
    """Places in the layer's order and far enough apart, near those that are wished for."""
    rightward, leftward = list(wish), list(wish)
    for position in range(1, len(layer)):
        room = _room(layer[position - 1], layer[position])
        rightward[position] = max(rightward[position], rightward[position - 1] + room)
    for position in range(len(layer) - 2, -1, -1):
        room = _room(layer[position], layer[position + 1])
        leftward[position] = min(leftward[position], leftward[position + 1] - room)
    return [(right + left) / 2 for right, left in zip(rightward, leftward, strict=True)]


def _room(one: str | int, other: str | int) -> float:
    return (_width(one) + _width(other)) / 2 + GAP


def _width(each: str | int) -> float:
    return LANE if isinstance(each, int) else NODE_WIDTH


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _drawn(graph: _Graph, chains: Mapping[Edge, Sequence[str | int]], across: Mapping[str | int, float]) -> Drawing:
    down = {each: _down(position) for position, layer in enumerate(graph.layers) for each in layer}
    edges: dict[Edge, list[Point]] = {}
    for edge, (source, *passed, target) in chains.items():
        points = [(across[source], down[source] + NODE_HEIGHT / 2)]
        for each in passed:
            points += [(across[each], down[each] - NODE_HEIGHT / 2), (across[each], down[each] + NODE_HEIGHT / 2)]
        points.append((across[target], down[target] - NODE_HEIGHT / 2))
        edges[edge] = points
    return Drawing(
        width=max((across[each] + _width(each) / 2 for each in across), default=0.0),
        height=max(_down(len(graph.layers) - 1) + NODE_HEIGHT / 2, 0.0),
        nodes={each: (across[each], down[each]) for each in across if isinstance(each, str)},
        edges=edges,
    )


def _down(layer: int) -> float:
    return layer * (NODE_HEIGHT + LAYER_GAP) + NODE_HEIGHT / 2
