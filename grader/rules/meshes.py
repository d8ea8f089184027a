"""Rules about the mesh that shard_map runs over."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from grader.analysis.facts import Facts, ShardMap
from grader.program.types import Mesh
from grader.rules.base import Violation
from grader.rules.words import shape_text


@dataclass(frozen=True)
class OneAxisMesh:
    """Every shard_map runs over a mesh of one axis with this name and this many devices."""

    axis: str
    devices: int = 8
    id: str = "mesh"

    @property
    def summary(self) -> str:
        return f'shard_map runs over a mesh with one axis, "{self.axis}", of {self.devices} devices'

    def check(self, facts: Facts) -> Sequence[Violation]:
        found = [(each.place, each.mesh, each.pmap) for each in facts.shard_maps]
        if not found:
            found = [(place, mesh, False) for place, mesh in facts.dead_meshes]
        if not found:
            return [
                Violation(
                    "Nothing runs in a jax.shard_map: the whole computation happens on full arrays.",
                    f"Put the computation in a function and run it with jax.shard_map over a mesh of {self.devices} "
                    f'devices with one axis named "{self.axis}".',
                )
            ]
        violations = []
        for place, mesh, pmap in found:
            problem = self.problem(mesh, pmap)
            if problem is not None:
                violations.append(Violation(problem, self.remedy, place))
        return violations

    @property
    def remedy(self) -> str:
        return (
            f'Make the mesh with jax.make_mesh(({self.devices},), ("{self.axis}",), axis_types=(AxisType.Auto,)) and '
            "run jax.shard_map over it."
        )

    def problem(self, mesh: Mesh, pmap: bool) -> str | None:
        if pmap:
            return "This is jax.pmap, which splits a leading axis of stacked copies, not jax.shard_map over a mesh."
        devices = math.prod(mesh.sizes)
        if len(mesh.names) != 1:
            names = ", ".join(repr(name) for name in mesh.names)
            sizes = shape_text(mesh.sizes)
            return f"The mesh has {len(mesh.names)} axes, {names}, of sizes {sizes}; it should have one."
        if mesh.names[0] != self.axis and devices != self.devices:
            return (
                f'The mesh is one axis "{mesh.names[0]}" of {devices} devices; it should be "{self.axis}", of '
                f"{self.devices}."
            )
        if mesh.names[0] != self.axis:
            return f'The mesh axis is named "{mesh.names[0]}"; it should be named "{self.axis}".'
        if devices != self.devices:
            return f'The mesh axis "{self.axis}" has {devices} devices; it should have {self.devices}.'
        return None


def judged(facts: Facts, devices: int, among: Sequence[ShardMap] | None = None) -> list[ShardMap]:
    """The shard_maps whose bodies can be judged: over one axis of the right size, whatever its name."""
    bodies = facts.shard_maps if among is None else among
    return [each for each in bodies if each.mesh.sizes == (devices,) and not each.pmap]
