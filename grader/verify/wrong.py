"""Are the cases enough to tell wrong answers: such as need no thought, and the mistakes that the problem names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from grader.cases import Case
from grader.problem import Answer, Arrays, Problem
from grader.referee.compare import answers, wrong_elements
from grader.verify.fault import Fault


def untold(problem: Problem, cases: Sequence[Case]) -> Iterator[Fault]:
    """The wrong answers that all cases together would take for right."""
    given = [({name: array[None] for name, array in each.inputs.items()}, each.name) for each in cases]
    right = [answers(problem, arrays) for arrays, _ in given]
    for output in problem.outputs:
        for what, guesses in _guesses(problem, output.name, [arrays for arrays, _ in given], right).items():
            if all(_right(answer[output.name], guess) for answer, guess in zip(right, guesses, strict=True)):
                yield Fault("cases", f"no case tells {what} from the right {output.name}")
    for mistake in problem.mistakes:
        if not any(
            _shows(mistake.outputs(_wide(arrays)), answer) for (arrays, _), answer in zip(given, right, strict=True)
        ):
            yield Fault(f"mistake {mistake.id}", "no case tells it from the right answer")


def _guesses(
    problem: Problem, output: str, inputs: Sequence[Arrays], right: Sequence[Mapping[str, Answer]]
) -> dict[str, list[np.ndarray | None]]:
    """Answers that take no thought, one a case; None: it cannot be given in this case, and counts as wrong."""
    values = [each[output].value for each in right]
    random = np.random.default_rng(0)
    guesses: dict[str, list[np.ndarray | None]] = {
        "zeros": [np.zeros_like(each) for each in values],
        "ones": [np.ones_like(each) for each in values],
        "the identity": [_identity(each) for each in values],
        "random numbers": [random.normal(size=each.shape) for each in values],
        "the answer to another case": [
            next((other for other in values[:k] if other.shape == each.shape), None) for k, each in enumerate(values)
        ],
    }
    for name in problem.parameters:
        arrays = [each[name].astype(np.float64) for each in inputs]
        if any(array.shape == value.shape for array, value in zip(arrays, values, strict=True)):
            guesses[f"the input {name}"] = [
                array if array.shape == value.shape else None for array, value in zip(arrays, values, strict=True)
            ]
    return guesses


def _identity(like: np.ndarray) -> np.ndarray | None:
    return np.broadcast_to(np.eye(*like.shape[-2:]), like.shape) if like.ndim >= 3 else None


def _right(answer: Answer, guess: np.ndarray | None) -> bool:
    return guess is not None and not wrong_elements(answer, guess).any()


def _wide(arrays: Arrays) -> dict[str, np.ndarray]:
    return {name: array.astype(np.float64) for name, array in arrays.items()}


def _shows(mistaken: Mapping[str, np.ndarray], right: Mapping[str, Answer]) -> bool:
    return any(
        value.shape != right[name].value.shape or bool(wrong_elements(right[name], value).any())
        for name, value in mistaken.items()
    )
