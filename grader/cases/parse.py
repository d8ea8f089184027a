"""A case read from the bytes of its file and held against its problem.

Comes in: a problem and bytes that anyone may have written. Goes out: a `Case` whose arrays have the declared
shapes and dtypes and whose expected values agree with the oracle, or a `CaseError` that lists everything that
is wrong, each with its place in the file.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from grader.cases.case import Case, CaseError, Issue
from grader.cases.strict_json import Members, NoNumber, NotJson, describe, read
from grader.problem import Answer, Input, Output, Problem, concrete
from grader.suggest import did_you_mean

_KEYS = ("inputs", "expected", "description", "visibility")
_VISIBILITIES = ("public", "hidden")
_MOST_AN_ARRAY = 5
"""Issues told of one array; more of them say nothing new."""


def parse(problem: Problem, data: bytes, name: str) -> Case:
    """The case in ``data``. ``name`` is its file's, for messages. Raises `CaseError`."""
    check = _Check(problem, name)
    case = check.case(data)
    if case is None or check.issues:
        raise CaseError(check.issues)
    return case


class _Check:
    """Reads one file, collecting what is wrong."""

    def __init__(self, problem: Problem, file: str) -> None:
        self.problem = problem
        self.file = file
        self.issues: list[Issue] = []

    def wrong(self, path: str, message: str) -> None:
        self.issues.append(Issue(self.file, path, message))

    def case(self, data: bytes) -> Case | None:
        try:
            value = read(data)
        except NotJson as error:
            self.wrong(error.place, error.message)
            return None
        if not isinstance(value, Members):
            self.wrong("$", f"expected an object with {_listed(_KEYS)}, found {describe(value)}")
            return None
        self.keys("$", value, _KEYS, needed=("inputs",))
        description, visibility = self.labels(value)
        if "inputs" not in value:
            return None
        exact, sizes = self.inputs(value["inputs"])
        if exact is None or sizes is None:
            return None
        inputs = {each.name: exact[each.name].astype(each.dtype) for each in self.problem.inputs}
        self.together(inputs)
        expected = None
        if "expected" in value:
            expected = self.expected(value["expected"], sizes)
            if expected is not None:
                self.agreement(expected, inputs, exact)
        return Case(PurePath(self.file).stem, sizes, inputs, expected, description, visibility)

    def labels(self, value: Members) -> tuple[str, Any]:
        description, visibility = "", "public"
        if "description" in value:
            description = value["description"]
            if not isinstance(description, str):
                self.wrong("$.description", f"expected a text, found {describe(description)}")
        if "visibility" in value:
            visibility = value["visibility"]
            if visibility not in _VISIBILITIES:
                found = f'"{visibility}"' if isinstance(visibility, str) else describe(visibility)
                self.wrong("$.visibility", f'expected "public" or "hidden", found {found}')
        return description, visibility

    def keys(self, path: str, value: Members, known: Sequence[str], needed: Sequence[str]) -> None:
        for name in value.duplicates():
            self.wrong(f"{path}.{name}", "stands here more than once")
        for name, _ in value.pairs:
            if name not in known:
                self.wrong(f"{path}.{name}", f"no such key is known here. {did_you_mean(name, known)}")
        for name in needed:
            if name not in value:
                self.wrong(path, f'expected a key "{name}", found none')

    # ── arrays ───────────────────────────────────────────────────────────────────────────────────

    def arrays(
        self, path: str, value: Any, declared: Sequence[Input] | Sequence[Output]
    ) -> dict[str, np.ndarray] | None:
        """Regular arrays of the right rank, element type and range, by name; None unless all are there."""
        names = [each.name for each in declared]
        if not isinstance(value, Members):
            self.wrong(path, f"expected an object with {_listed(names)}, found {describe(value)}")
            return None
        self.keys(path, value, names, needed=names)
        found = {}
        for each in declared:
            if each.name in value:
                array = self.array(f"{path}.{each.name}", value[each.name], each)
                if array is not None:
                    found[each.name] = array
        return found if len(found) == len(names) else None

    def array(self, path: str, value: Any, declared: Input | Output) -> np.ndarray | None:
        issues = [
            *itertools.islice(_irregular(path, value, declared.shape), _MOST_AN_ARRAY + 1),
        ] or [*itertools.islice(_bad_elements(path, value, declared), _MOST_AN_ARRAY + 1)]
        for place, message in issues[:_MOST_AN_ARRAY]:
            self.wrong(place, message)
        if len(issues) > _MOST_AN_ARRAY:
            self.wrong(path, "and there is more that is wrong with this array")
        if issues:
            return None
        return np.array(value, _exact_dtype(declared.dtype)).reshape(_shape(value, len(declared.shape)))

    def inputs(self, value: Any) -> tuple[dict[str, np.ndarray] | None, dict[str, int] | None]:
        """The inputs as written, and the sizes that they have."""
        arrays = self.arrays("$.inputs", value, self.problem.inputs)
        if arrays is None:
            return None, None
        before = len(self.issues)
        allowed = {each.name: each.sizes for each in self.problem.dimensions}
        sizes: dict[str, int] = {}
        whence: dict[str, str] = {}
        for each in self.problem.inputs:
            path = f"$.inputs.{each.name}"
            for axis, (dimension, size) in enumerate(zip(each.shape, arrays[each.name].shape, strict=True)):
                if isinstance(dimension, int):
                    if size != dimension:
                        self.wrong(path, f"expected {_sizes((dimension,), each.shape, axis)}, found {size}")
                elif dimension not in sizes:
                    sizes[dimension], whence[dimension] = size, each.name
                    if size not in allowed[dimension]:
                        want = _sizes(allowed[dimension], each.shape, axis)
                        self.wrong(path, f"expected {want} ({dimension}), found {size}")
                elif size != sizes[dimension] and sizes[dimension] in allowed[dimension]:
                    want = _sizes((sizes[dimension],), each.shape, axis)
                    self.wrong(path, f"expected {want} ({dimension}, as in {whence[dimension]}), found {size}")
                if size == 0:
                    break  # the sizes of what an empty list does not hold mean nothing
        return arrays, sizes if len(self.issues) == before else None

    def together(self, inputs: Mapping[str, np.ndarray]) -> None:
        """Inputs that are allowed one by one may not be allowed together."""
        if self.problem.repair is None:
            return
        lane = {name: array[None] for name, array in inputs.items()}
        for name, array in self.problem.repair(lane).items():
            if not np.array_equal(array, lane[name]):
                self.wrong(f"$.inputs.{name}", "is not allowed together with the other inputs (see the statement)")

    def expected(self, value: Any, sizes: Mapping[str, int]) -> dict[str, np.ndarray] | None:
        arrays = self.arrays("$.expected", value, self.problem.outputs)
        if arrays is None:
            return None
        right = True
        for each in self.problem.outputs:
            shape = concrete(each.shape, sizes)
            if arrays[each.name].shape != shape:
                right = False
                names = ", ".join(map(str, each.shape))
                self.wrong(
                    f"$.expected.{each.name}",
                    f"expected the shape ({names}) = {shape}, found {arrays[each.name].shape}",
                )
        return arrays if right else None

    def agreement(
        self, expected: Mapping[str, np.ndarray], inputs: Mapping[str, np.ndarray], exact: Mapping[str, np.ndarray]
    ) -> None:
        """Expected values must be the oracle's, for the inputs as written or as rounded to their dtypes."""
        try:
            rounded_answers = answers(self.problem, inputs)
            exact_answers = answers(self.problem, exact)
        except Exception as error:
            self.wrong("$.expected", f"the problem's oracle failed on these inputs: {type(error).__name__}: {error}")
            return
        for name, given in expected.items():
            right = rounded_answers[name]
            misses = _misses(given, right) & _misses(given, exact_answers[name])
            places = np.argwhere(misses)
            for place in places[:_MOST_AN_ARRAY]:
                index = tuple(int(each) for each in place)
                path = f"$.expected.{name}" + "".join(f"[{each}]" for each in index)
                self.wrong(
                    path,
                    f"contradicts the oracle: expected {right.value[index]:.9g} "
                    f"(give or take {right.bound[index]:.2g}), found {given[index]:.9g}",
                )
            if len(places) > _MOST_AN_ARRAY:
                self.wrong(
                    f"$.expected.{name}", f"and {len(places) - _MOST_AN_ARRAY} more values contradict the oracle"
                )


