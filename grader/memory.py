"""What a judge remembers of programs that it accepted, so that equal ones are recognised.

In memory only, bounded, and for the jobs of one kind at a time: the same problem, options and case files. Only
reports without any finding are kept. A submission has no hand in it: what goes in and comes out is decided by
the referee's reading of the programs (`grader.referee.equal`) in the supervisor's process.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

import msgspec

from grader.cases.folder import case_files, cases_root
from grader.report.model import Report, Verdict
from grader.request import GradeRequest

MOST = 256
"""So many sets of programs are remembered, those longest unused forgotten first."""

Kind = bytes
"""What a report depends on beside the programs."""


def kind(request: GradeRequest, problems: Iterable[str]) -> Kind:
    """Jobs of the same kind judge the same programs alike. Case files count by name, size and time of change."""
    files = [path for each in problems for path in case_files(cases_root(request.cases_root) / each)]
    return msgspec.msgpack.encode(
        (request.problem, request.quick, request.examples, request.cases, request.seed, list(map(_looks, files)))
    )


def _looks(path: Path) -> tuple[str, int, int]:
    status = path.stat()
    return str(path), status.st_size, status.st_mtime_ns


class Memory:
    """Marks of accepted programs, and the report on each. Several judges may share one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[Kind, str], tuple[tuple[str, ...], Report]] = OrderedDict()

    def known(self, kind: Kind) -> tuple[tuple[str, ...], ...]:
        with self._lock:
            return tuple(marks for (each, _), (marks, _) in self._known.items() if each == kind)

    def recall(self, kind: Kind, last: str) -> Report | None:
        """The report on the programs whose last mark this is."""
        with self._lock:
            found = self._known.get((kind, last))
            if found is None:
                return None
            self._known.move_to_end((kind, last))
            return found[1]

    def keep(self, kind: Kind, marks: tuple[str, ...], report: Report) -> None:
        """Remember an accepted set; any other is passed over."""
        dark = report.generated is not None and report.generated.never_taken  # these are lines of the file
        if not marks or report.verdict is not Verdict.AC or report.findings or dark:
            return
        with self._lock:
            self._known[kind, marks[-1]] = (marks, report)
            while len(self._known) > MOST:
                self._known.popitem(last=False)


def completed(sketch: Report, known: Report) -> Report:
    """The report on programs that are equal to those of ``known``: what was found of them, and its own lines."""
    return msgspec.structs.replace(
        sketch,
        verdict=known.verdict,
        rules=known.rules,
        cases=known.cases,
        generated=known.generated,
        programs=known.programs,
    )
