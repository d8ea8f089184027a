"""The program's way from its inputs to its outputs as a diagram.

Comes in: a flow and the anchors of the findings. Goes out: a section of the page. The drawing is one image;
the list below it says the same in words, with links to the findings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.report.html.layers import NODE_HEIGHT, NODE_WIDTH, Drawing, Edge, Point, draw
from grader.report.html.markup import NOTHING, Markup, join, tag
from grader.report.layout import listed
from grader.report.model import MOST_FLOW_EDGES, MOST_FLOW_NODES, Flow, FlowNode

MARGIN = 14.0
LABEL, DETAIL = 16, 21
"""Characters that fit into a node."""

KINDS = {
    "input": "an input",
    "split": "dealt out to the devices",
    "step": "a step",
    "psum": "added up over the devices",
    "move": "moved between devices",
    "output": "an output",
}


def section(flow: Flow | None, anchors: Mapping[str, str]) -> Markup:
    """Empty without a flow. ``anchors``: where on the page each finding is, by its id."""
    if flow is None or not flow.nodes:
        return NOTHING
    nodes = list({each.id: each for each in flow.nodes[:MOST_FLOW_NODES]}.values())
    edges = flow.edges[:MOST_FLOW_EDGES]
    drawing = draw([each.id for each in nodes], [(each.source, each.target) for each in edges])
    labels = {(each.source, each.target): each.label for each in edges if each.label}
    left_out = len(flow.nodes) > len(nodes) or len(flow.edges) > len(edges)
    note = "The program is larger than what is drawn here." if left_out else None
    scrolled = tag(
        "div", _svg(drawing, nodes, labels), class_="scroll", tabindex=0, role="region", aria_label="Diagram"
    )
    return tag(
        "section",
        tag("h2", "How the program flows", id="flow-title"),
        tag("p", note) if note else None,
        _legend(nodes),
        scrolled,
        tag("details", tag("summary", "The same in words"), _words(drawing, nodes, labels, anchors)),
        id="flow",
        aria_labelledby="flow-title",
    )


def _legend(nodes: Sequence[FlowNode]) -> Markup:
    kinds = {each.kind for each in nodes}
    shown = [kind for kind in KINDS if kind in kinds]
    items = [tag("li", tag("span", class_=f"key k-{each}"), KINDS[each]) for each in shown]
    if any(each.on_devices for each in nodes):
        items.append(tag("li", tag("span", class_="key k-devices"), "on each device"))
    if any(each.fault for each in nodes):
        items.append(tag("li", tag("span", "✗", class_="key k-fault"), "at fault"))
    return tag("ul", *items, class_="legend", aria_hidden="true")


def _svg(drawing: Drawing, nodes: Sequence[FlowNode], labels: Mapping[Edge, str]) -> Markup:
    faults = [each.label for each in nodes if each.fault]
    at_fault = f" At fault: {listed(faults)}." if faults else ""
    words = f"The program from its inputs to its outputs, {len(nodes)} steps.{at_fault} The same follows in words."
    width, height = drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN
    return tag(
        "svg",
        tag("defs", _arrow()),
        *(_edge(points, labels.get(edge)) for edge, points in drawing.edges.items()),
        *(_node(each, drawing.nodes[each.id]) for each in nodes),
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        role="img",
        aria_label=words,
        class_="flow",
    )


def _arrow() -> Markup:
    head = tag("path", d="M0 0L8 4L0 8z", class_="arrow-head")
    return tag(
        "marker", head, id="arrow", viewBox="0 0 8 8", refX=8, refY=4, markerWidth=8, markerHeight=8, orient="auto"
    )


def _edge(points: Sequence[Point], label: str | None) -> Markup:
    moved = [(x + MARGIN, y + MARGIN) for x, y in points]
    (x, y), *rest = moved
    path = f"M{x:.1f} {y:.1f}"
    for u, v in rest:
        middle = (y + v) / 2
        path += f"C{x:.1f} {middle:.1f} {u:.1f} {middle:.1f} {u:.1f} {v:.1f}"
        x, y = u, v
    drawn = tag("path", d=path, class_="edge", marker_end="url(#arrow)")
    if not label:
        return drawn
    (x, y), (u, v) = moved[0], moved[1]
    words = tag("text", _short(label, LABEL), x=(x + u) / 2 + 4, y=(y + v) / 2 + 4, class_="edge-label")
    return join([drawn, words])


def _node(node: FlowNode, centre: Point) -> Markup:
    x, y = centre[0] + MARGIN - NODE_WIDTH / 2, centre[1] + MARGIN - NODE_HEIGHT / 2
    round_ = NODE_HEIGHT / 2 if node.kind in ("input", "output") else 6
    box = {"width": NODE_WIDTH, "height": NODE_HEIGHT, "rx": round_}
    kind = f"node k-{node.kind}" + (" k-fault" if node.fault else "")
    middle = x + NODE_WIDTH / 2
    detail = node.detail or ("" if node.line is None else f"line {node.line}")
    return tag(
        "g",
        tag("title", _sentence(node)),
        *(
            tag("rect", x=x + step, y=y + step, class_="card", **box)
            for step in ((6.0, 3.0) if node.on_devices else ())
        ),
        tag("rect", x=x, y=y, class_=kind, **box),
        tag("text", _short(node.label, LABEL), x=middle, y=y + (20 if detail else 28), class_="node-label"),
        tag("text", _short(detail, DETAIL), x=middle, y=y + 36, class_="node-detail") if detail else None,
        join(
            [
                tag("circle", cx=x + NODE_WIDTH - 2, cy=y + 2, r=9, class_="fault-mark"),
                tag("text", "✗", x=x + NODE_WIDTH - 2, y=y + 6.5, class_="fault-sign"),
            ]
        )
        if node.fault
        else None,
    )


def _words(
    drawing: Drawing, nodes: Sequence[FlowNode], edges: Mapping[Edge, str], anchors: Mapping[str, str]
) -> Markup:
    """The steps from top to bottom, each with where it comes from."""
    labels = {each.id: each.label for each in nodes}
    above: dict[str, list[str]] = {}
    for source, target in drawing.edges:
        label = edges.get((source, target))
        above.setdefault(target, []).append(labels[source] + (f" ({label})" if label else ""))
    ordered = sorted(nodes, key=lambda each: drawing.nodes[each.id][::-1])
    items = []
    for each in ordered:
        made_of = f", made of {listed(above[each.id])}" if each.id in above else ""
        fault: Markup | None = None
        if each.fault:
            anchor = anchors.get(each.fault)
            named = tag("a", each.fault, href=f"#{anchor}") if anchor else tag("span", each.fault)
            fault = join([" At fault: ", named, "."])
        items.append(tag("li", tag("strong", each.label), f": {_about(each)}{made_of}.", fault))
    return tag("ol", *items)


def _about(node: FlowNode) -> str:
    parts = [KINDS[node.kind]]
    if node.on_devices:
        parts.append("on each device")
    if node.detail:
        parts.append(node.detail)
    if node.line is not None:
        parts.append(f"line {node.line}")
    return ", ".join(parts)


def _sentence(node: FlowNode) -> str:
    return f"{node.label}: {_about(node)}" + (f"; at fault: {node.fault}" if node.fault else "")


def _short(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"
