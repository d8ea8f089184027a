"""A case, and what can be wrong with one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from grader.errors import Unusable

Visibility: TypeAlias = Literal["public", "hidden"]


@dataclass(frozen=True, eq=False)
class Case:
    """One input, and what must come out."""

    name: str
    shape: Mapping[str, int]
    """The size of each dimension."""
    inputs: Mapping[str, np.ndarray]
    """By parameter, in the problem's order; dtypes as declared."""
    expected: Mapping[str, np.ndarray] | None = None
    """By output, as written in the file (float64, or the output's integer or bool dtype); None: left to the oracle."""
    description: str = ""
    visibility: Visibility = "public"


@dataclass(frozen=True)
class Issue:
    """Something wrong with a case: in which file, where in it, and what was expected there."""

    file: str
    path: str
    """A JSON path such as ``$.inputs.x[0][1]``, or ``line 3, column 7`` where the file is no JSON; may be empty."""
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.path, self.message) if part)


class CaseError(Unusable):
    """Cases that cannot be used; ``issues`` lists everything that is wrong."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        super().__init__("\n".join(map(str, issues)))
        self.issues = tuple(issues)
