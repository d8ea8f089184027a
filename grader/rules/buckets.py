"""Rules about a jitted kernel that serves inputs of many lengths, padded to few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.program.digest import digest
from grader.program.types import Aval, BodyRef, Equation, Program
from grader.rules.base import NoFacts, Shape, Violation
from grader.rules.layouts import PASSING, maker, output_of
from grader.rules.words import shape_text


@dataclass(frozen=True)
class Kernel:
    """The jitted call that makes a result."""

    equation: Equation
    operands: tuple[Aval, ...]
    digest: str


def kernel(program: Program, result: str) -> Kernel | None:
    """The ``jit`` call of the main body that ``result`` comes out of as it is; None: there is none."""
    value = output_of(program, result)
    main = len(program.bodies) - 1
    while value is not None:
        made = maker(program, main, value) if value >= 0 else None
        if made is None:
            return None
        equation, position = made
        if equation.primitive in PASSING:
            value = equation.operands[position]
            continue
        if equation.primitive != "jit":
            return None
        reference = equation.params["jaxpr"]
        assert isinstance(reference, BodyRef)
        body = program.bodies[reference.index]
        own = Program(program.bodies[: reference.index + 1], program.constants, program.returned)
        return Kernel(equation, body.inputs, digest(own))
    return None


def shape_of(program: Program, result: str) -> tuple[int, ...] | None:
    """The shape of what is returned as ``result``."""
    value = output_of(program, result)
    if value is None:
        return None
    if value < 0:
        return program.constants[-value - 1].aval.shape
    main = program.main
    avals = [*main.inputs, *(each for equation in main.equations for each in equation.results)]
    return avals[value].shape


@dataclass(frozen=True)
class BucketShapes(NoFacts):
    """``result`` comes out of a jitted kernel that takes the array returned as ``padded``, and a scalar."""

    result: str
    padded: str
    columns: str
    id: str = "bucket-shapes"

    @property
    def summary(self) -> str:
        padded = f"the padded array (bucket, {self.columns})"
        return f"{self.result} comes out of a jitted kernel that gets {padded} and a scalar"

    @property
    def remedy(self) -> str:
        return (
            "Pad outside, then call one function under jax.jit with the padded array and the true length, and return "
            f"its {self.result}."
        )

    def check_program(self, program: Program, shape: Shape) -> Sequence[Violation] | None:
        found = kernel(program, self.result)
        if found is None:
            return [Violation(f"{self.result} does not come out of a jitted function.", self.remedy)]
        wanted = shape_of(program, self.padded)
        if wanted is None:
            return None
        place = found.equation.source
        shapes = [each.shape for each in found.operands]
        if wanted not in shapes:
            got = next((each for each in shapes if len(each) == 2), None)
            what = f"an array {shape_text(got)}" if got is not None else "no such array"
            message = f"The kernel that makes {self.result} gets {what}, not the padded one, {shape_text(wanted)}."
            return [Violation(message, self.remedy, place)]
        if () not in shapes:
            message = "The kernel does not get the true length: it cannot know which rows are padding."
            return [Violation(message, self.remedy, place)]
        return []


@dataclass(frozen=True)
class OneProgramPerBucket(NoFacts):
    """The kernel's program is the same for all lengths of one bucket."""

    result: str
    padded: str
    length: str
    id: str = "one-program-per-bucket"

    @property
    def summary(self) -> str:
        return f"the kernel's program is the same for every {self.length} of a bucket"

    def across(self, programs: Sequence[tuple[Shape, Program]]) -> Sequence[tuple[Violation, Shape]] | None:
        groups: dict[tuple[object, ...], list[tuple[Shape, Kernel]]] = {}
        for shape, program in programs:
            found, padded = kernel(program, self.result), shape_of(program, self.padded)
            if found is not None and padded:
                rest = tuple(sorted((name, size) for name, size in shape.items() if name != self.length))
                groups.setdefault((padded[0], *rest), []).append((shape, found))
        compared = [group for group in groups.values() if len(group) > 1]
        for group in compared:
            first_shape, first = group[0]
            for shape, other in group[1:]:
                if other.digest != first.digest:
                    return [(self.differs(first_shape, shape, other), shape)]
        return [] if compared else None

    def differs(self, one: Shape, other: Shape, found: Kernel) -> Violation:
        return Violation(
            f"The kernel's program at {self.length} = {other[self.length]} is not the one at {self.length} = "
            f"{one[self.length]}, though both are padded to the same length: it would be compiled again.",
            "Hand the true length to the kernel as an argument, so that it is traced, and let nothing in the kernel "
            "depend on it in Python.",
            found.equation.source,
        )
