"""Rules about what a shard_map body receives, and what else becomes of arrays that are to stay split."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grader.analysis import labels as L
from grader.analysis.facts import BodyOperand, Facts, ShardMap, input_origins
from grader.execution.blocks import split_blocks
from grader.execution.primitives import MeshFrame
from grader.program.types import Sharding, Source, Spec
from grader.rules.base import Violation
from grader.rules.meshes import judged
from grader.rules.words import listing, shape_text, spec_text

Blocks = Mapping[str, tuple[str | None, ...]]
"""For each input, the mesh axis that each of its dimensions is split over (None: not split)."""


def as_spec(axes: Sequence[str | None], rename: Mapping[str, str] | None = None) -> Spec:
    """A PartitionSpec as data, axis names replaced by ``rename``, trailing None left out."""
    entries = [() if axis is None else ((rename or {}).get(axis, axis),) for axis in axes]
    while entries and not entries[-1]:
        entries.pop()
    return Spec(tuple(entries))


def leaves_split(sharding: Sharding, wanted: Spec, devices: int) -> bool:
    """An array laid out so has its ``wanted`` blocks on ``devices`` devices, as far as anything is asked for."""
    mesh, spec = sharding.mesh, sharding.spec
    if spec is None:
        return False
    if not any("*" in axes for axes in spec.axes):
        axes = {axis for axes in spec.axes for axis in axes}
        sizes = dict(zip(mesh.names, mesh.sizes, strict=True)) if mesh is not None else {}
        return spec == wanted and all(sizes.get(axis, devices) == devices for axis in axes)
    # What is not constrained is for the compiler to choose; the dimension that is split must be, or be split.
    given = [*spec.axes, *((),) * len(wanted.axes)]
    return all("*" in has or has == axes for axes, has in zip(wanted.axes, given, strict=False) if axes)


def wanted_blocks(facts: Facts, name: str, axes: Sequence[str | None], devices: int) -> np.ndarray:
    """The origins that each device's block of input ``name`` must hold: shape (devices, *block)."""
    spec = as_spec(["axis" if axis is not None else None for axis in axes])
    return dealt(facts.position(name), facts.inputs[name], spec, devices)


@functools.lru_cache(maxsize=64)
def dealt(position: int, shape: tuple[int, ...], spec: Spec, devices: int) -> np.ndarray:
    return split_blocks(input_origins(position, shape)[None], spec, MeshFrame(("axis",), (devices,)))


def holds_part_of(operand: BodyOperand, facts: Facts, name: str) -> bool:
    """Some element of the operand is a copy of an element of input ``name``."""
    first, past = facts.span(name)
    return bool(((operand.blocks >= first) & (operand.blocks < past)).any())


def repeated(operand: BodyOperand, facts: Facts, name: str) -> bool:
    """Some element of input ``name`` is given to more than one device."""
    first, past = facts.span(name)
    blocks = operand.blocks.reshape(len(operand.blocks), -1)
    inside = (blocks >= first) & (blocks < past)
    if not inside.any():
        return False
    devices, places = np.nonzero(inside)
    held = np.zeros((len(blocks), past - first), bool)
    held[devices, blocks[devices, places] - first] = True
    return bool((held.sum(axis=0) > 1).any())


def holds_all(operand: BodyOperand, own: np.ndarray, devices: int) -> bool:
    """Each device is given just ``own``, in its order."""
    blocks = operand.blocks[:devices].reshape(devices, -1)
    return blocks.shape[1] == own.size and bool((blocks == own).all())