def answers(problem: Problem, inputs: Mapping[str, np.ndarray]) -> dict[str, Answer]:
    """The oracle's answers for one input (no leading axis)."""
    batch = {name: array.astype(np.float64)[None] for name, array in inputs.items()}
    found = problem.oracle(batch)
    return {each.name: Answer(found[each.name].value[0], found[each.name].bound[0]) for each in problem.outputs}


def _misses(given: np.ndarray, right: Answer) -> np.ndarray:
    misses: np.ndarray = ~(np.abs(given - right.value) <= right.bound)
    return misses


def _exact_dtype(dtype: str) -> np.dtype[Any]:
    """What holds the numbers of a file as they were written."""
    declared = np.dtype(dtype)
    return np.dtype(np.float64) if declared.kind == "f" else declared


def _irregular(path: str, value: Any, shape: Sequence[object]) -> Iterator[tuple[str, str]]:
    """Where nested lists are not an array with as many axes as ``shape``."""
    layer = [(path, value)]
    for axis in range(len(shape)):
        length: int | None = None
        for place, each in layer:
            if not isinstance(each, list):
                kind = "numbers" if axis == len(shape) - 1 else "lists"
                yield place, f"expected a list of {kind}, found {describe(each)}"
            elif length is None:
                length = len(each)
            elif len(each) != length:
                yield place, f"expected {length} entries, as in the first row, found {len(each)}"
        layer = [
            (f"{place}[{index}]", item)
            for place, each in layer
            if isinstance(each, list)
            for index, item in enumerate(each)
        ]
    for place, each in layer:
        if isinstance(each, (list, Members)):
            yield place, f"expected a number, found {describe(each)}"


