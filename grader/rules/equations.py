"""Rules about which equations a program is written with, and which values stand in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grader.program.types import Equation, Program
from grader.program.walk import Step, walk
from grader.rules.base import NoFacts, Shape, Violation
from grader.rules.words import shape_text

LOOPS = ("scan", "while")
FACTORISATIONS = ("svd", "eigh", "eig", "qr", "lu", "cholesky", "schur", "hessenberg", "tridiagonal",
                  "householder_product", "geqrf", "geqp3", "symmetric_product")  # fmt: skip


@dataclass(frozen=True)
class Forbids(NoFacts):
    """None of ``primitives`` is on the way to the outputs."""

    primitives: tuple[str, ...]
    what: str
    """What they are, as in "no loop"."""
    remedy: str
    id: str = "forbids"

    @property
    def summary(self) -> str:
        return f"no {self.what} is on the way to the outputs"

    def check_program(self, program: Program, shape: Shape) -> Sequence[Violation] | None:
        found = [each for each in walk(program) if each.primitive in self.primitives]
        return [
            Violation(
                f"There is a `{each.primitive}` on the way to the result, where no {self.what} may be.",
                self.remedy,
                each.place,
            )
            for each in found[:1]
        ]


@dataclass(frozen=True)
class LargestValue(NoFacts):
    """No value whose number of elements is a multiple of the product of ``dimensions``.

    The problem chooses its sizes so that no other value has so many.
    """

    dimensions: tuple[str, ...]
    what: str
    remedy: str
    id: str = "largest-value"

    @property
    def summary(self) -> str:
        return f"no value on the way has {' × '.join(self.dimensions)} elements ({self.what})"

    def check_program(self, program: Program, shape: Shape) -> Sequence[Violation] | None:
        most = math.prod(shape[each] for each in self.dimensions)
        for step in walk(program):
            for result in step.equation.results:
                elements = math.prod(result.shape)
                if elements and elements % most == 0:
                    return [
                        Violation(
                            f"`{step.primitive}` makes an array of shape {shape_text(result.shape)}: {self.what}.",
                            self.remedy,
                            step.place,
                        )
                    ]
        return []


@dataclass(frozen=True)
class CustomVjp(NoFacts):
    """``result`` is made by a function with a custom_vjp."""

    result: str
    id: str = "custom-vjp"

    @property
    def outputs(self) -> tuple[str, ...]:
        return (self.result,)

    @property
    def summary(self) -> str:
        return f"{self.result} is computed by a function with a jax.custom_vjp"

    @property
    def remedy(self) -> str:
        return "Decorate a function with jax.custom_vjp, give it its rules with defvjp, and call it."

    def must_matter(self, program: Program, shape: Shape) -> Sequence[Equation]:
        return [each.equation for each in walk(program) if each.primitive == "custom_vjp_call"]

    def check_program(self, program: Program, shape: Shape) -> Sequence[Violation] | None:
        if self.must_matter(program, shape):
            return []
        return [Violation(f"No jax.custom_vjp function is called on the way to {self.result}.", self.remedy)]

    def useless(self) -> Violation:
        return Violation(
            f"A custom_vjp function is called, but {self.result} is not made of what it returns.", self.remedy
        )


@dataclass(frozen=True)
class BatchedProducts(NoFacts):
    """At least ``least`` dot_generals run over the dimension ``batch`` as a batch dimension."""

    batch: str
    outputs: tuple[str, ...]
    least: int = 2
    id: str = "batched-products"

    @property
    def summary(self) -> str:
        return f"the {self.least} products run over {self.batch} as a batch dimension (dot_general's)"

    @property
    def remedy(self) -> str:
        return (
            f'Multiply all {self.batch} entries at once: jnp.einsum("bte,bse->bts", ...), a matmul of three-'
            "dimensional arrays, or jax.vmap over a function for one entry."
        )

    def batched(self, program: Program, size: int) -> list[Step]:
        found = []
        for each in walk(program):
            if each.primitive == "dot_general":
                numbers: Any = each.equation.params["dimension_numbers"]
                if any(each.operands[0].shape[axis] == size for axis in numbers[1][0]):
                    found.append(each)
        return found

    def must_matter(self, program: Program, shape: Shape) -> Sequence[Equation]:
        return [each.equation for each in self.batched(program, shape[self.batch])]

    def check_program(self, program: Program, shape: Shape) -> Sequence[Violation] | None:
        if shape[self.batch] == 1:  # a batch of one may be squeezed away
            return None
        found = self.batched(program, shape[self.batch])
        if len(found) >= self.least:
            return []
        places = [each.place for each in walk(program) if each.primitive in ("dot_general", "reduce_sum")]
        return [
            Violation(
                f"{len(found) or 'No'} product{'s' if len(found) != 1 else ''} of the {self.least} "
                f"{'has' if len(found) == 1 else 'have'} a batch dimension.",
                self.remedy,
                places[0] if places else None,
            )
        ]

    def useless(self) -> Violation:
        return Violation("Batched products are there, but the result is not made of them.", self.remedy)
