"""Hypothesis strategy: valid programs of scalars whose bodies call each other in every way."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from grader.program.calls import body_refs
from grader.program.types import Aval, Body, BodyRef, Constant, Container, Equation, Leaf, Mesh, Program, Source, Spec

SCALAR = Aval((), "float32")
INDEX = Aval((), "int32")
STACK = Aval((2,), "float32")
MESH = Mesh(("model",), (2,), (0, 1))

CONSTANTS = (
    Constant(SCALAR, np.float32(0.5).tobytes()),
    Constant(SCALAR, np.float32(-0.25).tobytes()),
    Constant(INDEX, np.int32(1).tobytes()),
)
NUMBERS = (-1, -2)
ONE = -3


def _is_condition(body: Body) -> bool:
    return bool(body.equations) and body.equations[-1].primitive == "lt"


def _maps(bodies: list[Body], index: int) -> bool:
    """Whether there is a shard_map in it, however deep."""
    return any(
        each.primitive == "shard_map" or any(_maps(bodies, ref) for ref in body_refs(each.params))
        for each in bodies[index].equations
    )


class _Writer:
    """Writes one body; every value that others may use is a scalar."""

    def __init__(self, draw: Any, bodies: list[Body], inputs: int) -> None:
        self.draw, self.bodies = draw, bodies
        self.inputs = inputs
        self.scalars = list(range(inputs))
        self.count = inputs
        self.equations: list[Equation] = []

    def operand(self) -> int:
        return self.draw(st.sampled_from([*self.scalars, *NUMBERS]))

    def add(self, primitive: str, operands: tuple[int, ...], *results: Aval, **params: Any) -> list[int]:
        line = self.draw(st.integers(0, 9))
        self.equations.append(Equation(primitive, operands, results, params, Source(line, 0) if line else None))
        self.count += len(results)
        return list(range(self.count - len(results), self.count))

    def step(self) -> None:
        kind = self.draw(st.sampled_from(["neg", "add", "jit", "remat", "cond", "scan", "while", "shard_map"]))
        callable_bodies = [k for k, body in enumerate(self.bodies) if not _is_condition(body)]
        if kind == "shard_map":
            callable_bodies = [k for k in callable_bodies if not _maps(self.bodies, k)]
        if kind in ("neg", "add") or not callable_bodies:
            operands = (self.operand(),) if kind == "neg" else (self.operand(), self.operand())
            self.scalars += self.add("neg" if kind == "neg" else "add", operands, SCALAR)
            return
        index = self.draw(st.sampled_from(callable_bodies))
        getattr(self, f"write_{kind}")(index, self.bodies[index])

    def operands(self, count: int) -> tuple[int, ...]:
        return tuple([self.operand() for _ in range(count)])

    def write_jit(self, index: int, body: Body, primitive: str = "jit") -> None:
        results = [SCALAR] * len(body.outputs)
        params: dict[str, Any] = {"jaxpr": BodyRef(index)}
        if primitive == "jit":
            params |= {"in_shardings": (None,) * len(body.inputs), "name": "f"}
        self.scalars += self.add(primitive, self.operands(len(body.inputs)), *results, **params)

    def write_remat(self, index: int, body: Body) -> None:
        self.write_jit(index, body, "remat")

    def write_cond(self, index: int, body: Body) -> None:
        alike = [
            k
            for k, each in enumerate(self.bodies)
            if not _is_condition(each)
            and (len(each.inputs), len(each.outputs)) == (len(body.inputs), len(body.outputs))
        ]
        branches = (BodyRef(index), BodyRef(self.draw(st.sampled_from(alike))))
        operands = (ONE, *self.operands(len(body.inputs)))
        self.scalars += self.add("cond", operands, *[SCALAR] * len(body.outputs), branches=branches)

    def write_scan(self, index: int, body: Body) -> None:
        """The first outputs are carried, the last inputs too; the others are constants and stacked."""
        carry = self.draw(st.integers(0, min(len(body.inputs), len(body.outputs))))
        counts = {"num_consts": len(body.inputs) - carry, "num_carry": carry, "length": 2, "reverse": False}
        stacked = len(body.outputs) - carry
        results = self.add(
            "scan",
            self.operands(len(body.inputs)),
            *[SCALAR] * carry,
            *[STACK] * stacked,
            jaxpr=BodyRef(index),
            **counts,
        )
        self.scalars += results[:carry]
        for stack in results[carry:]:
            self.scalars += self.add("reduce_sum", (stack,), SCALAR, axes=(0,))

    def write_while(self, index: int, body: Body) -> None:
        """Twice the body, counted by a first carry of its own: that takes a body around the body."""
        carry = min(len(body.inputs), len(body.outputs))
        consts = len(body.inputs) - carry
        scalars = (SCALAR,) * (consts + carry)
        around = Body(
            (*scalars[:consts], SCALAR, *scalars[consts:]),
            (
                Equation("add", (consts, -1), (SCALAR,)),
                Equation(
                    "jit",
                    (*range(consts), *range(consts + 1, consts + 1 + carry)),
                    (SCALAR,) * len(body.outputs),
                    {"jaxpr": BodyRef(index)},
                ),
            ),
            (consts + carry + 1, *range(consts + carry + 2, consts + 2 * carry + 2)),
        )
        self.bodies.append(around)
        less = Body((SCALAR,) * (1 + carry), (Equation("lt", (0, -1), (Aval((), "bool"),)),), (1 + carry,))
        self.bodies.append(less)
        results = self.add(
            "while",
            (*self.operands(consts), -2, *self.operands(carry)),
            *[SCALAR] * (1 + carry),
            cond_jaxpr=BodyRef(len(self.bodies) - 1),
            body_jaxpr=BodyRef(len(self.bodies) - 2),
            cond_nconsts=0,
            body_nconsts=consts,
        )
        self.scalars += results

    def write_shard_map(self, index: int, body: Body) -> None:
        self.scalars += self.add(
            "shard_map",
            self.operands(len(body.inputs)),
            *[SCALAR] * len(body.outputs),
            jaxpr=BodyRef(index),
            mesh=MESH,
            in_specs=(Spec(()),) * len(body.inputs),
            out_specs=(Spec(()),) * len(body.outputs),
            check_vma=False,
            manual_axes=("model",),
            pmap=False,
        )

    def body(self, outputs: int) -> Body:
        return Body((SCALAR,) * self.inputs, tuple(self.equations), tuple([self.operand() for _ in range(outputs)]))


@st.composite
def programs(draw: Any) -> Program:
    """No shard_map stands inside another: one axis cannot be split twice."""
    bodies: list[Body] = []
    for _ in range(draw(st.integers(1, 4))):
        writer = _Writer(draw, bodies, draw(st.integers(0, 3)))
        for _ in range(draw(st.integers(0, 5))):
            writer.step()
        bodies.append(writer.body(draw(st.integers(1, 3))))
    main = bodies[-1]
    leaves = tuple(Leaf(k) for k in range(len(main.outputs)))
    return Program(tuple(bodies), CONSTANTS, Container("tuple", (), leaves))