def _bad_elements(path: str, value: Any, declared: Input | Output) -> Iterator[tuple[str, str]]:
    """Elements that are not what the dtype holds."""
    dtype = np.dtype(declared.dtype)
    limit = declared.limit if isinstance(declared, Input) else float("inf")
    least, most = (declared.least, declared.most) if isinstance(declared, Input) else (-limit, limit)
    choices = declared.choices if isinstance(declared, Input) else ()
    for place, each in _elements(path, value, len(declared.shape)):
        if dtype.kind == "b":
            if not isinstance(each, bool):
                yield place, f"expected true or false, found {describe(each)}"
        elif isinstance(each, NoNumber):
            yield place, f"expected a finite number, found {describe(each)}"
        elif isinstance(each, bool) or not isinstance(each, (int, float)):
            yield place, f"expected a number, found {describe(each)}"
        elif dtype.kind in "iu":
            low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
            if not isinstance(each, int):
                yield place, f"expected a whole number, found {describe(each)}"
            elif not low <= each <= high:
                yield place, f"expected a number that {dtype} holds ({low} to {high}), found {each}"
            elif abs(each) > limit:
                yield place, f"expected a magnitude of at most {limit:g}, found {each}"
            elif not least <= each <= most:
                yield place, f"expected a number from {least:g} to {most:g}, found {each}"
            elif choices and each not in choices:
                yield place, f"expected {_listed([f'{one:g}' for one in choices], 'or')}, found {each}"
        elif abs(each) > limit:
            yield place, f"expected a magnitude of at most {limit:g}, found {describe(each)}"
        elif not least <= each <= most:
            yield place, f"expected a number from {least:g} to {most:g}, found {describe(each)}"
        elif choices and each not in choices:
            yield place, f"expected {_listed([f'{one:g}' for one in choices], 'or')}, found {describe(each)}"
        elif abs(each) > float(np.finfo(dtype).max):
            yield place, f"expected a number that {dtype} holds, found {describe(each)}"


def _elements(path: str, value: Any, axes: int) -> Iterator[tuple[str, Any]]:
    if axes == 0:
        yield path, value
    else:
        for index, each in enumerate(value):
            yield from _elements(f"{path}[{index}]", each, axes - 1)


def _shape(value: Any, axes: int) -> tuple[int, ...]:
    """The shape of regular nested lists; an axis below an empty one has size 0."""
    sizes = []
    for _ in range(axes):
        sizes.append(len(value) if isinstance(value, list) else 0)
        value = value[0] if isinstance(value, list) and value else None
    return tuple(sizes)


def _sizes(choices: Sequence[int], shape: tuple[str | int, ...], axis: int) -> str:
    """How many entries an axis must have, such as ``8 or 16 columns``."""
    numbers = _listed([str(each) for each in choices], "or")
    if len(shape) > 2:
        return f"{numbers} entries along axis {axis}"
    noun = "number" if len(shape) == 1 else ("row", "column")[axis]
    return f"{numbers} {noun}" if list(choices) == [1] else f"{numbers} {noun}s"


def _listed(words: Sequence[str], last: str = "and") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
