"""The equations of a program, each with its place and the types of its operands.

Comes in: a program (pruned, so that all of it is on the way to the outputs). Goes out: `Step`s, the callers
before what they call; a body that is called more than once is walked once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.program.calls import body_refs
from grader.program.types import Aval, Equation, Program, Source


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One equation. ``place`` is its own in the submission, or that of the nearest call that has one."""

    equation: Equation
    operands: tuple[Aval, ...]
    place: Source | None
    body: int

    @property
    def primitive(self) -> str:
        return self.equation.primitive


def walk(program: Program, body: int | None = None) -> Iterator[Step]:
    """All steps of ``body`` (default: the main one) and of what it calls."""
    yield from _walk(program, len(program.bodies) - 1 if body is None else body, None, set())


def _walk(program: Program, index: int, caller: Source | None, done: set[int]) -> Iterator[Step]:
    if index in done:
        return
    done.add(index)
    body = program.bodies[index]
    avals = list(body.inputs)
    for equation in body.equations:
        operands = tuple([avals[k] if k >= 0 else program.constants[-k - 1].aval for k in equation.operands])
        avals.extend(equation.results)
        place = equation.source or caller
        yield Step(equation, operands, place, index)
        for inner in body_refs(equation.params):
            yield from _walk(program, inner, place, done)


def size(program: Program) -> int:
    """How many equations the program has when every call is written out; loops count once.

    (Calls that happen to have equal shapes share one body: counting bodies once would count less where sizes agree.)
    """
    sizes: list[int] = []
    for body in program.bodies:
        sizes.append(sum(1 + sum(sizes[k] for k in body_refs(each.params)) for each in body.equations))
    return sizes[-1]


def known_integer(program: Program, operand: int) -> int | None:
    """The value of an operand that is an integer constant of one element; None for any other."""
    if operand >= 0:
        return None
    constant = program.constants[-operand - 1]
    if constant.aval.shape or not constant.aval.dtype.startswith(("int", "uint")):
        return None
    return int.from_bytes(constant.data, "little", signed=constant.aval.dtype.startswith("int"))
