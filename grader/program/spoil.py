"""A program with some values spoiled: to see on numbers whether the outputs are made of them.

Comes in: a program and some of its equations. Goes out: the program with each float32 result of theirs multiplied,
element by element, by numbers that are all different and all greater than one. What is zero stays zero: a value
that is added for show, and is nothing, shows as such.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

import msgspec
import numpy as np

from grader.program.types import Aval, Body, Constant, Equation, Program

DTYPE = "float32"


def spoiled(program: Program, equations: Collection[int]) -> Program:
    """``equations`` are the identities of equations of ``program``."""
    constants = list(program.constants)
    bodies = tuple([_body(each, equations, constants) for each in program.bodies])
    return Program(bodies, tuple(constants), program.returned)


def _body(body: Body, chosen: Collection[int], constants: list[Constant]) -> Body:
    if not any(id(each) in chosen for each in body.equations):
        return body
    numbers = list(range(len(body.inputs)))
    """For each value the number by which it is known from here on."""
    count = len(body.inputs)
    equations: list[Equation] = []
    for equation in body.equations:
        operands = tuple([numbers[k] if k >= 0 else k for k in equation.operands])
        equations.append(msgspec.structs.replace(equation, operands=operands))
        first = count
        count += len(equation.results)
        for position, aval in enumerate(equation.results):
            number = first + position
            if id(equation) in chosen and aval.dtype == DTYPE:
                equations.append(Equation("mul", (number, _factors(aval, constants)), (aval,), {}, equation.source))
                number = count
                count += 1
            numbers.append(number)
    return Body(body.inputs, tuple(equations), tuple([numbers[k] if k >= 0 else k for k in body.outputs]))


def _factors(aval: Aval, constants: list[Constant]) -> int:
    """The operand of a new constant."""
    size = prod(aval.shape)
    # Multiples of the golden ratio, modulo 1: no two alike, and no pattern that a transpose or a sum could undo.
    factors = (1.2 + np.arange(1, size + 1) * 0.6180339887 % 1.0).astype("<f4")
    constants.append(Constant(Aval(aval.shape, DTYPE), factors.tobytes()))
    return -len(constants)
