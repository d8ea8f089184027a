"""What a learner is told about a returned structure, and which numbers count as right."""

from __future__ import annotations

import numpy as np
import pytest

from grader.problem import Answer
from grader.problems.tensor_parallel_mlp import PROBLEM
from grader.program.types import Aval, Body, Constant, Container, Leaf, Other, Program, Returned
from grader.referee.compare import (
    Fault,
    Mismatch,
    OracleError,
    answers,
    fault,
    message,
    mismatches,
    named,
    wrong_elements,
    wrong_lanes,
)
from grader.referee.inputs import arrays, plan

SHAPE = {"B": 2, "D": 3, "H": 8, "O": 1}
HIDDEN, OUT = Aval((2, 8), "float32"), Aval((2, 1), "float32")


def program(returned: Returned, *avals: Aval) -> Program:
    return Program((Body(avals, (), tuple(range(len(avals)))),), (), returned)


def returns(*items: tuple[str, Returned], kind: str = "dict") -> Container:
    return Container(kind, tuple(key for key, _ in items), tuple(child for _, child in items))


def said(returned: Returned, *avals: Aval) -> Fault:
    found = fault(PROBLEM, SHAPE, program(returned, *(avals or (HIDDEN, OUT))))
    assert found is not None
    return found


# ── structure ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["dict", "OrderedDict"])
def test_the_declared_dict_is_no_fault(kind: str) -> None:
    returned = returns(("hidden", Leaf(0)), ("out", Leaf(1)), kind=kind)
    assert fault(PROBLEM, SHAPE, program(returned, HIDDEN, OUT)) is None


def test_an_array_instead_of_the_dict() -> None:
    assert said(Leaf(1)) == Fault(
        "return-value",
        'tensor_parallel_mlp returns a single array; it should return a dict with the keys "out" and "hidden".',
        'End with return {"out": out, "hidden": hidden}.',
    )


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (Container("tuple", ("0", "1"), (Leaf(0), Leaf(1))), "returns a tuple of 2;"),
        (Container("list", ("0",), (Leaf(0),)), "returns a list of 1;"),
        (Container("NoneType", (), ()), "returns None;"),
        (Other("NoneType"), "returns None;"),
        (Other("str"), "returns a str, which is no array;"),
        (Container("Pair", ("a",), (Leaf(0),)), "returns a Pair;"),
    ],
)
def test_other_things_instead_of_the_dict(returned: Returned, words: str) -> None:
    assert words in said(returned).message
    assert said(returned).id == "return-value"


def test_a_missing_key() -> None:
    assert said(returns(("out", Leaf(1)))) == Fault(
        "return-keys",
        'The returned dict has no key "hidden"; it should have the keys "out" and "hidden".',
        'Return the array "hidden" as well.',
    )


@pytest.mark.parametrize("key", ["hiden", "Hidden", "HIDDEN ", "hidden_"])
def test_a_misspelt_key(key: str) -> None:
    assert said(returns(("out", Leaf(1)), (key, Leaf(0)))) == Fault(
        "return-keys",
        f'The returned dict has no key "hidden", but has "{key}".',
        'Did you mean "hidden"? The dict should have the keys "out" and "hidden", spelt exactly so.',
    )


def test_a_key_too_many() -> None:
    assert said(returns(("hidden", Leaf(0)), ("loss", Leaf(1)), ("out", Leaf(1)))) == Fault(
        "return-keys",
        'The returned dict also has the key "loss"; it should have the keys "out" and "hidden" and no other.',
        'Leave "loss" out of what tensor_parallel_mlp returns.',
    )


def test_a_very_long_key_is_cut() -> None:
    found = said(returns(("hidden", Leaf(0)), ("k" * 10_000, Leaf(1)), ("out", Leaf(1))))
    assert len(found.message) < 200


@pytest.mark.parametrize(
    ("child", "words"),
    [
        (Other("str"), '"out" is a str, which is no array; it should be one array of shape (B, O).'),
        (Container("tuple", ("0",), (Leaf(1),)), '"out" is a tuple of 1; it should be one array of shape (B, O).'),
        (returns(("a", Leaf(1))), '"out" is a dict with the key "a"; it should be one array of shape (B, O).'),
    ],
)
def test_something_else_under_a_key(child: Returned, words: str) -> None:
    assert said(returns(("hidden", Leaf(0)), ("out", child))).message == words


def test_a_wrong_shape() -> None:
    returned = returns(("hidden", Leaf(0)), ("out", Leaf(1)))
    assert said(returned, HIDDEN, Aval((2,), "float32")) == Fault(
        "return-shape",
        '"out" has shape (2,); at B = 2, O = 1 it should have shape (2, 1).',
        "Give out the shape (B, O).",
    )
    assert said(returned, Aval((8, 2), "float32"), OUT) == Fault(
        "return-shape",
        '"hidden" has shape (8, 2); at B = 2, H = 8 it should have shape (2, 8).',
        "It looks transposed: give hidden the shape (B, H).",
    )
    assert said(returned, HIDDEN, Aval((), "float32")).message.startswith('"out" has shape ();')


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int32", "bool"])
def test_a_wrong_dtype(dtype: str) -> None:
    found = said(returns(("hidden", Leaf(0)), ("out", Leaf(1))), HIDDEN, Aval((2, 1), dtype))
    assert found.id == "return-dtype"
    assert found.message == f'"out" is {dtype}; it should be float32.'


