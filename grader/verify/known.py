"""The known submissions as data: what each must get.

In: the files below a folder such as ``tests/submissions``, headed as its README.md says. Out: one frozen `Known` a
file, in order of path. A heading that says nothing sensible is an error here, so that no file goes unchecked by a slip.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

VERDICTS = {
    "accepted": "AC",
    "rule_violation": "RV",
    "wrong_answer": "WA",
    "runtime_error": "RE",
    "compile_error": "CE",
    "time_limit": "TLE",
    "memory_limit": "MLE",
}
"""Folder to the verdict that its files get."""

MARK = "# <- here"

_HEADING = re.compile(r"#\s*(verdict|rule|also|says)\s*:\s*(.*\S)\s*$")


@dataclass(frozen=True)
class Known:
    """A submission and what must be said of it."""

    path: Path
    problem: str
    verdicts: tuple[str, ...]
    """The verdict; the folder's own comes first, others that may stand for it follow."""
    rule: str | None
    """RV: the rule that must fail."""
    also: frozenset[str]
    """RV: rules that may fail besides."""
    says: str | None
    """Text that one of the findings contains."""
    lines: frozenset[int]
    """A finding points at one of these; empty when none is asked for."""
    idea: str

    @property
    def id(self) -> str:
        return f"{self.problem}/{self.path.parent.name}/{self.path.stem}"


def known_submissions(folder: Path, problem: str | None = None) -> tuple[Known, ...]:
    """Every known submission in ``folder``/problem/verdict, or those of one problem."""
    return tuple(_read_all(folder, problem))


def _read_all(folder: Path, problem: str | None) -> Iterator[Known]:
    for path in sorted(folder.glob("*/*/*.py")):
        if path.parent.name in VERDICTS and problem in (None, path.parent.parent.name):
            yield read(path)


def read(path: Path) -> Known:
    """The record of one file. ValueError when its heading is missing or at odds with its folder."""
    beside = path.with_suffix(".expect")
    text = (beside if beside.exists() else path).read_text(encoding="utf-8-sig", errors="replace")
    fields: dict[str, str] = {}
    idea: list[str] = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        heading = _HEADING.match(line)
        if heading and not idea:
            fields[heading[1]] = heading[2]
        else:
            idea.append(line.lstrip("# "))

    verdicts = tuple(fields.get("verdict", "").split(" or "))
    rule = fields.get("rule")
    if verdicts[0] != VERDICTS[path.parent.name] or not set(verdicts) <= set(VERDICTS.values()):
        raise ValueError(f"{path}: verdict {fields.get('verdict')!r} in the folder {path.parent.name}")
    if (verdicts[0] == "RV") != (rule is not None):
        raise ValueError(f"{path}: a rule is named for RV, and only for RV")
    if not any(idea):
        raise ValueError(f"{path}: no sentence says what the idea is")
    return Known(
        path=path,
        problem=path.parent.parent.name,
        verdicts=verdicts,
        rule=rule,
        also=frozenset(part.strip() for part in fields.get("also", "").split(",") if part.strip()),
        says=fields.get("says"),
        lines=frozenset(n for n, line in enumerate(_code_lines(path), 1) if line.rstrip().endswith(MARK)),
        idea=" ".join(idea),
    )


def _code_lines(path: Path) -> list[str]:
    # Python's own idea of a line, not str.splitlines': a form feed ends none.
    return re.split(r"\r\n|\r|\n", path.read_text(encoding="utf-8-sig", errors="replace"))
