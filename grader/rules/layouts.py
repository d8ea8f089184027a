"""Rules about how arrays are laid out over the devices without shard_map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grader.analysis.facts import Constraint, Facts
from grader.program.calls import INLINED
from grader.program.types import BodyRef, Container, Equation, Leaf, Program, Sharding, Source
from grader.program.walk import walk
from grader.rules.base import Indices, NoFacts, Shape, Violation
from grader.rules.blocks import as_spec
from grader.rules.words import listing, shape_text, spec_text

Axes = tuple[str | None, ...]
"""The mesh axis that each dimension is split over (None: not split)."""

COLLECTIVES = ("psum", "pmax", "pmin", "all_gather", "reduce_scatter", "all_to_all", "ppermute")
LAYOUTS = ("sharding_constraint", "reshard", "device_put")
PASSING = ("copy", "copy_p", "name", "optimization_barrier", "convert_element_type")


@dataclass(frozen=True)
class NamedMesh:
    """Every sharding on the way is over a mesh of these axes and sizes."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    id: str = "mesh"

    @property
    def summary(self) -> str:
        return f"shardings are over a mesh of sizes {shape_text(self.sizes)} with the axes {listing(self.quoted)}"

    @property
    def quoted(self) -> list[str]:
        return [f'"{each}"' for each in self.names]

    def check(self, facts: Facts) -> Sequence[Violation]:
        remedy = (
            f"Make the mesh with jax.make_mesh({self.sizes}, {self.names}, axis_types=(AxisType.Auto,) * "
            f"{len(self.names)})."
        )
        meshes = [(each.place, each.sharding.mesh) for each in facts.constraints if each.sharding.mesh is not None]
        meshes += [(each.place, each.mesh) for each in facts.shard_maps]
        if not meshes:
            return [Violation("Nothing is laid out over a mesh.", remedy)]
        for place, mesh in meshes:
            if mesh is not None and (mesh.names, mesh.sizes) != (self.names, self.sizes):
                axes = listing([f'"{each}"' for each in mesh.names]) or "none"
                return [
                    Violation(f"The mesh has the sizes {shape_text(mesh.sizes)} and the axes {axes}.", remedy, place)
                ]
        return []


@dataclass(frozen=True)
class InputsLaidOut:
    """Each of ``inputs`` is itself given a sharding with this spec."""

    inputs: tuple[tuple[str, Axes], ...]
    id: str = "inputs-sharding"

    @property
    def summary(self) -> str:
        return listing([f"{name} is laid out as {spec_text(as_spec(axes))}" for name, axes in self.inputs])

    def check(self, facts: Facts) -> Sequence[Violation]:
        found = []
        for name, axes in self.inputs:
            own = facts.input_origins(name)
            of_it = [each for each in facts.constraints if np.array_equal(each.origins, own)]
            if not any(each.sharding.spec == as_spec(axes) for each in of_it):
                found.append(self.violation(name, axes, of_it))
        return found

    def violation(self, name: str, axes: Axes, others: Sequence[Constraint]) -> Violation:
        wanted = spec_text(as_spec(axes))
        remedy = f"Lay {name} out with jax.lax.with_sharding_constraint({name}, NamedSharding(mesh, {wanted}))."
        if others:
            spec = others[0].sharding.spec
            how = spec_text(spec) if spec is not None else others[0].sharding.kind
            return Violation(f"{name} is laid out as {how}, not {wanted}.", remedy, others[0].place)
        return Violation(f"{name} is not given a sharding.", remedy)


