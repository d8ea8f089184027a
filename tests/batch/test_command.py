"""``grader batch`` as a process: real judges, resuming, and Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SOLUTION = ROOT / "solution" / "tensor_parallel_mlp.py"
QUICK = ("--case", "example_1")  # one shape: what the judge finds is tested elsewhere


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "s").mkdir()
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "grader", "batch", "s", *QUICK, *arguments]


def batch(here: Path, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command(*arguments), cwd=here, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == status, f"{done.stdout}\n{done.stderr}"
    return done


def summary(here: Path, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(batch(here, "--format", "json", *arguments).stdout)
    return found


def test_a_class_is_judged_and_judged_no_more(here: Path) -> None:
    source = SOLUTION.read_text()
    (here / "s" / "ada.py").write_text(source)
    (here / "s" / "same.py").write_text(
        source.replace("hidden =", "h =").replace("hidden @", "h @").replace(": hidden}", ": h}")
    )
    (here / "s" / "bob.py").write_text(source.replace('"model") + b2', '"model") + b2 + b2'))
    (here / "s" / "killer.py").write_text("import os, signal\nos.kill(os.getppid(), 9)\nos.kill(os.getpid(), 9)\n")
    (here / "s" / "typo.py").write_text("def f(:\n")

    first = summary(here, "--csv", "first.csv", "--workers", "2")
    assert first["verdicts"] == {"AC": 2, "CE": 1, "RE": 1, "RV": 1}
    assert [(each["id"], each["count"]) for each in first["rules"]] == [("b2-once", 1)]
    assert [each["submissions"] for each in first["equal"]] == [["s/ada.py", "s/same.py"]]

    finished = times(here)
    again = summary(here)
    assert times(here) == finished
    assert again == first


def times(here: Path) -> list[Any]:
    with contextlib.closing(sqlite3.connect(here / "grader-results.sqlite")) as database:
        return database.execute("SELECT key, finished, seconds FROM reports ORDER BY key").fetchall()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked for in /proc")
def test_ctrl_c_stops_leaves_no_process_and_says_how_to_go_on(here: Path) -> None:
    shutil.copy(SOLUTION, here / "s" / "a.py")
    for number in range(3):
        (here / "s" / f"sleeper{number}.py").write_text(f"import time\ntime.sleep(100 + {number})\n")
    process = subprocess.Popen(
        command("--workers", "2"),
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not judged(here) and time.monotonic() < until:
        time.sleep(0.05)
    started = descendants(process.pid)
    assert len(started) >= 2
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert out == ""
    assert said == (
        "Stopped: 1 of 4 submissions are in grader-results.sqlite. Run the same command again to go on from there.\n"
    )
    while alive(started) and time.monotonic() < until:  # killed, and soon gone
        time.sleep(0.05)
    assert not alive(started)


def judged(here: Path) -> bool:
    try:
        return len(times(here)) == 1
    except sqlite3.Error:
        return False


def stat(pid: int) -> list[str]:
    return Path("/proc", str(pid), "stat").read_text().rpartition(") ")[2].split()


def descendants(pid: int) -> set[int]:
    parents: dict[int, int] = {}
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(each.name)] = int(stat(int(each.name))[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def alive(pids: set[int]) -> set[int]:
    left = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            if stat(pid)[0] != "Z":
                left.add(pid)
    return left


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--workers", "0"], "At least one worker is needed"),
        (["--problem", "sums"], "There is no problem sums"),
        (["--results", "none/r.sqlite"], "none/r.sqlite cannot be written"),
        (["--case", "no_such_case"], "There is no case no_such_case"),
        (["--csv", "none/o.csv"], "none/o.csv cannot be written: there is no folder none"),
        (["--html", "s/a.py"], "The folder s/a.py cannot be made"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, here: Path) -> None:
    shutil.copy(SOLUTION, here / "s" / "a.py")
    assert message in batch(here, *arguments, status=2).stderr


def test_nothing_to_judge(here: Path) -> None:
    assert batch(here, status=2).stderr == "There is no Python file in what was named.\n"
