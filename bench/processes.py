"""Run a command and measure it: wall-clock time, processor time of all its processes, peak memory."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
PYTHON = sys.executable
GRADER = (PYTHON, "-m", "grader")
PLAIN = (PYTHON, str(ROOT / "bench" / "plain_grader.py"))


@dataclass(frozen=True)
class Measured:
    seconds: float
    """Wall-clock time."""
    cpu: float
    """Processor time of the process and all that it waited for, seconds."""
    memory: int
    """Peak of the process itself, bytes."""
    output: str
    status: int


def measure(command: Sequence[str], folder: Path | None = None, *, whole_tree: bool = False) -> Measured:
    """``whole_tree``: the memory is that of the process and all its descendants together, sampled (Linux)."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env=ENVIRONMENT, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    chunks: list[str] = []
    assert process.stdout is not None
    reader = threading.Thread(target=lambda: chunks.append(process.stdout.read()))  # type: ignore[union-attr]
    reader.start()
    sampler = Sampler(process.pid) if whole_tree else None
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    reader.join()
    unit = 1 if sys.platform == "darwin" else 1024
    memory = used.ru_maxrss * unit if sampler is None else sampler.finish()
    return Measured(seconds, used.ru_utime + used.ru_stime, memory, "".join(chunks), process.returncode)


class Sampler:
    """The most memory that a process and its descendants held at once; what several share counts once."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.most = 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self) -> None:
        while not self.ended.wait(1.0):
            self.most = max(self.most, sum(map(share, tree(self.pid))))

    def finish(self) -> int:
        self.ended.set()
        self.thread.join()
        return self.most


def share(pid: int) -> int:
    """A process's memory, bytes; of what it shares with others, its part."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def tree(root: int) -> set[int]:
    """A process and its descendants."""
    parents: dict[int, int] = {}
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            parents[int(each.name)] = int((each / "stat").read_text().rpartition(") ")[2].split()[1])
    found = {root}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found
