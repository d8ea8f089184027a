"""The simulator on programs written by hand: control flow, devices, budgets, lies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from grader.execution.primitives import Rule
from grader.execution.simulator import (
    Deadlock,
    Fuel,
    Lanes,
    Malformed,
    Outcome,
    OutOfFuel,
    Unsupported,
    simulate,
)
from grader.program.types import Aval, Body, BodyRef, Constant, Dtype, Equation, Program, Spec
from tests.execution.programs import MODEL, constant, equation, f32, program, tensor_parallel_mlp


def test_the_split_perceptron_gives_the_dense_one() -> None:
    rng = np.random.default_rng(0)
    program = tensor_parallel_mlp()
    inputs = [rng.normal(size=(6, *each.shape)).astype(np.float32) for each in program.main.inputs]
    x, w1, b1, w2, b2 = inputs
    outcome = simulate(program, inputs, fuel=Fuel())
    hidden, out = outcome.outputs
    wanted = np.maximum(x @ w1 + b1[:, None], 0)
    np.testing.assert_allclose(hidden, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(out, wanted @ w2 + b2[:, None], rtol=1e-5, atol=1e-5)
    assert outcome.unequal == ()
    assert out.dtype == np.float32


def test_an_input_of_another_shape_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="inputs"):
        simulate(tensor_parallel_mlp(), [], fuel=Fuel())


# ── lanes that part ways ─────────────────────────────────────────────────────────────────────────

S32 = Aval((), "int32")
FLAG = Aval((), "bool")


def device_index() -> Equation:
    return equation("axis_index", (), S32, axis_name=("model",))


def psum(operand: int, *shape: int) -> Equation:
    return equation("psum", (operand,), f32(*shape), axes=("model",), axis_index_groups=None)


def on_devices(*bodies: Body, constants: tuple[Constant, ...] = ()) -> Program:
    """The last body under a shard_map over 8 devices: a float32 scalar in, one out, both replicated."""
    main = Body(
        (f32(),),
        (
            equation(
                "shard_map",
                (0,),
                f32(),
                mesh=MODEL,
                in_specs=(Spec(()),),
                out_specs=(Spec(()),),
                jaxpr=BodyRef(len(bodies) - 1),
                check_vma=False,
                manual_axes=("model",),
                pmap=False,
            ),
        ),
        (1,),
    )
    return program(*bodies, main, constants=constants)


DOUBLE = Body((f32(),), (equation("add", (0, 0), f32()),), (1,))
SAME = Body((f32(),), (), (0,))
SUM = Body((f32(),), (psum(0),), (1,))


def branches(first: Body, second: Body) -> Program:
    """Device 0 takes the first branch, the others the second."""
    body = Body((f32(),), (device_index(), equation("cond", (1, 0), f32(), branches=(BodyRef(0), BodyRef(1)))), (2,))
    return on_devices(first, second, body)


def run(what: Program, *values: object, fuel: Fuel | None = None) -> Outcome:
    """On two equal examples."""
    given = zip(values, what.main.inputs, strict=True)
    inputs = [np.stack([np.asarray(value, aval.dtype)] * 2) for value, aval in given]
    return simulate(what, inputs, fuel=fuel or Fuel())


def test_devices_take_their_own_branches() -> None:
    outcome = run(branches(SAME, DOUBLE), 3.0)
    [unequal] = outcome.unequal
    np.testing.assert_array_equal(unequal.devices, [[3] + [6] * 7] * 2)
    np.testing.assert_array_equal(outcome.outputs[0], [3, 3])


def test_a_psum_that_only_some_devices_reach_is_a_deadlock() -> None:
    with pytest.raises(Deadlock, match="only some of the devices reach psum") as raised:
        run(branches(SAME, SUM), 3.0)
    assert raised.value.equation is not None
    assert raised.value.equation.primitive == "psum"


def test_a_psum_in_each_branch_is_still_a_deadlock() -> None:
    with pytest.raises(Deadlock):
        run(branches(SUM, SUM), 3.0)


def counting(test_of_count: Body, step: Body, constants: tuple[Constant, ...]) -> Program:
    body = Body(
        (f32(),),
        (
            device_index(),
            equation(
                "while",
                (1, 0),
                S32,
                f32(),
                cond_jaxpr=BodyRef(0),
                body_jaxpr=BodyRef(1),
                cond_nconsts=0,
                body_nconsts=0,
            ),
        ),
        (3,),
    )
    return on_devices(test_of_count, step, body, constants=constants)


UNTIL_EIGHT = Body((S32, f32()), (equation("lt", (0, -1), FLAG),), (2,))
NUMBERS = (constant(np.int32(8)), constant(np.int32(1)))


def test_devices_leave_a_loop_when_they_are_done() -> None:
    step = Body((S32, f32()), (equation("add", (0, -2), S32), equation("add", (1, 1), f32())), (2, 3))
    [unequal] = run(counting(UNTIL_EIGHT, step, NUMBERS), 1.0).unequal
    np.testing.assert_array_equal(unequal.devices, [[2.0 ** (8 - device) for device in range(8)]] * 2)


def test_a_collective_that_outlives_a_device_in_a_loop_is_a_deadlock() -> None:
    step = Body((S32, f32()), (equation("add", (0, -2), S32), psum(1)), (2, 3))
    with pytest.raises(Deadlock):
        run(counting(UNTIL_EIGHT, step, NUMBERS), 1.0)


def test_examples_part_ways_without_hurting_each_other() -> None:
    main = Body((S32, f32()), (equation("cond", (0, 1), f32(), branches=(BodyRef(0), BodyRef(1))),), (2,))
    what = program(SAME, DOUBLE, main)
    index = np.array([0, 1, 7, -3, 1], np.int32)
    outcome = simulate(what, [index, np.arange(5, dtype=np.float32)], fuel=Fuel())
    np.testing.assert_array_equal(outcome.outputs[0], [0, 2, 4, 3, 8])


def test_a_psum_in_a_branch_that_whole_examples_take_works() -> None:
    body = Body((f32(), S32), (equation("cond", (1, 0), f32(), branches=(BodyRef(0), BodyRef(1))),), (2,))
    shard_map = on_devices(SAME).main.equations[0]
    params = {**shard_map.params, "jaxpr": BodyRef(2), "in_specs": (Spec(()), Spec(()))}
    main = Body((f32(), S32), (Equation("shard_map", (0, 1), (f32(),), params),), (2,))
    what = program(SAME, SUM, body, main)
    outcome = simulate(what, [np.array([1, 2, 3], np.float32), np.array([0, 1, 0], np.int32)], fuel=Fuel())
    np.testing.assert_array_equal(outcome.outputs[0], [1, 16, 3])
    assert outcome.unequal == ()


# ── budgets ──────────────────────────────────────────────────────────────────────────────────────

ENDLESS = program(
    Body((f32(),), (), (-1,)),
    SAME,
    Body(
        (f32(),),
        (
            equation(
                "while",
                (0,),
                f32(),
                cond_jaxpr=BodyRef(0),
                body_jaxpr=BodyRef(1),
                cond_nconsts=0,
                body_nconsts=0,
            ),
        ),
        (1,),
    ),
    constants=(constant(np.bool_(True)),),
)


def test_an_endless_loop_runs_out_of_fuel() -> None:
    with pytest.raises(OutOfFuel):
        run(ENDLESS, 1.0, fuel=Fuel(steps=1000))


def test_a_scan_of_a_million_million_steps_runs_out_of_fuel() -> None:
    scan = equation("scan", (0,), f32(), jaxpr=BodyRef(0), length=10**12, reverse=False, num_consts=0, num_carry=1)
    with pytest.raises(OutOfFuel):
        run(program(SAME, Body((f32(),), (scan,), (1,))), 1.0, fuel=Fuel(steps=1000))


def test_a_doubling_chain_of_calls_runs_out_of_fuel() -> None:
    bodies = [SAME]
    for k in range(60):
        call = {"jaxpr": BodyRef(k), "name": "f", "in_shardings": (None,), "out_shardings": (None,)}
        twice = (equation("jit", (0,), f32(), **call), equation("jit", (1,), f32(), **call))
        bodies.append(Body((f32(),), twice, (2,)))
    with pytest.raises(OutOfFuel):
        run(program(*bodies), 1.0, fuel=Fuel(steps=5000))


def test_a_large_product_is_paid_for_before_it_is_made() -> None:
    large = f32(4000, 4000)
    dot = equation("dot_general", (0, 0), large, dimension_numbers=(((1,), (0,)), ((), ())))
    what = program(Body((large,), (dot,), (1,)))
    with pytest.raises(OutOfFuel):
        simulate(what, [np.zeros((1, 4000, 4000), np.float32)], fuel=Fuel(elements=10**10))


def test_fuel_is_shared_by_the_runs_that_get_it() -> None:
    fuel, what = Fuel(steps=1000), tensor_parallel_mlp(1, 1, 8, 1)
    for spent in (10, 20):  # nine equations in the body, and the shard_map
        run(what, *[np.zeros(each.shape) for each in what.main.inputs], fuel=fuel)
        assert fuel.steps == 1000 - spent


# ── lies ─────────────────────────────────────────────────────────────────────────────────────────

LIES = {
    "add that grows": equation("add", (0, 0), f32(2, 6)),
    "add of another dtype": equation("add", (0, 0), Aval((2, 3), "int32")),
    "two results of one": equation("neg", (0,), f32(2, 3), f32(2, 3)),
    "no results": equation("neg", (0,)),
    "reshape to more": equation("reshape", (0,), f32(7), new_sizes=(7,), dimensions=None),
    "reshape that says otherwise": equation("reshape", (0,), f32(6), new_sizes=(3, 2), dimensions=None),
    "a huge iota": equation("iota", (), f32(2), shape=(10**15,), dimension=0, dtype=Dtype("float32")),
    "a huge broadcast": equation("broadcast_in_dim", (0,), f32(2, 3), shape=(10**9, 2, 3), broadcast_dimensions=(1, 2)),
    "a huge pad": equation("pad", (0, -1), f32(2, 3), padding_config=((0, 0, 10**12), (0, 0, 0))),
    "an outer sum": equation("add", (1, 2), f32(10**6)),
    "an outer product": equation("dot_general", (1, 2), f32(1), dimension_numbers=(((), ()), ((), ()))),
    "dimension numbers that are none": equation("dot_general", (0, 0), f32(2, 3), dimension_numbers="ij,jk"),
    "no params": equation("gather", (0, 0), f32(2)),
    "a transpose twice over": equation("transpose", (0,), f32(2, 3), permutation=(0, 0)),
    "a sum over nothing there": equation("reduce_sum", (0,), f32(2), axes=(5,)),
    "a psum outside": equation("psum", (0,), f32(2, 3), axes=("model",), axis_index_groups=None),
    "a slice outside": equation("slice", (0,), f32(9, 3), start_indices=(0, 0), limit_indices=(9, 3), strides=None),
    "a body that is none": equation("jit", (0,), f32(2, 3), jaxpr=3),
    "a cast to nothing": equation("convert_element_type", (0,), f32(2, 3), new_dtype="float32"),
    "a window of huge size": equation(
        "reduce_window_sum", (0,), f32(0, 3), window_dimensions=(10**15, 1), window_strides=(1, 1),
        padding=((0, 10**15 - 2), (0, 0)), base_dilation=(1, 1), window_dilation=(1, 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LIES)
def test_a_program_that_contradicts_itself_is_not_run(name: str) -> None:
    lie = LIES[name]
    what = program(
        Body((f32(2, 3), f32(10**6, 1), f32(1, 10**6)), (lie,), (0,)),
        constants=(constant(np.float32(0)),),
    )
    with pytest.raises((Malformed, OutOfFuel, Unsupported)) as raised:
        run(what, np.ones((2, 3)), np.ones((10**6, 1)), np.ones((1, 10**6)), fuel=Fuel(elements=10**14))
    if not isinstance(raised.value, OutOfFuel):
        assert raised.value.equation is lie


def test_a_primitive_that_nobody_knows_is_unsupported() -> None:
    with pytest.raises(Unsupported) as raised:
        run(program(Body((f32(),), (equation("frobnicate", (0,), f32()),), (1,))), 1.0)
    assert raised.value.primitive == "frobnicate"


def test_a_primitive_that_is_not_reached_need_not_be_known() -> None:
    unknown = Body((f32(),), (equation("frobnicate", (0,), f32()),), (1,))
    main = Body((f32(),), (equation("cond", (-1, 0), f32(), branches=(BodyRef(0), BodyRef(1))),), (1,))
    what = program(SAME, unknown, main, constants=(constant(np.int32(0)),))
    np.testing.assert_array_equal(run(what, 4.0).outputs[0], [4, 4])


def test_a_constant_with_too_few_bytes_is_malformed() -> None:
    short = Constant(Aval((5,), "float32"), b"1234")
    with pytest.raises(Malformed):
        run(program(Body((f32(),), (), (-1,)), constants=(short,)), 1.0)


# ── watching and changing a run ──────────────────────────────────────────────────────────────────


def test_a_psum_can_be_replaced_by_the_identity() -> None:
    what = on_devices(SUM)

    def without_psum(each: Equation) -> Rule | None:
        return (lambda call, *arrays: arrays) if each.primitive == "psum" else None

    inputs = [np.array([1, 2], np.float32)]
    np.testing.assert_array_equal(simulate(what, inputs, fuel=Fuel()).outputs[0], [8, 16])
    np.testing.assert_array_equal(simulate(what, inputs, fuel=Fuel(), replace=without_psum).outputs[0], [1, 2])


class Recorder:
    def __init__(self) -> None:
        self.choices: list[tuple[str, list[int], list[int]]] = []
        self.computed: list[str] = []
        self.left: list[tuple[int, ...]] = []

    def choice(self, each: Equation, sides: np.ndarray, lanes: Lanes) -> None:
        self.choices.append((each.primitive, sides.reshape(-1).tolist(), lanes.example_of_lane.tolist()))

    def after(self, each: Equation, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        self.computed.append(each.primitive)

    def leaves_shard_map(self, each: Equation, outputs: Sequence[np.ndarray]) -> None:
        self.left += [output.shape for output in outputs]


def test_an_observer_sees_choices_results_and_what_leaves_a_shard_map() -> None:
    recorder = Recorder()
    simulate(branches(SAME, DOUBLE), [np.array([1, 2], np.float32)], fuel=Fuel(), observer=recorder)
    assert recorder.choices == [("cond", ([0] + [1] * 7) * 2, [0] * 8 + [1] * 8)]
    assert recorder.computed == ["axis_index", "add", "cond", "shard_map"]
    assert recorder.left == [(2, 8)]


def test_sides_of_max_and_comparisons_are_seen() -> None:
    recorder = Recorder()
    main = Body((f32(),), (equation("max", (0, -1), f32()), equation("lt", (0, -1), FLAG)), (1, 2))
    what = program(main, constants=(constant(np.float32(0)),))
    simulate(what, [np.array([1, -1, 0], np.float32)], fuel=Fuel(), observer=recorder)
    assert [each[:2] for each in recorder.choices] == [("max", [0, 1, 2]), ("lt", [False, True, False])]


def test_keys_are_one_word_with_the_first_half_on_top() -> None:
    key = Constant(Aval((), "key<fry>"), np.array([1, 2], "<u4").tobytes())
    unwrap = equation("random_unwrap", (-1,), Aval((2,), "uint32"))
    outcome = run(program(Body((f32(),), (unwrap,), (1,)), constants=(key,)), 0.0)
    np.testing.assert_array_equal(outcome.outputs[0], [[1, 2], [1, 2]])
