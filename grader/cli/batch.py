"""``grader batch``: judge many submissions, and say what they come to."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from grader.batch.exports import EXPORTS, export
from grader.batch.exports.writing import folder
from grader.batch.key import Keys, Settings
from grader.batch.results import Results
from grader.batch.run import Progress, Stopped, judge_all, list_submissions, progress
from grader.batch.summary import render, summarise
from grader.batch.workers import LocalWorkers, Workers, cores
from grader.cli.reports import limits
from grader.cli.terminal import check_writable, emit, look, say
from grader.errors import Unusable
from grader.problems import known_id

if TYPE_CHECKING:
    from rich.progress import Task as Shown

FAULT = 3
INTERRUPTED = 130
SAY_EVERY = 30.0
"""Seconds between lines about the progress where there is no terminal to show it on."""


def batch(options: argparse.Namespace) -> int:
    """The exit status: 0 when every submission has a verdict, 3 when the judge failed on one, 130 if stopped."""
    settings = Settings(
        problem=known_id(options.problem) if options.problem else None,
        quick=options.quick,
        examples=options.examples,
        cases=tuple(options.case),
        cases_root=options.cases,
        limits=limits(options),
        seed=options.seed,
        require_sandbox=options.require_sandbox,
    )
    if options.workers == 0:
        raise Unusable("At least one worker is needed: --workers 1.")
    settings.check()
    for form, kind in EXPORTS.items():
        target: Path | None = getattr(options, form)
        if target is not None:  # better now than after the work
            folder(target) if kind == "FOLDER" else check_writable(target)
    with Results(options.results) as results, stop_signals() as stop:
        try:
            run(options, settings, results, stop)
        except Stopped:
            say(stopped(options, results))
            return INTERRUPTED
        for form in EXPORTS:
            target = getattr(options, form)
            if target is not None:
                export(form, results, target)
        summary = summarise(results)
    if options.format == "json":
        import msgspec

        emit(msgspec.json.encode(summary) + b"\n")
    else:
        emit(render(summary), unicode=look().unicode)
    return FAULT if summary.verdicts.get("IE") else 0


def run(options: argparse.Namespace, settings: Settings, results: Results, stop: Callable[[], bool]) -> None:
    keys = Keys(settings)
    list_submissions(options.paths, keys, results, stop)
    if options.again:
        results.forget_all()
    state = progress(results)
    if state.total == 0:
        raise Unusable("There is no Python file in what was named.")
    if state.to_judge == 0:
        return
    workers = chosen_workers(options, settings, keys, state.to_judge)
    try:
        with shown(state) as observe:
            judge_all(results, keys, workers, observe, stop)
    finally:
        workers.stop()


def chosen_workers(options: argparse.Namespace, settings: Settings, keys: Keys, to_judge: int) -> Workers:
    if options.dask is not None:
        from grader.batch.cluster import ClusterWorkers

        return ClusterWorkers(settings, keys, options.dask)
    return LocalWorkers(settings, min(options.workers or cores(), to_judge))


@contextlib.contextmanager
def stop_signals() -> Iterator[Callable[[], bool]]:
    """Whether somebody wishes the run to stop: Ctrl-C, or a signal to end."""
    received: list[int] = []

    def receive(number: int, _: FrameType | None) -> None:
        received.append(number)
        if len(received) > 2:  # somebody means it
            os._exit(128 + number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {each: signal.signal(each, receive) for each in numbers}
    try:
        yield lambda: bool(received)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def stopped(options: argparse.Namespace, results: Results) -> str:
    state = progress(results)
    return (
        f"Stopped: {state.done:,} of {state.total:,} submissions are in {options.results}. "
        "Run the same command again to go on from there."
    )


@contextlib.contextmanager
def shown(state: Progress) -> Iterator[Callable[[Progress], None]]:
    """Show progress on standard error: a bar on a terminal, else a line now and then."""
    if sys.stderr is None:
        yield lambda progress: None
    elif sys.stderr.isatty():
        with bar(state) as observe:
            yield observe
    else:
        said = time.monotonic()

        def line(now: Progress) -> None:
            nonlocal said
            if time.monotonic() - said >= SAY_EVERY:
                said = time.monotonic()
                say(f"{now.done:,} of {now.total:,}: {counts(now)}")

        yield line


@contextlib.contextmanager
def bar(state: Progress) -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar
    from rich.text import Text

    class Counts(ProgressColumn):
        def render(self, task: Shown) -> Text:
            return Text(task.fields["counts"])

    console = Console(stderr=True, no_color=bool(os.environ.get("NO_COLOR")) or None)
    columns = (BarColumn(), MofNCompleteColumn(), Counts(), TextColumn("left"), TimeRemainingColumn(compact=True))
    with Bar(*columns, console=console, transient=True, refresh_per_second=4) as made:
        task = made.add_task("", total=state.to_judge, counts=counts(state))
        before = state.done

        def observe(now: Progress) -> None:
            made.update(task, completed=now.done - before, total=now.total - before, counts=counts(now))

        yield observe


def counts(state: Progress) -> str:
    order = ("AC", "RV", "WA", "RE", "CE", "TLE", "MLE", "IE", "unread")
    return " ".join(f"{each} {state.verdicts[each]:,}" for each in order if state.verdicts[each])
