"""`grader watch` through the real command line: a verdict at the start, and one after each save."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
GOOD = (ROOT / "solution" / "tensor_parallel_mlp.py").read_text()
SUBMISSIONS = ROOT / "tests" / "submissions" / "tensor_parallel_mlp"
BAD = (SUBMISSIONS / "rule_violation" / "b2_in_every_partial.py").read_text()
PATIENCE = 90.0
"""Seconds to wait for a verdict: only a judge that hangs takes so long."""


class Watching:
    """The command at work on a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.output = path.with_suffix(".out")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grader", "watch", "--", str(path)],
            stdout=self.output.open("wb"),
            stderr=subprocess.STDOUT,
            cwd=ROOT,
        )

    def save(self, text: str) -> None:
        """As editors do: a new file put in the place of the old one."""
        new = self.path.with_suffix(".new")
        new.write_text(text)
        os.replace(new, self.path)

    def waits_for(self, text: str) -> None:
        end = time.monotonic() + PATIENCE
        while text not in self.output.read_text():
            assert time.monotonic() < end, self.output.read_text()
            assert self.process.poll() is None, self.output.read_text()
            time.sleep(0.05)

    def stops(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    path = tmp_path / "mine.py"
    path.write_text(BAD)
    watch = Watching(path)
    yield watch
    watch.process.kill()
    watch.process.wait()


def test_each_save_gets_its_verdict(watching: Watching) -> None:
    watching.waits_for("Rule violated (RV)")
    watching.save("def broken(:\n")
    watching.waits_for("RV before, CE now")
    watching.path.unlink()
    time.sleep(0.3)
    watching.save(GOOD)
    watching.waits_for("CE before, AC now")
    assert watching.stops() == 0


def test_a_file_that_is_not_there_cannot_be_watched(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "grader", "watch", str(tmp_path / "none.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "There is no file" in done.stderr