@dataclass(frozen=True)
class BlockShapes:
    """One shard_map body receives each of ``blocks`` as its block, in device order, and all of ``whole``."""

    blocks: Blocks
    whole: tuple[str, ...] = ()
    devices: int = 8
    id: str = "block-shapes"

    @property
    def summary(self) -> str:
        return f"one shard_map body receives its block of {listing(list(self.blocks))}, in device order" + (
            f", and the whole {listing(list(self.whole))}" if self.whole else ""
        )

    def check(self, facts: Facts) -> Sequence[Violation] | None:
        bodies = judged(facts, self.devices, facts.received)
        if not bodies:
            return None if not facts.dead_meshes else [self.decoy(facts)]
        missing = [(self.missing(facts, each), each) for each in bodies]
        names, body = min(missing, key=lambda pair: len(pair[0]))
        return [self.violation(facts, name, body, bodies) for name in names]

    def decoy(self, facts: Facts) -> Violation:
        place = facts.dead_meshes[0][0]
        return Violation(
            "A shard_map is there, but no output is made of what it computes.",
            "Return what the shard_map body computes, and nothing that is computed beside it.",
            place,
        )

    def missing(self, facts: Facts, body: ShardMap) -> list[str]:
        absent = []
        for name, axes in self.blocks.items():
            wanted = wanted_blocks(facts, name, axes, self.devices)
            if not any(np.array_equal(each.blocks, wanted) for each in body.operands):
                absent.append(name)
        for name in self.whole:
            own = facts.input_origins(name).ravel()
            if any(holds_all(each, own, self.devices) for each in body.operands):
                continue
            for device in range(self.devices):
                given = [each.blocks[device].ravel() for each in body.operands]
                if not np.isin(own, np.concatenate([*given, np.zeros(1, np.int64)])).all():
                    absent.append(name)
                    break
        return absent

    def violation(self, facts: Facts, name: str, body: ShardMap, bodies: Sequence[ShardMap]) -> Violation:
        axis = body.mesh.names[0]
        if name in self.blocks:
            wanted = wanted_blocks(facts, name, self.blocks[name], self.devices)
            shape = shape_text(wanted.shape[1:])
            spec = spec_text(as_spec(self.blocks[name], {each: axis for each in self.blocks[name] if each}))
            remedy = f"Pass {name} itself to the shard_map, with {spec} as its in_spec: each device then gets {shape}."
        else:
            wanted = facts.input_origins(name)
            remedy = f"Pass the whole {name} to the shard_map, with P() as its in_spec, or close over it."
            shape = shape_text(wanted.shape)
        return Violation(self.found(facts, name, body, bodies, wanted), remedy, body.place)

    def found(self, facts: Facts, name: str, body: ShardMap, bodies: Sequence[ShardMap], wanted: np.ndarray) -> str:
        carriers = [each for each in body.operands if holds_part_of(each, facts, name)]
        block = shape_text(wanted.shape[1:]) if name in self.blocks else shape_text(wanted.shape)
        if not carriers:
            if any(each.labels & L.any_of(facts.position(name)) for each in body.operands):
                return f"The body receives something computed from {name}, not {name} itself."
            others = [each for each in bodies if any(holds_part_of(op, facts, name) for op in each.operands)]
            if others:
                return f"{name} goes to another shard_map: one body should receive all of it."
            return f"The body receives nothing of {name}."
        operand = carriers[0]
        got = operand.blocks.shape[1:]
        others_inside = [other for other in facts.inputs if other != name and holds_part_of(operand, facts, other)]
        if others_inside:
            return f"The body receives {name} in one array with {listing(others_inside)}."
        if name in self.whole:
            if any(operand.spec.axes):
                how = spec_text(operand.spec)
                return f"{name} is split over the devices by {how}: a device sees only {shape_text(got)} of it."
            return f"The body does not receive the whole {name} on every device."
        if not any(operand.spec.axes):
            return f"Every device receives the whole {name}, {shape_text(got)}, instead of its block {block}."
        if got != wanted.shape[1:]:
            return (
                f"Each device receives {shape_text(got)} of {name} (in_spec {spec_text(operand.spec)}); "
                f"its block should be {block}."
            )
        if not operand.copied:
            return f"The blocks of {name} that the body receives are not all {name}'s own values."
        return f"The blocks of {name} reach the devices in another order: device d should hold the d-th block."


