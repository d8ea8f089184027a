"""What a judge remembers of programs that it judged, so that equal ones are recognised.

In memory only, bounded, and for jobs of one kind: the same problem, options and case files. A submission has no hand
in it: what goes in and comes out is decided by the referee's reading of the programs (`grader.referee.equal`), and
kept in the supervisor's process.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

import msgspec

from grader.cases.folder import case_files, cases_root
from grader.referee.known import Known
from grader.report.model import Report
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
    """What is known of sets of programs, and the report on each. Several judges may share one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[Kind, str], tuple[Known, Report]] = OrderedDict()

    def known(self, kind: Kind) -> tuple[Known, ...]:
        with self._lock:
            return tuple(known for (each, _), (known, _) in self._known.items() if each == kind)

    def recall(self, kind: Kind, last: str) -> Report | None:
        """The report on the programs whose last mark this is."""
        with self._lock:
            found = self._known.get((kind, last))
            if found is None:
                return None
            self._known.move_to_end((kind, last))
            return found[1]

    def keep(self, kind: Kind, known: Known, report: Report) -> None:
        """Remember a set, unless more was found than what follows from the programs."""
        if report.findings != known.findings:
            return
        with self._lock:
            self._known[kind, known.marks[-1]] = (known, report)
            while len(self._known) > MOST:
                self._known.popitem(last=False)


def completed(sketch: Report, known: Report) -> Report:
    """The report on programs that are equal to those of ``known``: what was found of them, with its own lines."""
    generated = known.generated
    if generated is not None and sketch.generated is not None:
        generated = msgspec.structs.replace(generated, never_taken=sketch.generated.never_taken)
    return msgspec.structs.replace(
        sketch,
        verdict=known.verdict,
        rules=known.rules,
        cases=known.cases,
        generated=generated,
        programs=known.programs,
    )
