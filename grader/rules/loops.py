"""Rules that ask for a loop in the program, with the computation inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.program.calls import body_refs
from grader.program.types import BodyRef, Equation, Program
from grader.program.walk import Step, walk
from grader.rules.base import NoFacts, Shape, Violation

PRODUCTS = ("dot_general", "mul")


@dataclass(frozen=True)
class Scan(NoFacts):
    """A lax.scan over ``dimension``, of its size or one less, carries something from step to step."""

    dimension: str
    outputs: tuple[str, ...]
    id: str = "scan"

    @property
    def summary(self) -> str:
        size = self.dimension
        return f"a jax.lax.scan of length {size} or {size} - 1 carries the result from step to step"

    @property
    def remedy(self) -> str:
        return f"Write the recurrence as one step and run it with jax.lax.scan over {self.dimension}."

    def found(self, program: Program, shape: Shape) -> list[Step]:
        lengths = (shape[self.dimension], shape[self.dimension] - 1)
        return [
            each
            for each in walk(program)
            if each.primitive == "scan" and each.equation.params.get("length") in lengths and carries(program, each)
        ]

    def must_matter(self, program: Program, shape: Shape) -> Sequence[Equation]:
        return [each.equation for each in self.found(program, shape)]

    def check_program(self, program: Program, shape: Shape) -> Sequence[Violation] | None:
        if shape[self.dimension] <= 2:  # a loop of one step may be written without one
            return None
        if self.found(program, shape):
            return []
        scans = [each for each in walk(program) if each.primitive in ("scan", "while")]
        if not scans:
            return [Violation("No jax.lax.scan is on the way to the result.", self.remedy)]
        scan = scans[0]
        length = scan.equation.params.get("length")
        wanted = f"{self.dimension} = {shape[self.dimension]}"
        if scan.primitive == "while":
            message = "The loop is a `while`, whose number of steps is not known beforehand."
        elif length not in (shape[self.dimension], shape[self.dimension] - 1):
            message = f"The scan runs {length} steps at {wanted}."
        else:
            message = "The scan carries nothing from step to step: each step stands alone."
        return [Violation(message, self.remedy, scan.place)]

    def useless(self) -> Violation:
        return Violation("A scan is there, but the result is not made of what it computes.", self.remedy)


def carries(program: Program, scan: Step) -> bool:
    """Some floating-point carry is made anew from itself and from what the steps are given."""
    params = scan.equation.params
    reference, consts, carry = params.get("jaxpr"), params.get("num_consts"), params.get("num_carry")
    if not (isinstance(reference, BodyRef) and isinstance(consts, int) and isinstance(carry, int)):
        return False
    body = program.bodies[reference.index]
    for position in range(carry):
        if not body.inputs[consts + position].dtype.startswith(("float", "bfloat")):
            continue
        needs = needed(program, reference.index, position)
        given = {k for k in needs if not consts <= k < consts + carry}
        if consts + position in needs and given:
            return True
    return False


def needed(program: Program, index: int, output: int) -> set[int]:
    """The inputs of a body that one of its outputs is made of."""
    body = program.bodies[index]
    makers: list[Equation | None] = [None] * len(body.inputs)
    for equation in body.equations:
        makers.extend([equation] * len(equation.results))
    found: set[int] = set()
    waiting, seen = [body.outputs[output]], set()
    while waiting:
        value = waiting.pop()
        if value < 0 or value in seen:
            continue
        seen.add(value)
        maker = makers[value]
        if maker is None:
            found.add(value)
        else:
            waiting.extend(maker.operands)
    return found


@dataclass(frozen=True)
class LoopWithProducts(NoFacts):
    """A scan or while has products by an input of shape ``factor`` inside."""

    factor: tuple[str, ...]
    name: str
    outputs: tuple[str, ...]
    id: str = "loop"

    @property
    def summary(self) -> str:
        return (
            f"the iterations are a loop of JAX's (scan, fori_loop, while_loop) with the products by {self.name} in it"
        )

    @property
    def remedy(self) -> str:
        return (
            f"Write one iteration, with its products by {self.name}, as a function, and repeat it with "
            "jax.lax.fori_loop or jax.lax.scan."
        )

    def loops(self, program: Program, shape: Shape) -> list[Step]:
        sizes = sorted(shape[each] for each in self.factor)

        def has_product(step: Step) -> bool:
            for inner in body_refs(step.equation.params):
                for each in walk(program, inner):
                    if each.primitive in PRODUCTS and any(sorted(one.shape) == sizes for one in each.operands):
                        return True
            return False

        return [each for each in walk(program) if each.primitive in ("scan", "while") and has_product(each)]

    def must_matter(self, program: Program, shape: Shape) -> Sequence[Equation]:
        return [each.equation for each in self.loops(program, shape)]

    def check_program(self, program: Program, shape: Shape) -> Sequence[Violation] | None:
        if self.loops(program, shape):
            return []
        loops = [each for each in walk(program) if each.primitive in ("scan", "while")]
        if loops:
            return [Violation(f"The loop has no product by {self.name} inside.", self.remedy, loops[0].place)]
        return [Violation("No loop of JAX's is on the way to the results.", self.remedy)]

    def useless(self) -> Violation:
        return Violation("A loop is there, but the results are not made of what it computes.", self.remedy)
