"""The examples in a statement, held against the cases of the same name.

In a statement, ``## Example N`` opens an example; in its indented blocks, ``name = value`` gives an input or output,
a value going on over lines until its brackets are closed. Where an input and an output share a name, the input comes
first. The case is ``example_N``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import numpy as np

from grader.cases import Case
from grader.problem import Problem
from grader.verify.fault import Fault

_HEADING = re.compile(r"^## (.*)$", re.M)
_START = re.compile(r"^ {4}(\w+)\s*=\s*(.*)$")


def examples(statement: str) -> dict[str, list[tuple[str, object]]]:
    """For each example, by its case's name, the names and values in order. ValueError for what is no value."""
    found: dict[str, list[tuple[str, object]]] = {}
    parts = _HEADING.split(statement)
    for heading, text in zip(parts[1::2], parts[2::2], strict=True):
        match = re.fullmatch(r"Example (\d+)", heading.strip())
        if match:
            found[f"example_{match[1]}"] = list(_assignments(text.splitlines()))
    return found


def _assignments(lines: Sequence[str]) -> Iterator[tuple[str, object]]:
    name, text = "", ""
    for line in lines:
        start = _START.match(line)
        if not text and start:
            name, text = start[1], start[2]
        elif text:
            text += line
        if text and text.count("[") == text.count("]"):
            yield name, _value(text)
            name = text = ""


def _value(text: str) -> object:
    try:
        return ast.literal_eval(re.sub(r"\btrue\b", "True", re.sub(r"\bfalse\b", "False", text.strip())))
    except (SyntaxError, ValueError):
        raise ValueError(f"{text.strip()[:60]} is no value") from None


def differences(problem: Problem, statement: str, cases: Sequence[Case]) -> Iterator[Fault]:
    """Where statement and cases contradict one another."""
    by_name = {each.name: each for each in cases}
    try:
        written = examples(statement)
    except ValueError as error:
        yield Fault("statement.md", f"an example cannot be read: {error}")
        return
    if not written:
        yield Fault("statement.md", "it has no ## Example 1")
    for name, pairs in written.items():
        case = by_name.get(name)
        if case is None:
            yield Fault("statement.md", f"there is no case {name}.json for its example")
            continue
        if case.visibility != "public":
            yield Fault(f"{name}.json", "it is an example of the statement, and hidden")
        first = dict(reversed(pairs))
        last = dict(pairs)
        for each in problem.inputs:
            if each.name not in first:
                yield Fault("statement.md", f"{name} does not give {each.name}")
            elif not _same(first[each.name], case.inputs[each.name], 1e-6):
                yield Fault("statement.md", f"{name} gives another {each.name} than {name}.json")
        for output in problem.outputs:
            if output.name not in last:
                yield Fault("statement.md", f"{name} does not give {output.name}")
            elif case.expected is None:
                yield Fault(f"{name}.json", "it expects nothing, and the statement does")
            elif not _same(last[output.name], case.expected[output.name], 1e-5):
                yield Fault("statement.md", f"{name} gives another {output.name} than {name}.json expects")


def _same(written: object, array: np.ndarray, tolerance: float) -> bool:
    try:
        given = np.array(written, np.float64)
    except (TypeError, ValueError):
        return False
    return given.shape == array.shape and bool(np.allclose(given, array.astype(np.float64), tolerance, 1e-7))
