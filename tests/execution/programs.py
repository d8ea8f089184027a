"""Programs written by hand, for the simulator's tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.program.types import Aval, Body, BodyRef, Constant, Equation, Leaf, Mesh, Program, Spec


def aval(array: Any) -> Aval:
    array = np.asarray(array)
    return Aval(array.shape, array.dtype.name)


def f32(*shape: int) -> Aval:
    return Aval(shape, "float32")


def equation(primitive: str, operands: tuple[int, ...], *results: Aval, **params: Any) -> Equation:
    return Equation(primitive, operands, results, params)


def constant(value: Any) -> Constant:
    array = np.asarray(value)
    return Constant(aval(array), array.tobytes())


def program(*bodies: Body, constants: tuple[Constant, ...] = ()) -> Program:
    return Program(bodies, constants, Leaf(0))


MODEL = Mesh(("model",), (8,), tuple(range(8)))


def tensor_parallel_mlp(batch: int = 4, inputs: int = 5, hidden: int = 32, outputs: int = 3) -> Program:
    """The split perceptron: psum of the partial products, `hidden` left split."""
    part = hidden // 8
    numbers = (((1,), (0,)), ((), ()))
    body = Body(
        (f32(batch, inputs), f32(inputs, part), f32(part), f32(part, outputs), f32(outputs)),
        (
            equation("dot_general", (0, 1), f32(batch, part), dimension_numbers=numbers),
            equation("broadcast_in_dim", (2,), f32(1, part), shape=(1, part), broadcast_dimensions=(1,)),
            equation("broadcast_in_dim", (6,), f32(batch, part), shape=(batch, part), broadcast_dimensions=(0, 1)),
            equation("add", (5, 7), f32(batch, part)),
            equation("max", (8, -1), f32(batch, part)),
            equation("dot_general", (9, 3), f32(batch, outputs), dimension_numbers=numbers),
            equation("psum", (10,), f32(batch, outputs), axes=("model",), axis_index_groups=None),
            equation("broadcast_in_dim", (4,), f32(batch, outputs), shape=(batch, outputs), broadcast_dimensions=(1,)),
            equation("add", (11, 12), f32(batch, outputs)),
        ),
        (9, 13),
    )
    main = Body(
        (f32(batch, inputs), f32(inputs, hidden), f32(hidden), f32(hidden, outputs), f32(outputs)),
        (
            equation(
                "shard_map",
                (0, 1, 2, 3, 4),
                f32(batch, hidden),
                f32(batch, outputs),
                mesh=MODEL,
                in_specs=(Spec(()), Spec(((), ("model",))), Spec((("model",),)), Spec((("model",),)), Spec(())),
                out_specs=(Spec(((), ("model",))), Spec(())),
                jaxpr=BodyRef(0),
                check_vma=True,
                manual_axes=("model",),
                pmap=False,
            ),
        ),
        (5, 6),
    )
    return program(body, main, constants=(constant(np.float32(0)),))
