"""New cases: written for people, with the oracle's values, and never over another file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grader.cases import CaseError, load_cases, parse
from grader.cases.add import add
from grader.decimals import nested
from grader.errors import Unusable
from tests.cases.tiny import TINY, changed


def test_the_file(tmp_path: Path) -> None:
    path = add(TINY, "two_rows", changed(expected=...), "-", root=tmp_path)
    assert path == tmp_path / "tiny" / "two_rows.json"
    assert (
        path.read_text()
        == """\
{
  "description": "Two rows.",
  "visibility": "hidden",
  "inputs": {
    "x": [
      [1.0, 0.1],
      [-1.0, 2.0]
    ],
    "w": [0.1, 0.2],
    "k": 3
  },
  "expected": {
    "y": [0.12, 0.3],
    "count": 3
  }
}
"""
    )
    assert list(path.parent.iterdir()) == [path]
    [case] = load_cases(TINY, tmp_path)
    assert case.name == "two_rows"


def test_description_and_visibility_can_be_given(tmp_path: Path) -> None:
    add(TINY, "a", changed(), "-", root=tmp_path, description="Mine.", visibility="public")
    [case] = load_cases(TINY, tmp_path)
    assert (case.description, case.visibility) == ("Mine.", "public")


def test_it_overwrites_nothing(tmp_path: Path) -> None:
    path = add(TINY, "a", changed(), "-", root=tmp_path)
    before = path.read_bytes()
    with pytest.raises(Unusable, match="exists already; it was left as it is"):
        add(TINY, "a", changed(description="Other."), "-", root=tmp_path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_wrong_case_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="contradicts the oracle"):
        add(TINY, "a", changed(expected__count=9), "-", root=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "../a", "a/b", ".a", "a.json", "a\nb", "-a", "é", "a" * 101])
def test_names_that_cannot_be(name: str, tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="cannot name a case"):
        add(TINY, name, changed(), "-", root=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_values_survive_exactly(tmp_path: Path) -> None:
    written = parse(TINY, changed(inputs__x=[[1 / 3, 1e-40]], inputs__w=[1e-7, 2 / 3], expected=...), "-")
    add(TINY, "a", changed(inputs__x=[[1 / 3, 1e-40]], inputs__w=[1e-7, 2 / 3], expected=...), "-", root=tmp_path)
    [read] = load_cases(TINY, tmp_path)
    for name, array in written.inputs.items():
        np.testing.assert_array_equal(read.inputs[name], array)


@pytest.mark.parametrize(
    ("array", "numbers"),
    [
        (np.float32([[0.1, 1e20], [np.nan, -np.inf]]), [[0.1, 1e20], ["nan", "-inf"]]),
        (np.float64(0.1), 0.1),
        (np.int32([1, 2]), [1, 2]),
        (np.array([True, False]), [True, False]),
        (np.zeros((2, 0)), [[], []]),
        (np.zeros((0, 2)), []),
        (np.float32(np.arange(4)).reshape(2, 1, 2), [[[0.0, 1.0]], [[2.0, 3.0]]]),
    ],
)
def test_arrays_as_people_write_them(array: np.ndarray, numbers: object) -> None:
    assert nested(array) == numbers
