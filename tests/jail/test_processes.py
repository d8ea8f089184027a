"""The keeper: it ends as the jailed process does, and nothing outlives it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from grader.tracer.jail import LAYERS, REFUSED_STATUS, layers
from grader.tracer.jail.watch import tree_memory, tree_processes, tree_threads
from tests.jail.conftest import Probe, command

ALMOST_ALL = LAYERS - {layers.SECCOMP}
KINDS = [pytest.param(LAYERS, id="all"), pytest.param(LAYERS - {layers.PID}, id="no-pid-namespace")]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def gone(pids: tuple[int, ...]) -> bool:
    """Whether all of them end within ten seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGSEGV])
def test_the_signal_is_passed_on(probe: Probe, kind: frozenset[str], number: int) -> None:
    status = probe("end_by", number, layers=kind).status
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == number


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [0, 1, 7, 255])
def test_the_exit_status_is_passed_on(probe: Probe, kind: frozenset[str], status: int) -> None:
    assert probe("leave_with", status, layers=kind).status == status << 8


@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_cannot_be_counterfeited(probe: Probe, kind: frozenset[str]) -> None:
    assert probe("leave_with", REFUSED_STATUS, layers=kind).status == 1 << 8


def start(name: str, *arguments: object, kind: frozenset[str]) -> tuple[subprocess.Popen[str], int]:
    """Start a probe that announces itself; its process, and the keeper's number."""
    process = subprocess.Popen(command(name, *arguments, layers=kind), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = [process.stdout.readline(), process.stdout.readline()]
    [keeper] = [json.loads(line)["keeper"] for line in lines if "keeper" in line]
    return process, keeper


@pytest.mark.parametrize("without", [frozenset(), frozenset({layers.PID})], ids=["all", "no-pid-namespace"])
def test_killing_the_keeper_kills_the_submission(without: frozenset[str]) -> None:
    process, keeper = start("hold", 1, kind=LAYERS - without)
    inside = tree_processes(keeper)
    assert len(inside) == 1
    os.kill(keeper, signal.SIGKILL)
    assert gone((keeper, *inside))
    process.wait(10)


def test_the_pid_namespace_takes_children_along() -> None:
    process, keeper = start("wait_with_children", kind=ALMOST_ALL)
    inside = tree_processes(keeper)
    assert len(inside) == 2
    os.kill(keeper, signal.SIGKILL)
    assert gone((keeper, *inside))
    process.wait(10)


def test_without_the_pid_namespace_a_killed_keeper_leaves_children() -> None:
    """So the test above can fail; the filter, which allows no child, is what stands in for the namespace."""
    process, keeper = start("wait_with_children", kind=ALMOST_ALL - {layers.PID})
    inside = tree_processes(keeper)
    os.kill(keeper, signal.SIGKILL)
    time.sleep(0.3)
    left = [pid for pid in inside if alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    process.wait(10)
    assert len(left) == 1


def test_everything_dies_with_the_process_that_started_the_jail() -> None:
    process, keeper = start("hold", 1, kind=LAYERS)
    inside = tree_processes(keeper)
    process.kill()
    assert gone((keeper, *inside))
    process.wait(10)


@pytest.mark.parametrize("kind", [ALMOST_ALL, ALMOST_ALL - {layers.PID}], ids=["pid-namespace", "adopted"])
def test_a_daemon_does_not_outlive_the_submission(probe: Probe, kind: frozenset[str]) -> None:
    def sleeping() -> set[int]:
        found = set()
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and b"leave_a_daemon" in Path(f"/proc/{entry}/cmdline").read_bytes():
                    found.add(int(entry))
            except OSError:
                continue
        return found

    assert probe("leave_a_daemon", layers=kind).done == "left"
    assert gone(tuple(sleeping()))


@pytest.mark.parametrize(
    ("name", "kind", "processes"),
    [
        pytest.param("hold", LAYERS, 1, id="private"),
        pytest.param("hold_shared", LAYERS, 1, id="shared"),
        pytest.param("hold_in_a_child", ALMOST_ALL, 3, id="in-a-child"),
        pytest.param("hold_in_a_child", ALMOST_ALL - {layers.PID}, 3, id="in-a-child-without-pid-namespace"),
    ],
)
def test_memory_is_seen_from_outside(name: str, kind: frozenset[str], processes: int) -> None:
    process, keeper = start(name, 100, kind=kind)
    held, count, threads = tree_memory(keeper), len(tree_processes(keeper)), tree_threads(keeper)
    inside = tree_processes(keeper)
    os.kill(keeper, signal.SIGKILL)
    for pid in inside if layers.PID not in kind else ():
        os.kill(pid, signal.SIGKILL)
    process.wait(10)
    assert 100 << 20 < held < 200 << 20
    assert count == threads == processes
    assert tree_memory(keeper) == 0


def test_threads_are_counted() -> None:
    process, keeper = start("wait_with_children", kind=ALMOST_ALL)
    threads = tree_threads(keeper)
    os.kill(keeper, signal.SIGKILL)
    process.wait(10)
    assert threads == 3


def test_a_required_layer_that_is_missing_refuses(probe: Probe) -> None:
    outcome = probe("nothing", layers=LAYERS - {layers.SECCOMP}, require=[layers.SECCOMP])
    assert (outcome.error, outcome.status) == ("refused", REFUSED_STATUS << 8)
    assert outcome.missing == {layers.SECCOMP: "switched off"}
    assert probe("nothing", layers=LAYERS - {layers.SECCOMP}, require=[layers.LIMITS]).done == "ran"


def test_every_layer_is_accounted_for(probe: Probe) -> None:
    everything = probe("nothing", layers=LAYERS)
    assert set(everything.layers) == LAYERS
    assert everything.missing == {}
    nothing = probe("nothing", layers=[])
    assert nothing.layers == ()
    assert set(nothing.missing) == LAYERS
