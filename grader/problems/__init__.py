"""The problems: which there are, and how to read one.

A problem is a folder of this package with a ``statement.md``. Listing them and reading statements imports
nothing, so that it is quick; `load` imports the problem's declaration.
"""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.errors import Unusable
from grader.suggest import did_you_mean

if TYPE_CHECKING:
    from grader.problem import Problem

_HERE = Path(__file__).parent
_STATEMENT = "statement.md"
_FENCE = "+++"


class FrontMatter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the head of a statement says about the problem."""

    title: str
    difficulty: str
    topic: str


def problem_ids() -> list[str]:
    """The ids of all problems, in alphabetical order."""
    return sorted(each.parent.name for each in _HERE.glob(f"*/{_STATEMENT}"))


def known_id(name: str) -> str:
    """The id that a person means by ``name``, dashes or not. Raises `Unusable` when there is no such problem."""
    identifier = name.replace("-", "_")
    ids = problem_ids()
    if identifier not in ids:
        raise Unusable(f"There is no problem {name}. {did_you_mean(identifier, ids)}")
    return identifier


def load(identifier: str) -> Problem:
    """A problem's declaration. Raises `Unusable` when there is no such problem, or when it cannot be imported."""
    name = known_id(identifier)
    try:
        problem: Problem = importlib.import_module(f"{__name__}.{name}").PROBLEM
    except Exception as error:
        raise Unusable(f"The problem {name} cannot be loaded: {type(error).__name__}: {error}") from error
    if problem.id != name:
        raise Unusable(f"The problem in {_HERE / name} says that its id is {problem.id}: the two must be the same.")
    return problem


def front_matter(identifier: str) -> FrontMatter:
    """Title, difficulty and topic. Raises `Unusable` when the statement's head is not as it must be."""
    head, _ = _read(known_id(identifier))
    return head


def statement(identifier: str) -> str:
    """The statement, Markdown, without its head."""
    _, body = _read(known_id(identifier))
    return body


def _read(identifier: str) -> tuple[FrontMatter, str]:
    path = _HERE / identifier / _STATEMENT
    try:
        fence, head, body = path.read_text("utf-8").split(f"{_FENCE}\n", 2)
        if fence:
            raise ValueError(f"it must begin with a line {_FENCE}")
        return msgspec.convert(tomllib.loads(head), FrontMatter), body.lstrip("\n")
    except (OSError, ValueError) as error:  # msgspec's and tomllib's errors are ValueErrors
        raise Unusable(f"{path} needs a head of title, difficulty and topic between {_FENCE} lines: {error}") from error
