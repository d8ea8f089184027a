"""Workers on this machine: threads, each with a judge of its own that keeps JAX imported.

A thread only relays bytes between the processes that its judge forks, so threads do not get in each other's
way, and a submission has no worker to kill: what it can end are the processes of its own judgement. Should
the judge itself fail (its zygote was killed, or the machine ran out of memory), the submission is judged once
more, with a new one.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from dataclasses import dataclass
from typing import Protocol

from grader.batch.key import Settings
from grader.errors import Unusable
from grader.memory import Memory
from grader.report.model import Finding, Report, Verdict
from grader.supervisor import Judge


@dataclass(frozen=True, slots=True)
class Task:
    """One submission to judge."""

    id: int
    """The entry that it came from."""
    key: str
    name: str
    submission: bytes


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a task: a report, or the reason why there is none."""

    task: Task
    report: Report | None
    reason: str | None = None


class Workers(Protocol):
    """Whoever judges: takes tasks, gives back what came of them in any order."""

    @property
    def room(self) -> int:
        """How many tasks to have under way, so that nobody waits."""

    def give(self, task: Task) -> None: ...

    def next(self, seconds: float) -> Done | None:
        """What is done next; None when nothing is within this time."""

    def stop(self) -> None:
        """End everything at once; what is under way is dropped."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalWorkers:
    """Threads with a judge each."""

    def __init__(self, settings: Settings, count: int) -> None:
        self.settings = settings
        self.tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self.done: queue.SimpleQueue[Done] = queue.SimpleQueue()
        memory = Memory()
        self.judges = [Judge(memory) for _ in range(count)]
        self.threads = [threading.Thread(target=self.work, args=(judge,), daemon=True) for judge in self.judges]
        self.stopping = False
        for each in self.judges:
            each.start()
        for thread in self.threads:
            thread.start()

    @property
    def room(self) -> int:
        return len(self.threads) + 1

    def give(self, task: Task) -> None:
        self.tasks.put(task)

    def next(self, seconds: float) -> Done | None:
        try:
            return self.done.get(timeout=seconds)
        except queue.Empty:
            return None

    def work(self, judge: Judge) -> None:
        with judge:
            while not self.stopping and (task := self.tasks.get()) is not None:
                done = attempt(judge, self.settings, task)
                if failed(done) and not self.stopping:
                    done = attempt(judge, self.settings, task)
                self.done.put(done)

    def stop(self) -> None:
        self.stopping = True
        for _ in self.threads:
            self.tasks.put(None)
        until = time.monotonic() + STOP_SECONDS
        while any(each.is_alive() for each in self.threads) and time.monotonic() < until:
            for judge in self.judges:  # again and again: a thread may be about to fork the next process
                interrupt(judge)
            time.sleep(0.01)


STOP_SECONDS = 5.0


def interrupt(judge: Judge) -> None:
    """End what a judge is at, from another thread: what it then returns is worth nothing."""
    zygote = judge.zygote
    if zygote is None:
        return
    if not zygote.is_ready:  # it is importing JAX, and has forked nothing yet
        zygote.process.kill()
    for child in list(zygote.children.values()):
        child.kill()


def failed(done: Done) -> bool:
    """The judge did not get to the end, maybe for a reason that has gone."""
    return done.report is not None and any(each.id == "judge" for each in done.report.findings)


def attempt(judge: Judge, settings: Settings, task: Task) -> Done:
    """Judge one submission. Never raises."""
    try:
        return Done(task, judge.grade(settings.request(task.submission, task.name)))
    except Unusable as error:
        return Done(task, None, f"{error}")
    except Exception as error:
        judge.close()
        finding = Finding(kind="error", id="judge", verdict=Verdict.IE, message=f"{type(error).__name__}: {error}")
        return Done(task, Report(verdict=Verdict.IE, problem=None, submission=task.name, findings=(finding,)))
