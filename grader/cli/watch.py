"""``grader watch``: judge a submission again whenever it is saved.

JAX stays loaded. After the first verdict each save is judged on a sample of the shapes, and then, unless that
found something, on all of them. The screen is drawn anew each time, with what has changed since the last
verdict; where standard output is no terminal, each verdict is printed after the last.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING

from grader.cli.grade import request
from grader.cli.terminal import emit, look
from grader.errors import Unusable
from grader.report.model import Finding, Report, Verdict
from grader.report.text import render
from grader.submission_file import read_submission

if TYPE_CHECKING:
    from grader.supervisor import Judge

LOOK_SECONDS = 0.05
"""How often the file is looked at."""
SETTLED_SECONDS = 0.03
"""An editor writes in several steps: the file is read when it has stood still for so long."""
CLEAR = "\x1b[2J\x1b[3J\x1b[H"

Stamp = tuple[int, int, int] | None
"""A file's inode, size and time; None when it is not there."""


def watch(options: argparse.Namespace) -> int:
    """Judge, and judge again at each save, until Ctrl-C."""
    if stamp(options.file) is None:
        raise Unusable(f"There is no file {options.file} to watch.")
    from grader.supervisor import Judge

    last: Report | None = None
    seen: Stamp = None
    try:
        with Judge() as judge:
            while True:
                now = settled(options.file)
                if now is not None and now != seen:
                    seen = now
                    last = judged(judge, options, last)
                time.sleep(LOOK_SECONDS)
    except KeyboardInterrupt:
        return 0


def judged(judge: Judge, options: argparse.Namespace, last: Report | None) -> Report:
    """Judge the file as it is now and show the verdict; after the first time, on a sample of the shapes first."""
    source = read_submission(options.file)
    if isinstance(source, Finding):
        report = Report(verdict=source.verdict, problem=None, submission=options.file, findings=(source,))
        draw(report, None, last)
        return report
    report = judge.grade(request(options, source, quick=options.quick or last is not None))
    draw(report, source, last)
    if report.verdict is Verdict.AC and last is not None and not options.quick:
        report = judge.grade(request(options, source, quick=False))
        draw(report, source, last)
    return report


def stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def settled(path: str) -> Stamp:
    """The file's stamp once it has stopped changing; None while it is away."""
    before = stamp(path)
    while before is not None:
        time.sleep(SETTLED_SECONDS)
        after = stamp(path)
        if after == before:
            return after
        before = after
    return None


def draw(report: Report, source: bytes | None, last: Report | None) -> None:
    seen = look()
    text = render(report, source, seen)
    if last is not None:
        text += f"\n{changes(last, report)}\n"
    text += "\nWatching; Ctrl-C ends it.\n"
    emit((CLEAR if seen.color else "") + text, unicode=seen.unicode)


def changes(before: Report, after: Report) -> str:
    """What is different from the last verdict, in a line."""
    mended = names(before) - names(after)
    new = names(after) - names(before)
    parts = []
    if before.verdict is not after.verdict:
        parts.append(f"{before.verdict.value} before, {after.verdict.value} now")
    if mended:
        parts.append(f"mended: {', '.join(sorted(mended))}")
    if new:
        parts.append(f"new: {', '.join(sorted(new))}")
    return f"Since the last verdict: {'; '.join(parts) or 'no change'}."


def names(report: Report) -> set[str]:
    return {each.id for each in report.findings}
