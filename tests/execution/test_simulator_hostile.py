"""Programs with anything in their params and declarations: the simulator runs them or says why not, and quickly."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.execution.primitives import COLLECTIVES, RULES
from grader.execution.simulator import Fuel, SimulationError, simulate
from grader.execution.values import numpy_dtype
from grader.program import wire
from grader.program.types import Aval, Body, Container, Dtype, Equation, Leaf, Mesh, Program, Record, Spec
from tests.execution import test_simulator_against_xla as table
from tests.execution.programs import tensor_parallel_mlp
from tests.execution.tracing import program_of

SEEDS = (
    "pad|concatenate|slice|take rows|at add|window gather fill|window scatter clip|dynamic_slice|sort pairs|top_k|"
    "conv 2d|einsum|int8 to int32|max pool|sum pool|grad of max pool|argmax|cumsum|softmax|keys|uniform|svd|solve|qr|"
    "scan with constants|vmapped while|switch|custom|generic reduce|reduce_precision 5 10|bitcast narrower|select_n"
).split("|")
PROGRAMS = [
    tensor_parallel_mlp(),
    *(
        program_of(each.function, each.arguments)
        for rows in table.FAMILIES.values()
        for each in rows
        if each.name in SEEDS
    ),
]
DTYPES = "float32 int32 uint8 bool bfloat16 complex64 float16 int64 uint64 float64 key<fry> int4 float0".split()
NUMBERS = st.sampled_from([0, 1, -1, 2, 3, 7, 8, 100, 10**5, 10**7, 2**31, -(2**31), 2**62, -(2**63), 2**63 - 1])
ATOMS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    NUMBERS,
    st.sampled_from([0.5, -1.0, float("nan"), float("inf"), "CLIP", "FILL_OR_DROP", "model", "fry"]),
    st.builds(Dtype, st.sampled_from([*DTYPES, "nonsense"])),
    st.just(Spec((("model",),))),
    st.just(Mesh(("model",), (8,))),
)


@st.composite
def spoiled(draw: st.DrawFn, value: Any) -> Any:
    """Another param in place of ``value``: often nearly the same."""
    if isinstance(value, tuple) and value and draw(st.integers(0, 3)):
        place = draw(st.integers(0, len(value) - 1))
        kept = draw(st.sampled_from(["change", "drop", "repeat"]))
        if kept == "change":
            return (*value[:place], draw(spoiled(value[place])), *value[place + 1 :])
        return (*value[:place], *(value[place:] if kept == "repeat" else ()), *value[place + 1 :])
    if isinstance(value, Record) and draw(st.integers(0, 3)):
        place = draw(st.integers(0, len(value.fields) - 1))
        name, field = value.fields[place]
        return Record(value.kind, (*value.fields[:place], (name, draw(spoiled(field))), *value.fields[place + 1 :]))
    if type(value) is int and draw(st.booleans()):
        return max(-(2**63), min(2**63 - 1, draw(st.sampled_from([value + 1, value - 1, -value, value * 1000]))))
    return draw(ATOMS)


@st.composite
def spoiled_aval(draw: st.DrawFn, aval: Aval) -> Aval:
    if draw(st.booleans()):
        return Aval(aval.shape, draw(st.sampled_from(DTYPES)))
    shape = list(aval.shape) or [1]
    shape[draw(st.integers(0, len(shape) - 1))] = draw(st.sampled_from([0, 1, 5, 10**4, 1 << 24]))
    return Aval(tuple(shape), aval.dtype)


@st.composite
def spoiled_program(draw: st.DrawFn) -> Program:
    program = draw(st.sampled_from(PROGRAMS))
    bodies = list(program.bodies)
    index = draw(st.sampled_from([k for k, body in enumerate(bodies) if body.equations]))
    body = bodies[index]
    place = draw(st.integers(0, len(body.equations) - 1))
    each = body.equations[place]
    primitive, operands, results, params = each.primitive, each.operands, each.results, dict(each.params)
    match draw(st.sampled_from(["param", "param", "param", "missing", "result", "operands", "primitive"])):
        case "param" if params:
            name = draw(st.sampled_from(sorted(params)))
            params[name] = draw(spoiled(params[name]))
        case "missing" if params:
            del params[draw(st.sampled_from(sorted(params)))]
        case "result" if results:
            results = (draw(spoiled_aval(results[0])), *results[1:])
        case "operands":
            operands = draw(st.sampled_from([operands[1:], operands + operands[:1], operands[::-1]]))
        case _:
            primitive = draw(st.sampled_from(sorted({*RULES, *COLLECTIVES})))
    equations = list(body.equations)
    equations[place] = Equation(primitive, operands, results, params)
    bodies[index] = Body(body.inputs, tuple(equations), body.outputs)
    count = range(len(bodies[-1].outputs))
    returned = Container("tuple", tuple(map(str, count)), tuple(Leaf(k) for k in count))
    return Program(tuple(bodies), program.constants, returned)


@settings(max_examples=300)
@given(spoiled_program())
def test_a_spoiled_program_is_run_or_refused(program: Program) -> None:
    try:
        program = wire.from_bytes(wire.to_bytes(program))
    except wire.Malformed:
        return
    inputs = [np.ones((2, *aval.shape), numpy_dtype(aval.dtype)) for aval in program.main.inputs]
    fuel = Fuel(steps=2_000, elements=20_000_000)
    with contextlib.suppress(SimulationError):
        outputs = simulate(program, inputs, fuel=fuel).outputs
        avals = [*program.main.inputs, *(aval for each in program.main.equations for aval in each.results)]
        for output, k in zip(outputs, program.main.outputs, strict=True):
            if k >= 0:
                assert output.shape == (2, *avals[k].shape)
                assert output.dtype == numpy_dtype(avals[k].dtype)
