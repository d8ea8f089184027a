"""Starts the zygote and, through it, the tracer and the referee; kills them; learns how they ended.

The other end of `grader.zygote`. Imports no JAX.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from grader.execution.environment import environment
from grader.zygote import EVENT, EXITED, FORKED, READY

START = "import sys; sys.path.append(sys.argv[1]); from grader.zygote import main; main(int(sys.argv[2]))"
START_SECONDS = 120.0
"""How long importing JAX may take on a machine that has just been switched on."""


class ZygoteDied(Exception):
    """JAX could not be imported, or the zygote was killed; the text is what it said."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its exit status, or minus the signal that ended it."""

    status: int

    @property
    def words(self) -> str:
        if self.status >= 0:
            return f"exit status {self.status}"
        try:
            return f"signal {signal.Signals(-self.status).name}"
        except ValueError:
            return f"signal {-self.status}"


class Child:
    """A process that the zygote forked: leader of its own session and process group."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.ended: Ended | None = None

    def kill(self) -> None:
        """End it and all that is in its process group, at once."""
        if self.ended is not None:
            return
        for send in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                send(self.pid, signal.SIGKILL)


class Zygote:
    """The process with JAX imported. Start it early: it gets ready while other things are prepared."""

    def __init__(self, inherited: dict[str, str]) -> None:
        ours, theirs = socket.socketpair()
        root = str(Path(__file__).resolve().parent.parent)
        self.control = ours
        self.said, said = os.pipe()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-c", START, root, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                pass_fds=[theirs.fileno()],
                env={**inherited, **environment()},
                start_new_session=True,
            )
        finally:
            theirs.close()
            os.close(said)
        self.children: dict[int, Child] = {}
        self.is_ready = False

    def fork(self, kind: bytes, descriptors: list[int]) -> Child:
        """Fork a child of this kind with these descriptors (which the caller then closes). Raises `ZygoteDied`."""
        self.wait_ready()
        try:
            socket.send_fds(self.control, [kind], descriptors)
        except OSError as error:
            raise self.died() from error
        while True:
            event, pid, status = self.event()
            if event == FORKED:
                child = self.children[pid] = Child(pid)
                return child
            self.note(event, pid, status)

    def wait_ready(self) -> None:
        if not self.is_ready:
            self.control.settimeout(START_SECONDS)
            event, _, _ = self.event()
            self.is_ready = event == READY
            self.control.settimeout(30.0)

    def event(self) -> tuple[bytes, int, int]:
        data = b""
        while len(data) < EVENT.size:
            try:
                chunk = self.control.recv(EVENT.size - len(data))
            except OSError as error:
                raise self.died() from error
            if not chunk:
                raise self.died()
            data += chunk
        kind, pid, status = EVENT.unpack(data)
        return kind, pid, status

    def take_event(self) -> None:
        """Read the event that is waiting on `control`."""
        self.note(*self.event())

    def note(self, event: bytes, pid: int, status: int) -> None:
        if event == EXITED and pid in self.children:
            child = self.children.pop(pid)
            child.ended = Ended(os.waitstatus_to_exitcode(status))

    def died(self) -> ZygoteDied:
        self.process.kill()
        self.process.wait()
        os.set_blocking(self.said, False)
        said = b""
        with contextlib.suppress(OSError):
            said = os.read(self.said, 1 << 16)
        lines = said.decode("utf-8", "replace").strip().splitlines()
        return ZygoteDied(lines[-1] if lines else "it ended without a word")

    def close(self) -> None:
        for child in list(self.children.values()):
            child.kill()
        self.control.close()
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.said)