@dataclass(frozen=True)
class ResultSharding(NoFacts):
    """``result`` leaves with this spec, and the devices really hold the blocks that it says."""

    result: str
    axes: Axes
    sizes: tuple[int, ...]
    """Into how many blocks each dimension is cut."""
    id: str = "result-sharding"

    @property
    def wanted(self) -> str:
        return spec_text(as_spec(self.axes))

    @property
    def summary(self) -> str:
        return f"{self.result} leaves laid out as {self.wanted}, and the devices hold those blocks"

    @property
    def remedy(self) -> str:
        return (
            "Return jax.lax.with_sharding_constraint(result, NamedSharding(mesh, "
            f"{self.wanted})), and do nothing to it afterwards."
        )

    def check_program(self, program: Program, shape: Shape) -> Sequence[Violation] | None:
        output = output_of(program, self.result)
        if output is None:
            return None
        found = layout(program, len(program.bodies) - 1, output)
        if found is None:
            if any(each.primitive == "reshard" for each in walk(program)):
                return None  # explicit axes: the type of the result says how it is laid out, and the real run shows it
            return [Violation(f"{self.result} is returned without a sharding of its own.", self.remedy)]
        sharding, place = found
        if sharding.spec == as_spec(self.axes):
            return []
        how = spec_text(sharding.spec) if sharding.spec is not None else f"a {sharding.kind}"
        return [Violation(f"{self.result} leaves as {how}, not {self.wanted}.", self.remedy, place)]

    def check_shards(self, output: str, whole: Sequence[int], held: Indices) -> Sequence[Violation] | None:
        if output != self.result:
            return None
        wanted = set()
        for place in np.ndindex(*self.sizes):
            size = [total // parts for total, parts in zip(whole, self.sizes, strict=True)]
            wanted.add(tuple((at * each, (at + 1) * each) for at, each in zip(place, size, strict=True)))
        if set(held) == wanted:
            return []
        largest = max(held, key=lambda index: np.prod([stop - start for start, stop in index]))
        block = shape_text([stop - start for start, stop in largest])
        one = shape_text([total // parts for total, parts in zip(whole, self.sizes, strict=True)])
        return [
            Violation(
                f"On real devices {self.result} {shape_text(whole)} comes out in blocks of {block}; each device should "
                f"hold one of {one}.",
                self.remedy,
            )
        ]


def output_of(program: Program, name: str) -> int | None:
    """The operand number that is returned alone, or under ``name``."""
    returned = program.returned
    if isinstance(returned, Leaf):
        return program.main.outputs[returned.output]
    if isinstance(returned, Container):
        for key, child in zip(returned.keys, returned.children, strict=True):
            if key == name and isinstance(child, Leaf):
                return program.main.outputs[child.output]
    return None


def layout(program: Program, body: int, value: int) -> tuple[Sharding, Source | None] | None:
    """The sharding that a value of a body was last given, looked for backwards; None: it was computed since."""
    while value >= 0:
        made = maker(program, body, value)
        if made is None:
            return None
        equation, position = made
        params = equation.params
        if equation.primitive in ("sharding_constraint", "reshard"):
            sharding = params.get("sharding")
            return (sharding, equation.source) if isinstance(sharding, Sharding) else None
        if equation.primitive == "device_put":
            shardings = params.get("shardings")
            if isinstance(shardings, tuple) and isinstance(shardings[position], Sharding):
                return shardings[position], equation.source  # type: ignore[return-value]
            value = equation.operands[position]
        elif equation.primitive in PASSING:
            value = equation.operands[position]
        elif equation.primitive in INLINED:
            outside = params.get("out_shardings")
            if isinstance(outside, tuple) and isinstance(outside[position], Sharding):
                return outside[position], equation.source  # type: ignore[return-value]
            inner = params["jaxpr"]
            assert isinstance(inner, BodyRef)
            found = program.bodies[inner.index].outputs[position]
            if found < 0 or found >= len(program.bodies[inner.index].inputs):
                deeper = layout(program, inner.index, found)
                return None if deeper is None else (deeper[0], deeper[1] or equation.source)
            value = equation.operands[found]
        else:
            given = params.get("out_sharding")
            return (given, equation.source) if isinstance(given, Sharding) else None
    return None


def maker(program: Program, body: int, value: int) -> tuple[Equation, int] | None:
    """The equation that makes a value, and which of its results it is; None for an input."""
    number = value - len(program.bodies[body].inputs)
    if number < 0:
        return None
    for equation in program.bodies[body].equations:
        if number < len(equation.results):
            return equation, number
        number -= len(equation.results)
    return None
