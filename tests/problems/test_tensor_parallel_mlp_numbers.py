"""The error bounds of tensor_parallel_mlp: float32 in any order stays inside, bfloat16 does not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.problem import Answer, Mistake
from grader.problems.tensor_parallel_mlp.oracle import DEVICES, MISTAKES, oracle

CASES = sorted((Path(__file__).parents[2] / "cases" / "tensor_parallel_mlp").glob("*.json"))

Inputs = dict[str, np.ndarray]


@st.composite
def float32_inputs(draw: st.DrawFn) -> Inputs:
    """Inputs of any shape of the domain, each array with a magnitude of its own, some of it exact zeros."""
    b, d, o = draw(st.integers(1, 4)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    h = draw(st.sampled_from([8, 16, 24, 32]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shapes = {"x": (b, d), "w1": (d, h), "b1": (h,), "w2": (h, o), "b2": (o,)}
    inputs = {}
    for name, shape in shapes.items():
        exponent = draw(st.sampled_from([-20, -6, -1, 0, 0, 1, 4, 8]))
        spread = draw(st.sampled_from([0, 0, 3]))
        scale = 10.0 ** (exponent + spread * rng.uniform(-1, 1, shape))
        values = np.clip(rng.normal(size=shape) * scale, -1e9, 1e9)
        inputs[name] = np.where(rng.random(shape) < 0.1, 0.0, values).astype(np.float32)
    return inputs


def right(inputs: Inputs) -> dict[str, Answer]:
    return oracle({name: values.astype(np.float64) for name, values in inputs.items()})


def within(got: np.ndarray, answer: Answer) -> bool:
    return bool((np.abs(got.astype(np.float64) - answer.value) <= answer.bound).all())


def add_up(terms: np.ndarray, order: np.ndarray, pairwise: bool) -> np.ndarray:
    """The terms (n, …) added in float32 in that order: one after the other, or in a tree of pairs."""
    level = [terms[i] for i in order]
    while len(level) > 1:
        if pairwise:
            level = [sum(level[i + 1 : i + 2], level[i]) for i in range(0, len(level), 2)]
        else:
            level = [level[0] + level[1], *level[2:]]
    return level[0]


def affine(left: np.ndarray, right: np.ndarray, bias: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """``left @ right + bias`` in float32, the bias one term among the others, in a random order."""
    products = left.T[:, :, None] * right[:, None, :]
    terms = np.concatenate([products, np.broadcast_to(bias, (1, *products.shape[1:]))])
    assert terms.dtype == np.float32
    return add_up(terms, rng.permutation(len(terms)), pairwise=bool(rng.integers(2)))


@given(float32_inputs(), st.integers(0, 2**32 - 1))
def test_float32_in_any_order_is_within_the_bounds(inputs: Inputs, seed: int) -> None:
    rng = np.random.default_rng(seed)
    hidden = np.maximum(affine(inputs["x"], inputs["w1"], inputs["b1"], rng), np.float32(0))
    out = affine(hidden, inputs["w2"], inputs["b2"], rng)
    answers = right(inputs)
    assert within(hidden, answers["hidden"])
    assert within(out, answers["out"])


@given(float32_inputs(), st.integers(0, 2**32 - 1))
def test_eight_blocks_added_up_are_within_the_bounds(inputs: Inputs, seed: int) -> None:
    rng = np.random.default_rng(seed)
    hidden = np.maximum(affine(inputs["x"], inputs["w1"], inputs["b1"], rng), np.float32(0))
    zero = np.zeros_like(inputs["b2"])
    blocks = zip(np.split(hidden, DEVICES, axis=1), np.split(inputs["w2"], DEVICES, axis=0), strict=True)
    partials = np.stack([affine(part, rows, zero, rng) for part, rows in blocks])
    total = add_up(partials, rng.permutation(DEVICES), pairwise=bool(rng.integers(2)))
    mean_scaled_back = total / np.float32(DEVICES) * np.float32(DEVICES)
    answer = right(inputs)["out"]
    assert within(total + inputs["b2"], answer)
    assert within(mean_scaled_back + inputs["b2"], answer)


@given(float32_inputs())
def test_subnormals_flushed_to_zero_are_within_the_bounds(inputs: Inputs) -> None:
    def flush(values: np.ndarray) -> np.ndarray:
        return np.where(np.abs(values) < np.finfo(np.float32).tiny, np.float32(0), values)

    tiny = {name: (values * np.float32(1e-18)).astype(np.float32) for name, values in inputs.items()}
    hidden = np.zeros((len(tiny["x"]), len(tiny["b1"])), np.float32)
    for feature in range(tiny["w1"].shape[0]):
        product = flush(flush(tiny["x"][:, feature, None]) * flush(tiny["w1"][feature]))
        hidden = flush(hidden + product)
    hidden = np.maximum(flush(hidden + flush(tiny["b1"])), np.float32(0))
    assert within(hidden, right(tiny)["hidden"])


@given(st.integers(0, 2**32 - 1))
def test_what_cancellation_leaves_in_hidden_is_allowed_for_in_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(4, 2)).astype(np.float32)
    x[:, 1] = x[:, 0]
    w1 = rng.normal(size=(2, 8)).astype(np.float32)
    w1[1] = -w1[0] * np.float32(1 + 1e-6)
    zeros = {"b1": np.zeros(8, np.float32), "b2": np.zeros(4, np.float32)}
    inputs = {"x": x, "w1": w1, "w2": rng.normal(size=(8, 4)).astype(np.float32), **zeros}
    hidden = np.maximum(affine(x, w1, inputs["b1"], rng), np.float32(0))
    assert within(affine(hidden, inputs["w2"], inputs["b2"], rng), right(inputs)["out"])


@given(st.integers(0, 2**32 - 1), st.sampled_from([8, 16, 24, 32]), st.sampled_from([1e-6, 1.0, 1e6]))
def test_a_bfloat16_product_is_refused(seed: int, units: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    shapes = {"x": (4, 5), "w1": (5, units), "b1": (units,), "w2": (units, 4), "b2": (4,)}
    # The biases grow with the products: where they outweighed them, float32 itself would drown the products.
    scales = {"x": scale, "w1": 1.0, "b1": scale, "w2": 1.0, "b2": scale}
    inputs = {name: (rng.normal(size=shapes[name]) * scales[name]).astype(np.float32) for name in shapes}
    # The layers are judged apart, so that neither hides behind the other.
    answers = right(inputs)
    hidden = answers["hidden"].value.astype(np.float32)

    def rounded(values: np.ndarray) -> np.ndarray:
        import ml_dtypes

        return values.astype(ml_dtypes.bfloat16).astype(np.float64)

    first = np.maximum(rounded(inputs["x"]) @ rounded(inputs["w1"]) + inputs["b1"], 0)
    second = rounded(hidden) @ rounded(inputs["w2"]) + inputs["b2"]
    assert not within(first, answers["hidden"])
    assert not within(second, answers["out"])


def read(case: Path) -> Inputs:
    return {name: np.array(rows, np.float32) for name, rows in json.loads(case.read_text())["inputs"].items()}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.id)
def test_some_case_tells_each_mistake_from_the_right_answer(mistake: Mistake) -> None:
    told = []
    for case in CASES:
        inputs = read(case)
        answers = right(inputs)
        wrong = mistake.outputs({name: values.astype(np.float64) for name, values in inputs.items()})
        same_shape = [name for name in wrong if wrong[name].shape == answers[name].value.shape]
        told += [case.stem for name in same_shape if not within(wrong[name], answers[name])]
    # A wrong shape alone would be too easy: for hidden no case has B = H, so there it is all there is.
    assert told or mistake.id == "hidden-transposed"


def test_no_two_mistakes_are_the_same_mistake() -> None:
    inputs = {
        name: values.astype(np.float64)
        for name, values in read(next(case for case in CASES if case.stem == "square_shapes")).items()
    }
    answers = {name: answer.value for name, answer in oracle(inputs).items()}
    wrong = [{**answers, **mistake.outputs(inputs)} for mistake in MISTAKES]
    seen = {tuple(np.concatenate([each["out"].ravel(), each["hidden"].ravel()])) for each in wrong}
    assert len(seen) == len(MISTAKES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_batch_of_inputs_is_answered_one_by_one(case: Path) -> None:
    inputs = {name: values.astype(np.float64) for name, values in read(case).items()}
    doubled = {name: np.stack([values, -values]) for name, values in inputs.items()}
    batched = oracle(doubled)
    for k, one in enumerate([inputs, {name: -values for name, values in inputs.items()}]):
        for name, answer in oracle(one).items():
            np.testing.assert_allclose(batched[name].value[k], answer.value, rtol=1e-14, atol=1e-300)
            np.testing.assert_allclose(batched[name].bound[k], answer.bound, rtol=1e-14)
    for mistake in MISTAKES:
        for name, values in mistake.outputs(doubled).items():
            np.testing.assert_allclose(values[0], mistake.outputs(inputs)[name], rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_what_a_case_expects_is_what_the_oracle_says(case: Path) -> None:
    expected = json.loads(case.read_text()).get("expected", {})
    answers = right(read(case))
    for name, rows in expected.items():
        assert within(np.array(rows), answers[name])


def test_the_cases_cover_the_domain() -> None:
    shapes = [(*read(case)["x"].shape, *read(case)["w2"].shape) for case in CASES]
    assert {h for _, _, h, _ in shapes} == {8, 16, 24, 32}
    assert {b for b, *_ in shapes} == {1, 2, 3, 4}
    assert {d for _, d, *_ in shapes} == {1, 2, 3, 4, 5}
    assert {o for *_, o in shapes} == {1, 2, 3, 4}
    assert (4, 5, 32, 4) in shapes
