"""Write a new case.

Comes in: a problem, a name, and the bytes of a case or of its inputs alone. Goes out: a file in the problem's
folder, laid out for people, with the oracle's values as ``expected`` where none were given.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from grader.cases.case import Case, Visibility
from grader.cases.folder import cases_root, shown
from grader.cases.parse import answers, parse
from grader.decimals import nested
from grader.errors import Unusable
from grader.problem import Problem
from grader.report.rows import pretty

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def add(
    problem: Problem,
    name: str,
    data: bytes,
    source: str,
    *,
    root: Path | None = None,
    description: str | None = None,
    visibility: Visibility | None = None,
) -> Path:
    """Write the case and return its file. ``source`` is where ``data`` came from, for messages.

    A description or visibility that is given stands instead of the one in ``data``. Raises `CaseError`
    when the case is not right, `Unusable` when the name is not, is taken, or cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise Unusable(f"{name!r} cannot name a case: use letters, digits, _ and -, beginning with a letter or digit.")
    case = parse(problem, data, source)
    text = case_text(problem, case, description or case.description, visibility or case.visibility)
    path = cases_root(root) / problem.id / f"{name}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_new(path, text.encode())
    except FileExistsError:
        raise Unusable(f"{shown(path)} exists already; it was left as it is.") from None
    except OSError as error:
        raise Unusable(f"{shown(path)} cannot be written: {error.strerror}") from error
    return path


def case_text(problem: Problem, case: Case, description: str, visibility: Visibility) -> str:
    """A case file's text: one row of numbers a line."""
    if case.expected is None:
        # The inputs as the file will show them, so that the expected values are those of its decimals.
        written = {name: np.array(nested(array), np.float64) for name, array in case.inputs.items()}
        right = answers(problem, written)
        outputs = {each.name: right[each.name].value.astype(each.dtype) for each in problem.outputs}
    else:
        outputs = dict(case.expected)
    document: dict[str, Any] = {"description": description} if description else {}
    document["visibility"] = visibility
    document["inputs"] = {name: nested(array) for name, array in case.inputs.items()}
    document["expected"] = {name: nested(array) for name, array in outputs.items()}
    return pretty(document) + "\n"


def _write_new(path: Path, data: bytes) -> None:
    """All of ``data`` or no file: it is linked to its name when complete, and never over another file."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(draft, "xb") as file:
            file.write(data)
        os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