@dataclass(frozen=True)
class StaysSplit:
    """``blocks`` are used nowhere but as those blocks: not whole, not outside, not moved between devices."""

    blocks: Blocks
    devices: int = 8
    id: str = "stays-split"
    once: bool = True
    """One body is to do everything; False: a second one may be given the same blocks, as differentiation makes it."""

    @property
    def axis(self) -> str:
        """The mesh axis that the blocks are split over."""
        return next(axis for axes in self.blocks.values() for axis in axes if axis is not None)

    @property
    def summary(self) -> str:
        return f"{listing(list(self.blocks))} are used only as the blocks that each device holds, and never moved"

    def check(self, facts: Facts) -> Sequence[Violation] | None:
        if not judged(facts, self.devices) and not facts.dead_meshes:
            return None
        return [
            *self.outside(facts),
            *self.whole_in_body(facts),
            *self.held_otherwise(facts),
            *self.moved(facts),
            *self.twice(facts),
        ]

    def names(self, facts: Facts, bits: np.uint64) -> list[str]:
        return [name for name in self.blocks if bits & L.any_of(facts.position(name))]

    def outside(self, facts: Facts) -> list[Violation]:
        found = []
        for body in judged(facts, self.devices):
            for operand in body.operands:
                names = [name for name in self.blocks if operand.computed & L.whole(facts.position(name))]
                if names:
                    found.append(
                        Violation(
                            f"The body is given something that is made from {listing(names)} outside of it.",
                            "Compute with the weights only inside the body, from the blocks that each device holds.",
                            body.place,
                        )
                    )
        for each in facts.computations:
            names = self.names(facts, each.labels)
            if names:
                found.append(
                    Violation(
                        f"{listing(names)} {'is' if len(names) == 1 else 'are'} used whole, outside the shard_map body "
                        f"(in `{each.primitive}`).",
                        "Compute with the weights only inside the body, from the blocks that each device holds.",
                        each.place,
                    )
                )
        return found[:3]

    def whole_in_body(self, facts: Facts) -> list[Violation]:
        found = []
        for body in judged(facts, self.devices):
            for operand in body.operands:
                names = [name for name in self.blocks if repeated(operand, facts, name)]
                if names:
                    axis = body.mesh.names[0]
                    specs = listing([spec_text(as_spec(self.blocks[name], {self.axis: axis})) for name in names])
                    found.append(
                        Violation(
                            f"More than one device is given the same part of {listing(names)}: the body receives "
                            f"{shape_text(operand.blocks.shape[1:])} under {spec_text(operand.spec)}.",
                            f"Pass {listing(names)} through in_specs, split by {specs}; an array used in the body from "
                            "outside it (a closure) is given whole to every device.",
                            body.place,
                        )
                    )
        return found

    def held_otherwise(self, facts: Facts) -> list[Violation]:
        found = []
        for each in facts.constraints:
            for name in self.blocks:
                own = facts.input_origins(name)
                if not each.labels & L.any_of(facts.position(name)):
                    continue
                mesh, spec = each.sharding.mesh, each.sharding.spec
                rename = {self.axis: mesh.names[0]} if mesh is not None and len(mesh.names) == 1 else {}
                wanted = as_spec(self.blocks[name], rename)
                if each.origins.shape == own.shape and leaves_split(each.sharding, wanted, self.devices):
                    continue
                how = spec_text(spec) if spec is not None else each.sharding.kind
                found.append(
                    Violation(
                        f"{name} is laid out as {how} outside the shard_map: a device then holds more than its block.",
                        f"Leave the layout of {name} to the shard_map's in_specs, or ask for "
                        f"{spec_text(as_spec(self.blocks[name], rename))}.",
                        each.place,
                    )
                )
        return found

    def moved(self, facts: Facts) -> list[Violation]:
        others = L.NONE
        for name in facts.inputs:
            if name not in self.blocks:
                others |= L.any_of(facts.position(name))
        found = []
        for each in facts.collectives:
            names = self.names(facts, each.labels)
            if names and not each.labels & others and (len(names) == 1 or not each.reduces):
                found.append(
                    Violation(
                        f"`{each.primitive}` moves {listing(names)} between the devices.",
                        "Keep each block on its device; only the partial products are to be added up, by a psum.",
                        each.place,
                    )
                )
        return found

    def twice(self, facts: Facts) -> list[Violation]:
        """A second shard_map that is given blocks which one body has already."""
        if not self.once:
            return []
        bodies = judged(facts, self.devices)
        users = {
            name: [body for body in bodies if any(holds_part_of(each, facts, name) for each in body.operands)]
            for name in self.blocks
        }
        complete = [body for body in bodies if all(body in users[name] for name in self.blocks)]
        if sum(any(body in users[name] for name in self.blocks) for body in bodies) < 2:
            return []
        kept = complete[-1] if complete else bodies[-1]
        found = []
        for body in bodies:
            names = [name for name in self.blocks if body is not kept and body in users[name]]
            if names:
                also: tuple[tuple[Source, str], ...] = ()
                if kept.place is not None:
                    also = ((kept.place, "and here"),)
                found.append(
                    Violation(
                        f"{listing(names)} {'is' if len(names) == 1 else 'are'} used in more than one shard_map.",
                        "Compute everything in one shard_map body.",
                        body.place,
                        also,
                    )
                )
        return found[:1]
