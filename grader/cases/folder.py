"""All cases of a problem, from its folder.

Where the folder is: ``root/<problem>``, ``root`` being what the caller names, else what the environment
variable ``GRADER_CASES`` names, else ``cases`` beside the package, as in a checkout.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import grader
from grader.cases.case import Case, CaseError, Issue
from grader.cases.parse import parse
from grader.errors import Unusable
from grader.problem import Problem
from grader.regular_file import Unreadable, read_regular_file
from grader.suggest import did_you_mean

MOST_BYTES = 4 << 20
"""Of one case file."""


def cases_root(given: Path | None = None) -> Path:
    """The folder that holds a folder of cases for each problem."""
    if given is not None:
        return given
    named = os.environ.get("GRADER_CASES")
    return Path(named) if named else Path(grader.__file__).resolve().parent.parent / "cases"


def load_cases(problem: Problem, root: Path | None = None) -> list[Case]:
    """Every case of ``problem``, in the order of their names.

    Raises `CaseError`, listing all that is wrong with any of them, and when there are none.
    """
    folder = cases_root(root) / problem.id
    cases: list[Case] = []
    issues: list[Issue] = []
    for path in case_files(folder):
        try:
            cases.append(parse(problem, read_bounded(path), shown(path)))
        except CaseError as error:
            issues.extend(error.issues)
    if issues:
        raise CaseError(issues)
    if not cases:
        found = "found none" if folder.is_dir() else "there is no such folder; --cases or GRADER_CASES names another"
        raise CaseError([Issue(shown(folder), "", f"expected at least one case (a .json file), {found}")])
    return cases


def choose(cases: Sequence[Case], names: Sequence[str]) -> list[Case]:
    """The named cases, or all when none is named. Raises `Unusable` for a name that no case has."""
    known = {each.name: each for each in cases}
    for name in names:
        if name not in known:
            raise Unusable(f"There is no case {name}. {did_you_mean(name, known)}")
    return [each for each in cases if not names or each.name in names]


def case_files(folder: Path) -> list[Path]:
    """The case files in ``folder``, example_2 before example_10; none when there is no such folder."""
    try:
        paths = [each for each in folder.iterdir() if each.suffix == ".json" and not each.name.startswith(".")]
    except OSError:
        return []
    return sorted(paths, key=lambda path: _natural(path.stem))


def _natural(name: str) -> list[str | int]:
    return [int(part) if part.isdecimal() else part for part in re.split(r"([0-9]+)", name)]


def read_bounded(path: Path) -> bytes:
    """A case file's bytes. Raises `CaseError` for what is no regular file, cannot be read or is too large."""
    try:
        return read_regular_file(path, MOST_BYTES)
    except Unreadable as error:
        raise CaseError([Issue(shown(path), "", f"cannot be read: {error.reason}")]) from error


def shown(path: Path) -> str:
    """A path as a person in the current directory would write it."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return str(path)
    return str(path) if relative.startswith(os.pardir) else relative
