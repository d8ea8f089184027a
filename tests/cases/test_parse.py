"""A case file is read exactly, and whatever is wrong with it is said with its place."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.cases import CaseError, parse
from tests.cases.tiny import TINY, changed


def issues(data: bytes) -> list[tuple[str, str]]:
    with pytest.raises(CaseError) as raised:
        parse(TINY, data, "cases/tiny/one.json")
    assert all(each.file == "cases/tiny/one.json" for each in raised.value.issues)
    return [(each.path, each.message) for each in raised.value.issues]


def test_a_right_case() -> None:
    case = parse(TINY, changed(), "cases/tiny/one.json")
    assert case.name == "one"
    assert case.shape == {"B": 2, "D": 2}
    assert case.description == "Two rows."
    assert case.visibility == "hidden"
    assert list(case.inputs) == ["x", "w", "k"]
    assert case.inputs["x"].dtype == np.float32
    np.testing.assert_array_equal(case.inputs["x"], np.float32([[1.0, 0.1], [-1, 2]]))
    assert case.inputs["k"].dtype == np.int32
    assert case.inputs["k"].shape == ()
    assert case.expected is not None
    assert case.expected["y"].tolist() == [0.12, 0.3]


def test_only_inputs_are_needed() -> None:
    case = parse(TINY, changed(expected=..., description=..., visibility=...), "one.json")
    assert case.expected is None
    assert case.description == ""
    assert case.visibility == "public"


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"extra": 1}, "$.extra", "no such key is known here. There are: inputs, expected, description, visibility."),
        ({"input": 1}, "$.input", "no such key is known here. Did you mean inputs?"),
        ({"inputs": ...}, "$", 'expected a key "inputs", found none'),
        ({"inputs": []}, "$.inputs", "expected an object with x, w and k, found a list of 0"),
        ({"inputs__w": ...}, "$.inputs", 'expected a key "w", found none'),
        ({"inputs__W": 1}, "$.inputs.W", "no such key is known here. There are: x, w, k."),
        ({"inputs__x": 1.5}, "$.inputs.x", "expected a list of lists, found 1.5"),
        ({"inputs__x": [[1, 2], 3]}, "$.inputs.x[1]", "expected a list of numbers, found 3"),
        ({"inputs__x": [[1, 2], [3]]}, "$.inputs.x[1]", "expected 2 entries, as in the first row, found 1"),
        ({"inputs__x": [[1, 2], [3, [4]]]}, "$.inputs.x[1][1]", "expected a number, found a list of 1"),
        ({"inputs__x": [[1, 2], [3, None]]}, "$.inputs.x[1][1]", "expected a number, found null"),
        ({"inputs__x": [[1, 2], [3, "4"]]}, "$.inputs.x[1][1]", "expected a number, found a text"),
        ({"inputs__x": [[1, 2], [3, True]]}, "$.inputs.x[1][1]", "expected a number, found true"),
        ({"inputs__x": [[1, 2], [3, {}]]}, "$.inputs.x[1][1]", "expected a number, found an object"),
        ({"inputs__x": [[1, 2], [3, float("nan")]]}, "$.inputs.x[1][1]", "expected a finite number, found NaN"),
        ({"inputs__x": [[float("-inf"), 2], [3, 4]]}, "$.inputs.x[0][0]", "expected a finite number, found -Infinity"),
        ({"inputs__x": [[1, 2], [3, 2e9]]}, "$.inputs.x[1][1]", "expected a magnitude of at most 1e+09, found 2e+09"),
        ({"inputs__w": [1, -101]}, "$.inputs.w[1]", "expected a magnitude of at most 100, found -101"),
        ({"inputs__x": [[1], [2]]}, "$.inputs.x", "expected 2 or 3 columns (D), found 1"),
        ({"inputs__x": [[1, 2]] * 3}, "$.inputs.x", "expected 1 or 2 rows (B), found 3"),
        ({"inputs__x": []}, "$.inputs.x", "expected 1 or 2 rows (B), found 0"),
        ({"inputs__w": [1, 2, 3]}, "$.inputs.w", "expected 2 numbers (D, as in x), found 3"),
        ({"inputs__x": [[1, 2, 3]]}, "$.inputs.w", "expected 3 numbers (D, as in x), found 2"),
        ({"inputs__w": [[1, 2]]}, "$.inputs.w[0]", "expected a number, found a list of 2"),
        ({"inputs__k": [1]}, "$.inputs.k", "expected a number, found a list of 1"),
        ({"inputs__k": 1.0}, "$.inputs.k", "expected a whole number, found 1"),
        ({"inputs__k": 10}, "$.inputs.k", "expected a magnitude of at most 9, found 10"),
        (
            {"inputs__k": 2**31},
            "$.inputs.k",
            "expected a number that int32 holds (-2147483648 to 2147483647), found 2147483648",
        ),
        ({"expected": None}, "$.expected", "expected an object with y and count, found null"),
        ({"expected__count": ...}, "$.expected", 'expected a key "count", found none'),
        ({"expected__y": [0.12]}, "$.expected.y", "expected the shape (B) = (2,), found (1,)"),
        ({"expected__y": [0.12, 1e39]}, "$.expected.y[1]", "expected a number that float32 holds, found 1e+39"),
        (
            {"expected__y": [0.12, 0.31]},
            "$.expected.y[1]",
            "contradicts the oracle: expected 0.300000004 (give or take 5e-07), found 0.31",
        ),
        (
            {"expected__count": 2},
            "$.expected.count",
            "contradicts the oracle: expected 3 (give or take 0), found 2",
        ),
        ({"description": 3}, "$.description", "expected a text, found 3"),
        ({"visibility": "secret"}, "$.visibility", 'expected "public" or "hidden", found "secret"'),
        ({"visibility": ["public"]}, "$.visibility", 'expected "public" or "hidden", found a list of 1'),
    ],
)
def test_what_is_wrong_and_where(changes: dict[str, Any], path: str, message: str) -> None:
    assert issues(changed(**changes)) == [(path, message)]


def test_values_as_written_agree_though_float32_has_other_ones() -> None:
    # 0.1 * 1000 - 0.1 * 1000 leaves no room for the rounding of 16777.217 to float32, the written value does.
    parse(TINY, changed(inputs__x=[[16777.217, -16777.217]], expected__y=[-1677.7217], expected__count=1), "one.json")


@pytest.mark.parametrize(
    ("data", "path", "message"),
    [
        (b"", "line 1, column 1", "not JSON: Expecting value"),
        (b'{"inputs": {\n  "x": 1 2}}', "line 2, column 10", "not JSON: Expecting ',' delimiter"),
        (b"\xff{}", "byte 0", "expected UTF-8 text"),
        (b"\xef\xbb\xbf{}", "line 1, column 1", "expected UTF-8 without a byte order mark"),
        (b"[" * 100_000, "", "nested too deep"),
        (b"[]", "$", "expected an object with inputs, expected, description and visibility, found a list of 0"),
        (b"null", "$", "expected an object with inputs, expected, description and visibility, found null"),
    ],
)
def test_what_is_no_case_at_all(data: bytes, path: str, message: str) -> None:
    assert issues(data) == [(path, message)]


def test_duplicate_keys() -> None:
    data = changed().replace(b'"k": 3', b'"k": 3, "k": 4').replace(b'"visibility"', b'"description": "", "visibility"')
    assert issues(data) == [
        ("$.description", "stands here more than once"),
        ("$.inputs.k", "stands here more than once"),
    ]


@pytest.mark.parametrize("number", ["1e400", "-1e400", "9" * 5000])
def test_numbers_too_large_for_python(number: str) -> None:
    [(path, message)] = issues(changed(inputs__k=0, inputs__w=[1, 777]).replace(b"777", number.encode()))
    assert path == "$.inputs.w[1]"
    assert message == f"expected a finite number, found {number[:20]}"


def test_everything_wrong_is_said_at_once() -> None:
    data = changed(extra=1, visibility=0, inputs__x=[[1, "a"], [2]], inputs__w="w", inputs__k=True)
    assert [path for path, _ in issues(data)] == [
        "$.extra",
        "$.visibility",
        "$.inputs.x[1]",
        "$.inputs.w",
        "$.inputs.k",
    ]


def test_one_array_does_not_flood_the_list() -> None:
    found = issues(changed(inputs__x=[["a"] * 3] * 2))
    assert len(found) == 6
    assert found[-1] == ("$.inputs.x", "and there is more that is wrong with this array")


def test_an_issue_is_one_line_with_file_path_and_message() -> None:
    with pytest.raises(CaseError) as raised:
        parse(TINY, changed(inputs__k=None), "cases/tiny/one.json")
    assert str(raised.value) == "cases/tiny/one.json: $.inputs.k: expected a number, found null"


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "w", "k", "y"]), inner),
    max_leaves=8,
)


@given(
    JSON, st.sampled_from(["inputs", "inputs__x", "inputs__w", "inputs__k", "expected", "expected__y", "visibility"])
)
def test_nothing_that_json_can_say_is_a_fault_of_the_judge(value: object, where: str) -> None:
    with contextlib.suppress(CaseError):
        parse(TINY, changed(**{where: value}), "one.json")