def test_a_constant_can_be_an_output() -> None:
    constant = Constant(Aval((2, 1), "int32"), b"\0" * 8)
    returned = returns(("hidden", Leaf(0)), ("out", Leaf(1)))
    found = fault(PROBLEM, SHAPE, Program((Body((HIDDEN,), (), (0, -1)),), (constant,), returned))
    assert found is not None
    assert found.message == '"out" is int32; it should be float32.'


def test_outputs_by_their_keys() -> None:
    hidden, out = np.zeros((1, 2, 8)), np.ones((1, 2, 1))
    found = named(program(returns(("hidden", Leaf(1)), ("out", Leaf(0))), OUT, HIDDEN), [out, hidden])
    assert found["out"] is out
    assert found["hidden"] is hidden


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────

INPUTS = arrays(PROBLEM, SHAPE, plan(PROBLEM, [SHAPE], 6, 0))


def right() -> dict[str, np.ndarray]:
    return {name: answer.value.astype(np.float32) for name, answer in answers(PROBLEM, INPUTS).items()}


def test_the_rounded_oracle_is_right() -> None:
    assert mismatches(PROBLEM, INPUTS, right()) == []
    assert not wrong_lanes(PROBLEM, INPUTS, right()).any()


def test_the_worst_wrong_element_of_each_output_and_example_is_named() -> None:
    outputs = right()
    outputs["out"][0, 1, 0] += 1
    outputs["hidden"][0, 0, 3] += 1
    outputs["hidden"][0, 1, 5] += 1000
    outputs["hidden"][4, 0, 0] = -7
    found = mismatches(PROBLEM, INPUTS, outputs)
    assert [(each.example, each.output, each.index, each.wrong) for each in found] == [
        (0, "out", (1, 0), 1),
        (0, "hidden", (1, 5), 2),
        (4, "hidden", (0, 0), 1),
    ]
    want = answers(PROBLEM, INPUTS)["hidden"]
    assert found[2].got == -7
    assert found[2].want == want.value[4, 0, 0]
    assert found[2].bound == want.bound[4, 0, 0]
    assert wrong_lanes(PROBLEM, INPUTS, outputs).tolist() == [True, False, False, False, True, False]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_never_right_and_counts_as_worst(value: float) -> None:
    outputs = right()
    outputs["out"][2, 0, 0] += 5
    outputs["out"][2, 1, 0] = value
    [found] = mismatches(PROBLEM, INPUTS, outputs)
    assert found.index == (1, 0)
    assert found.wrong == 2
    assert wrong_elements(Answer(np.array([1.0]), np.array([np.inf])), np.array([value], np.float32)).all()


def test_an_error_of_the_bound_passes_and_a_larger_one_does_not() -> None:
    answer = Answer(np.array([1.0, 1.0, 0.0]), np.array([0.25, 0.25, 0.0]))
    assert wrong_elements(answer, np.array([1.25, 1.2500001, -0.0], np.float32)).tolist() == [False, True, False]


@pytest.mark.parametrize("shape", [(6, 2), (6, 1, 1), (1, 2, 1), (6, 2, 8), (6, 1, 2)])
def test_nothing_is_broadcast_into_agreement(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="cannot be compared"):
        mismatches(PROBLEM, INPUTS, {**right(), "out": np.zeros(shape, np.float32)})


def test_integer_and_bool_outputs_are_compared_exactly() -> None:
    answer = Answer(np.array([2.0, 3.0]), np.zeros(2))
    assert wrong_elements(answer, np.array([2, 4], np.int32)).tolist() == [False, True]
    assert wrong_elements(Answer(np.array([1.0, 0.0]), np.zeros(2)), np.array([True, True])).tolist() == [False, True]


def test_an_oracle_that_is_not_finite_is_a_fault_of_the_problem() -> None:
    with pytest.raises(OracleError, match="not finite"):
        answers(PROBLEM, {**INPUTS, "x": np.full_like(INPUTS["x"], np.nan)})


@pytest.mark.parametrize(
    ("mismatch", "words"),
    [
        (
            Mismatch(0, "out", (0, 1), 3.5, 1.25, 4e-6),
            "out[0, 1] is 3.5; it should be 1.25 (float32 explains an error of 4e-06)",
        ),
        (Mismatch(0, "sigma", (), float("nan"), 2.0, 1e-6), "sigma is nan; it should be 2"),
        (Mismatch(0, "steps", (3,), 4.0, 5.0, 0.0), "steps[3] is 4; it should be 5"),
        (
            Mismatch(0, "out", (0, 0), 1.0000026, 1.0, 1e-6),
            "out[0, 0] is 1.0000026; it should be 1 (float32 explains an error of 1e-06)",
        ),
    ],
)
def test_messages(mismatch: Mismatch, words: str) -> None:
    assert message(mismatch) == words
