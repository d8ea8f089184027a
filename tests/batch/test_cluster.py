"""A batch on a Dask cluster of several processes: the same results, resuming, and workers that die."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.batch.cluster import ClusterWorkers
from grader.batch.key import Keys, Settings
from grader.batch.results import Results
from grader.batch.run import Progress, judge_all, list_submissions
from grader.batch.workers import LocalWorkers, Workers
from grader.errors import Unusable

distributed: Any = pytest.importorskip("distributed")

ROOT = Path(__file__).parents[2]
SOLUTION = (ROOT / "solution" / "tensor_parallel_mlp.py").read_text()
SETTINGS = Settings(problem="tensor_parallel_mlp", cases=("example_1",))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        quiet = {"distributed.worker.profile.enabled": False, "distributed.admin.log-length": 10}
        dask: Any = pytest.importorskip("dask")
        with (
            dask.config.set(quiet),
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
            ) as made,
        ):
            yield made


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Results]:
    (tmp_path / "s").mkdir()
    monkeypatch.chdir(tmp_path)
    with Results(tmp_path / "r.sqlite") as made:
        yield made


def put(**files: str) -> None:
    for name, text in files.items():
        Path("s", f"{name}.py").write_text(text)


def run(results: Results, workers: Workers, observe: Any = lambda progress: None) -> None:
    keys = Keys(SETTINGS)
    list_submissions(["s"], keys, results)
    try:
        judge_all(results, keys, workers, observe)
    finally:
        workers.stop()


def on(cluster: Any) -> ClusterWorkers:
    return ClusterWorkers(SETTINGS, Keys(SETTINGS), cluster.scheduler_address)


def found(results: Results) -> dict[bytes, Any]:
    return {each.entry.name: each.report and each.report.split(b'"seconds"')[0] for each in results.rows()}


def test_the_same_results_as_on_this_machine(cluster: Any, results: Results) -> None:
    put(
        a=SOLUTION,
        b=SOLUTION.replace('"model") + b2', '"model") + b2 + b2'),
        c="def f(:",
        d="import os\nos._exit(3)\n",
        e=SOLUTION.replace("sharded", "dealt"),
    )
    run(results, on(cluster))
    there = found(results)
    assert results.verdicts() == {"AC": 2, "CE": 1, "RE": 1, "RV": 1}
    results.forget_all()
    run(results, LocalWorkers(SETTINGS, 1))
    assert found(results) == there


def test_a_worker_that_is_killed_costs_no_result(cluster: Any, results: Results) -> None:
    put(**{f"f{number}": f"{SOLUTION}\nimport time\n\ntime.sleep(0.5)  # {number}\n" for number in range(6)})
    killed: list[int] = []

    def kill_one(progress: Progress) -> None:
        if progress.done == 1 and not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    workers = on(cluster)
    run(results, workers, kill_one)
    assert killed
    assert results.verdicts() == {"AC": 6}


def test_a_submission_under_which_all_workers_die_is_a_fault_of_the_judge(
    cluster: Any, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(a="import time\ntime.sleep(60)\n")
    killed: set[int] = set()
    workers = on(cluster)

    def kill_whoever_has_it(progress: Progress) -> None:
        with contextlib.suppress(OSError, KeyError):
            for address, tasks in workers.client.processing().items():
                [pid] = workers.client.run(os.getpid, workers=[address]).values() if tasks else [0]
                if pid and pid not in killed:
                    killed.add(pid)
                    os.kill(pid, signal.SIGKILL)

    run(results, workers, kill_whoever_has_it)
    assert results.verdicts() == {"IE": 1}
    [row] = results.rows()
    assert b"Every worker that judged it died." in (row.report or b"")


def test_a_worker_with_another_judge_is_refused(cluster: Any, results: Results) -> None:
    put(a=SOLUTION)
    wait_for_workers(cluster)
    workers = on(cluster)
    workers.common = b"another"
    with pytest.raises(Unusable, match=r"has another version of grader, its cases or its libraries\. Install the same"):
        run(results, workers)


def wait_for_workers(cluster: Any) -> None:
    until = time.monotonic() + 60
    while len(cluster.scheduler_info["workers"]) < 2 and time.monotonic() < until:
        time.sleep(0.1)


def test_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.batch.cluster.CONNECT_SECONDS", 1)
    with pytest.raises(Unusable, match=r"There is no Dask scheduler at tcp://127\.0\.0\.1:1"):
        ClusterWorkers(SETTINGS, Keys(SETTINGS), "tcp://127.0.0.1:1")


def test_a_connection_that_is_lost(cluster: Any, results: Results) -> None:
    put(a="import time\ntime.sleep(20)\n")
    workers = on(cluster)

    def lose(progress: Progress) -> None:
        if workers.tasks:
            workers.client.close()

    with pytest.raises(Unusable, match=r"was lost\. What was recorded is kept"):
        run(results, workers, lose)
