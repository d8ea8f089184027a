"""Run a command and measure it: wall-clock time, processor time of all its processes, peak memory."""

from __future__ import annotations

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


def measure(command: Sequence[str], folder: Path | None = None) -> Measured:
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env=ENVIRONMENT, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    chunks: list[str] = []
    assert process.stdout is not None
    reader = threading.Thread(target=lambda: chunks.append(process.stdout.read()))  # type: ignore[union-attr]
    reader.start()
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    reader.join()
    unit = 1 if sys.platform == "darwin" else 1024
    memory = used.ru_maxrss * unit
    return Measured(seconds, used.ru_utime + used.ru_stime, memory, "".join(chunks), process.returncode)
