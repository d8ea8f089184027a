"""The judge as a library, for platforms: a file or its bytes in, a `Report` out.

    import grader

    report = grader.grade("mine.py", problem="tensor_parallel_mlp")

    with grader.Judge() as judge:          # imports JAX once
        for path in paths:
            print(path, judge.grade(path).verdict.value)

Nothing of a submission runs in the calling process, which needs no JAX itself: a judge is a process that has
JAX imported and forks two processes for each submission (docs/design.md).
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TypedDict, Unpack

from grader import supervisor
from grader.errors import Unusable
from grader.problems import known_id
from grader.report.clean import clean
from grader.report.model import Finding, Report, Verdict
from grader.request import GradeRequest, Limits
from grader.submission_file import empty, read_submission, too_large


class Options(TypedDict, total=False):
    """How to judge; everything may be left out."""

    problem: str | None
    """A problem's id. Left out: the problem is recognised by the function that the submission defines."""
    quick: bool
    """Judge a sample of the shapes only."""
    examples: int | None
    """How many generated inputs to try in all."""
    cases: tuple[str, ...]
    """The names of the only cases to judge on; empty: all cases, and generated inputs."""
    cases_root: str | os.PathLike[str] | None
    """The folder that holds a folder of cases for each problem."""
    seconds: float | None
    """Wall-clock limit of loading and tracing."""
    memory: int | None
    """Limit of the memory of the submission's processes, bytes."""
    seed: int
    """Of the generated inputs: the same seed and file give the same verdict."""
    require_sandbox: bool
    """Judge nothing when a layer of the sandbox is missing on this machine: the verdict is then IE."""


class Judge:
    """Judges submissions, with JAX imported once.

    Use it as a context manager, or call `close`. Safe to use from several threads: their submissions are
    judged one after another. For more at a time take several judges; each needs about 200 MB and a core or two.
    """

    def __init__(self) -> None:
        self._judge = supervisor.Judge()
        self._lock = threading.Lock()
        self._closed = False
        self._judge.start()

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the judge's process, when the submission that is being judged is done. May be called again."""
        with self._lock:
            self._closed = True
            self._judge.close()

    def grade(self, path: str | os.PathLike[str], **options: Unpack[Options]) -> Report:
        """Judge a file.

        Whatever is in the file there is a report: one that cannot be read is CE, and a fault of the judge's is
        IE. Raises `grader.Unusable` for options that make no sense, and for cases or problems that cannot be used,
        and RuntimeError when the judge is closed.
        """
        name = os.fspath(path)
        source = read_submission(name)
        if isinstance(source, Finding):
            return _report(clean(name), options, source)
        return self._grade(source, clean(name), options)

    def grade_source(self, source: bytes, name: str = "submission.py", **options: Unpack[Options]) -> Report:
        """As `grade`, for a file's content; ``name`` is what the report calls it."""
        finding = too_large(source) or empty(source)
        if finding is not None:
            return _report(clean(name), options, finding)
        return self._grade(source, clean(name), options)

    def _grade(self, source: bytes, name: str, options: Options) -> Report:
        request = _request(source, name, options)
        with self._lock:
            if self._closed:
                raise RuntimeError("This judge is closed.")
            try:
                return self._judge.grade(request)
            except Unusable:
                raise
            except Exception as error:
                self._judge.close()
                message = f"{type(error).__name__}: {error}"
                finding = Finding(kind="error", id="judge", verdict=Verdict.IE, message=message)
                return _report(name, options, finding)


def grade(path: str | os.PathLike[str], **options: Unpack[Options]) -> Report:
    """Judge one file with a judge of its own; see `Judge.grade`. Importing JAX takes most of the time."""
    with Judge() as judge:
        return judge.grade(path, **options)


def _request(source: bytes, name: str, options: Options) -> GradeRequest:
    problem, root = options.get("problem"), options.get("cases_root")
    return GradeRequest(
        submission=source,
        display_name=name,
        problem=known_id(problem) if problem is not None else None,
        quick=options.get("quick", False),
        examples=options.get("examples"),
        cases=tuple(options.get("cases", ())),
        cases_root=Path(root) if root is not None else None,
        limits=Limits(seconds=options.get("seconds"), bytes=options.get("memory")),
        seed=options.get("seed", 0),
        require_sandbox=options.get("require_sandbox", False),
    )


def _report(name: str, options: Options, finding: Finding) -> Report:
    return Report(verdict=finding.verdict, problem=options.get("problem"), submission=name, findings=(finding,))
