"""Workers on other machines: a Dask cluster's.

Each thread of each Dask worker has a judge of its own, which stays open from one submission to the next. A worker
must have the same judge, cases and libraries as the machine that the batch was started on, or nothing of it counts:
every task says which, and the worker compares. Dask gives the submissions of a worker that dies to another one; a
submission under which three of them died is a fault of the judge (IE).

Whoever can reach a Dask scheduler can run programs on its workers: keep it in a network of your own, or use
``tls://`` (https://distributed.dask.org/en/stable/tls.html).
"""

from __future__ import annotations

import atexit
import functools
import importlib
import queue
import time
from typing import Any, TypeAlias

from grader.batch.key import Keys, Settings
from grader.batch.workers import Done, Task, attempt, failed
from grader.errors import Unusable
from grader.report.model import Finding, Report, Verdict
from grader.supervisor import Judge

Client: TypeAlias = Any
Future: TypeAlias = Any
"""Dask's, which has no types; and it is imported only when a cluster is used."""

CONNECT_SECONDS = 10
WORKERS_SECONDS = 30
"""How long to wait for the first worker."""
LOOK_EVERY = 2.0
"""Seconds between looks at how many workers there are."""


class Mismatch(Exception):
    """A worker judges otherwise than the machine that the batch was started on."""


class ClusterWorkers:
    """The workers of a Dask cluster."""

    def __init__(self, settings: Settings, keys: Keys, address: str) -> None:
        """Raises `Unusable` when there is no such cluster, or it has no workers."""
        self.settings, self.common, self.address = settings, keys.common, address
        self.done: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self.tasks: dict[str, tuple[Task, Future]] = {}
        self.looked = 0.0
        self.threads = 1
        self.client = connect(address)

    @property
    def room(self) -> int:
        if time.monotonic() - self.looked > LOOK_EVERY:
            self.looked = time.monotonic()
            with self.guarded():
                self.threads = max(sum(self.client.nthreads().values()), 1)
        return 2 * self.threads

    def give(self, task: Task) -> None:
        with self.guarded():
            # A task of the same name as one that was judged before would get its old result.
            name = f"grader-{task.key}-{time.monotonic_ns()}"
            future = self.client.submit(judge_on_worker, self.settings, self.common, task, key=name, pure=False)
            self.tasks[name] = (task, future)
            future.add_done_callback(self.done.put)

    def next(self, seconds: float) -> Done | None:
        try:
            future = self.done.get(timeout=seconds)
        except queue.Empty:
            if self.client.status != "running":
                raise self.lost() from None
            return None
        task, _ = self.tasks.pop(future.key)
        if future.status == "finished":
            done: Done = future.result()
            return done
        if future.status == "error":
            return self.went_wrong(task, future)
        if self.client.status != "running":
            raise self.lost()
        self.give(task)  # the scheduler forgot it
        return None

    def went_wrong(self, task: Task, future: Future) -> Done:
        error = future.exception()
        if isinstance(error, Mismatch):
            raise Unusable(f"{error} Install the same on all machines, or leave that worker out.")
        message = f"{type(error).__name__}: {error}"
        if type(error).__name__ == "KilledWorker":
            message = "Every worker that judged it died."
        finding = Finding(kind="error", id="judge", verdict=Verdict.IE, message=message)
        return Done(task, Report(verdict=Verdict.IE, problem=None, submission=task.name, findings=(finding,)))

    def stop(self) -> None:
        """Workers finish the submission that they are at; nobody waits for it."""
        try:
            if self.client.status == "running":
                self.client.cancel([future for _, future in self.tasks.values()], force=True)
            self.client.close(timeout=1)
        except Exception:  # it may be half gone already
            return

    def guarded(self) -> Guard:
        return Guard(self)

    def lost(self) -> Unusable:
        return Unusable(
            f"The connection to {self.address} was lost. What was recorded is kept; "
            "run the same command again to go on."
        )


class Guard:
    """Says in words that the cluster is gone."""

    def __init__(self, workers: ClusterWorkers) -> None:
        self.workers = workers

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, OSError | TimeoutError | RuntimeError):
            raise self.workers.lost() from error


def connect(address: str) -> Client:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise Unusable("--dask needs Dask: pip install 'grader[dask]'.") from None
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Unusable(f"There is no Dask scheduler at {address} ({error}).") from error
    try:
        client.wait_for_workers(1, timeout=WORKERS_SECONDS)
    except TimeoutError:
        client.close(timeout=1)
        raise Unusable(f"The Dask scheduler at {address} has no workers.") from None
    return client


# ── on the worker ────────────────────────────────────────────────────────────────────────────────

_judges: queue.LifoQueue[Judge] = queue.LifoQueue()
"""Judges of this process that are at no submission at the moment."""


def judge_on_worker(settings: Settings, common: bytes, task: Task) -> Done:
    """Judge a submission in this process, which is a Dask worker's. Raises `Mismatch`."""
    if _common(settings) != common:
        raise Mismatch(f"The worker {_address()} has another version of grader, its cases or its libraries.")
    try:
        judge = _judges.get_nowait()
    except queue.Empty:
        judge = Judge()
        atexit.register(judge.close)
    try:
        done = attempt(judge, settings, task)
        return attempt(judge, settings, task) if failed(done) else done
    finally:
        _judges.put(judge)


@functools.lru_cache(maxsize=4)
def _common(settings: Settings) -> bytes:
    return Keys(settings).common


def _address() -> Any:
    distributed: Any = importlib.import_module("distributed")
    return distributed.get_worker().address
