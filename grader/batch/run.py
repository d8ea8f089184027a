"""One run: which submissions there are, which of them have no report yet, and getting those.

Comes in: paths, settings, an open results file and workers. What is found goes to the results file, and to
an observer as it happens. Memory does not grow with the number of submissions.
"""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from grader.batch.collect import Entry, collect, read, shown
from grader.batch.key import Keys
from grader.batch.results import Results, Row
from grader.batch.workers import Done, Task, Workers
from grader.regular_file import Unreadable
from grader.report import json as json_report
from grader.report.model import Report
from grader.submission_file import MOST_BYTES, empty

WAIT_SECONDS = 0.1
"""How soon a wish to stop is seen."""


class Stopped(Exception):
    """Somebody wished the run to stop. What was found until then is in the results file."""


Stop = Callable[[], bool]
"""Whether somebody wishes the run to stop."""


@dataclass(slots=True)
class Progress:
    """How far a run is."""

    total: int
    to_judge: int
    """Of these, how many had no report when the run began."""
    verdicts: Counter[str] = field(default_factory=Counter)
    """How many submissions have each verdict; ``unread`` are those that cannot be judged."""

    @property
    def done(self) -> int:
        return self.verdicts.total()


UNREAD = "unread"


def list_submissions(
    paths: Iterable[str | os.PathLike[str]], keys: Keys, results: Results, stop: Stop = lambda: False
) -> None:
    """Make what the paths name the submissions of this run. Raises `Stopped`: then the former ones stay."""
    results.replace_entries(with_keys(collect(paths), keys, stop))
    results.forget_faults()


def with_keys(entries: Iterable[Entry], keys: Keys, stop: Stop) -> Iterator[tuple[Entry, str | None]]:
    for entry in entries:
        if stop():
            raise Stopped
        if entry.reason is not None:
            yield entry, None
            continue
        try:
            yield entry, keys.key(read(entry, MOST_BYTES))
        except Unreadable as error:
            yield dataclasses.replace(entry, reason=error.reason), None


def progress(results: Results) -> Progress:
    """How far a run on this file is that has just begun."""
    counts = results.verdicts()
    unjudged = counts.pop(None, 0)
    unread = results.unread()
    verdicts = Counter({verdict: count for verdict, count in counts.items() if verdict is not None})
    verdicts[UNREAD] = unread
    return Progress(verdicts.total() + unjudged - unread, unjudged - unread, verdicts)


def judge_all(
    results: Results,
    keys: Keys,
    workers: Workers,
    observe: Callable[[Progress], None] = lambda progress: None,
    stop: Stop = lambda: False,
) -> None:
    """Judge what has no report yet. Raises `Stopped`; the workers are left for the caller to end."""
    state = progress(results)
    observe(state)
    under_way: set[str] = set()
    waiting = tasks(results, keys, under_way, state)
    while True:
        while len(under_way) < workers.room and (task := next(waiting, None)) is not None:
            under_way.add(task.key)
            workers.give(task)
        if not under_way:
            return
        if stop():
            raise Stopped
        done = workers.next(WAIT_SECONDS)
        if done is not None:
            under_way.discard(done.task.key)
            record(results, done, state)
        observe(state)


def tasks(results: Results, keys: Keys, under_way: set[str], state: Progress) -> Iterator[Task]:
    """What is to be judged, in order; what need not be judged to be known is recorded on the way."""
    after = 0
    while (row := results.next_unjudged(after)) is not None:
        after = row.id
        if row.key in under_way:  # equal files: one report is for all of them
            continue
        task = read_again(results, keys, row, state)
        if task is None or task.key in under_way:
            continue
        finding = empty(task.submission)
        if finding is None:
            yield task
        else:
            report = Report(
                verdict=finding.verdict, problem=keys.settings.problem, submission=task.name, findings=(finding,)
            )
            record(results, Done(task, report), state)


def read_again(results: Results, keys: Keys, row: Row, state: Progress) -> Task | None:
    """The task of a row; None when its file has changed to something that is no task."""
    try:
        submission = read(row.entry, MOST_BYTES)
    except Unreadable as error:
        results.set_reason(row.id, error.reason)
        state.verdicts[UNREAD] += 1
        return None
    key = keys.key(submission)
    if key != row.key:
        results.set_key(row.id, key)
        known = results.verdict(key)
        if known is not None:
            state.verdicts[known] += 1
            return None
    return Task(row.id, key, shown(row.entry), submission)


def record(results: Results, done: Done, state: Progress) -> None:
    count = results.count(done.task.key)
    if done.report is None:
        results.set_reasons(done.task.key, done.reason or "the judge gave no reason")
        state.verdicts[UNREAD] += count
    else:
        results.record(done.task.key, done.report, json_report.render(done.report))
        state.verdicts[done.report.verdict.value] += count
