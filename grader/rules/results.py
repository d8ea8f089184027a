"""Rules about how results leave the shard_map body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from grader.analysis import labels as L
from grader.analysis.facts import BodyResult, Facts, ShardMap
from grader.program.types import Spec
from grader.rules.base import Violation
from grader.rules.blocks import as_spec, leaves_split
from grader.rules.meshes import judged
from grader.rules.words import listing, shape_text, spec_text


@dataclass(frozen=True)
class Replicated:
    """``result`` leaves the body under an out_spec that names no axis, and every device holds the same."""

    result: str
    devices: int = 8
    id: str = "replicated"
    further: tuple[str, ...] = ()
    """More results that the same is asked of."""

    @property
    def results(self) -> tuple[str, ...]:
        return (self.result, *self.further)

    @property
    def summary(self) -> str:
        leave = "leave" if self.further else "leaves"
        return (
            f"{listing(self.results)} {leave} the body under an out_spec that names no axis, the same on every device"
        )

    def check(self, facts: Facts) -> Sequence[Violation] | None:
        found = [replace(self, result=each, further=()).check_one(facts) for each in self.results]
        if all(each is None for each in found):
            return None
        return next((each for each in found if each), [])

    def check_one(self, facts: Facts) -> Sequence[Violation] | None:
        bodies = judged(facts, self.devices)
        if not bodies and not facts.dead_meshes:
            return None
        result = facts.results.get(self.result)
        if result is None or result.labels.size == 0:
            return None
        place = bodies[-1].place if bodies else result.place
        remedy = f"Return {self.result} under the out_spec P(), after the psum has made it equal on all devices."
        if (result.labels & L.SPLIT).any():
            return [Violation(f"{self.result} leaves the body split or stacked over the devices.", remedy, place)]
        if not (result.labels & (L.REDUCED | L.UNREDUCED)).any():
            return [Violation(f"{self.result} is not what the shard_map body returns.", remedy, result.place)]
        for body in bodies:
            if any(each.varies and not any(each.spec.axes) for each in body.results):
                return [self.unequal(body)]
        return []

    def unequal(self, body: ShardMap | None) -> Violation:
        return Violation(
            f"{self.result} leaves the body under an out_spec that says every device holds the same, but the devices "
            "hold different values.",
            "Do on every device what is done to the psum's result, and let nothing that differs between devices into "
            f"{self.result}.",
            body.place if body is not None else None,
        )


@dataclass(frozen=True)
class OwnBlocks:
    """``result`` is the body's own output under ``spec``, computed without communication."""

    result: str
    spec: tuple[str | None, ...]
    devices: int = 8
    id: str = "own-blocks"

    @property
    def summary(self) -> str:
        return (
            f"{self.result} is the shard_map's own output under {spec_text(as_spec(self.spec))}, computed by each "
            "device from its own block"
        )

    def check(self, facts: Facts) -> Sequence[Violation] | None:
        bodies = judged(facts, self.devices)
        if not bodies and not facts.dead_meshes:
            return None
        result = facts.results.get(self.result)
        if result is None or result.origins.size == 0:
            return None
        source = self.source(bodies, result.origins)
        if source is None:
            return [self.not_the_output(facts, bodies)]
        body, output = source
        axis = body.mesh.names[0]
        wanted, remedy = self.wanted(axis), self.remedy(axis)
        if output.spec != wanted:
            how = spec_text(output.spec)
            return [
                Violation(f"{self.result} leaves the body under {how}, not {spec_text(wanted)}.", remedy, body.place)
            ]
        if any(each.labels & L.UNREDUCED for each in body.operands):
            return [
                Violation(
                    f"{self.result} leaves the body and goes through a second shard_map.",
                    f"Compute {self.result} in one body, and return that output unchanged.",
                    body.place,
                )
            ]
        if output.labels & L.MOVED:
            moves = [each for each in facts.collectives if each.primitive != "psum"] or list(facts.collectives)
            place = moves[0].place if moves else body.place
            return [
                Violation(
                    f"{self.result} is made of what other devices hold: it went through "
                    f"{'`' + moves[0].primitive + '`' if moves else 'a collective'} before it left the body.",
                    remedy,
                    place,
                )
            ]
        for each in facts.constraints:
            if np.isin(each.origins, output.origins()).any():
                mesh, spec = each.sharding.mesh, each.sharding.spec
                same = self.wanted(mesh.names[0] if mesh is not None and len(mesh.names) == 1 else axis)
                if each.origins.shape == result.shape and leaves_split(each.sharding, same, self.devices):
                    continue
                how = spec_text(spec) if spec is not None else each.sharding.kind
                return [Violation(f"{self.result} is laid out as {how} after the shard_map.", remedy, each.place)]
        return []

    def wanted(self, axis: str) -> Spec:
        return as_spec(self.spec, {name: axis for name in self.spec if name is not None})

    def remedy(self, axis: str) -> str:
        return (
            f"Return {self.result} from the body as each device computed it, under the out_spec "
            f"{spec_text(self.wanted(axis))}, and return that output unchanged."
        )

    def source(self, bodies: Sequence[ShardMap], origins: np.ndarray) -> tuple[ShardMap, BodyResult] | None:
        for body in bodies:
            for output in body.results:
                if output.shape == origins.shape and np.array_equal(output.origins(), origins):
                    return body, output
        return None

    def not_the_output(self, facts: Facts, bodies: Sequence[ShardMap]) -> Violation:
        result = facts.results[self.result]
        if (result.origins != 0).all():
            message = f"{self.result}, {shape_text(result.shape)}, is put together outside from what the body returned."
        else:
            message = f"{self.result} is computed outside the shard_map body."
        place = result.place or (bodies[-1].place if bodies else None)
        axis = bodies[-1].mesh.names[0] if bodies else next(name for name in self.spec if name is not None)
        return Violation(message, self.remedy(axis), place)
