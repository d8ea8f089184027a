"""The process that has JAX imported and forks the tracer and the referee, so that JAX is imported once.

Theory of operation. The supervisor starts this module in a fresh interpreter with a stream socket on a
descriptor of its own. It imports JAX (and never starts a backend: a fork after that hangs), says so, and
then forks a child for each request:

    supervisor -> zygote   one byte, ``T`` (tracer) or ``R`` (referee), with four descriptors:
                           the job (read), the result (write), the programs (referee: read), output (write)
    zygote -> supervisor   ``READY``; ``FORKED pid``; ``EXITED pid wait-status``

Each is a `struct` of `EVENT`. What a child is to do comes through its job descriptor, read after the fork,
so nothing of one submission is ever in the memory that the next one's processes are copied from. When
the socket closes the zygote kills what it started and ends.
"""

from __future__ import annotations

import array
import contextlib
import gc
import importlib
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable

EVENT = struct.Struct("<cii")
READY, FORKED, EXITED = b"r", b"f", b"x"
TRACER, REFEREE = b"T", b"R"
DESCRIPTORS = 4


def main(control_descriptor: int) -> None:
    control = socket.socket(fileno=control_descriptor)
    control.set_inheritable(False)
    preload(*FOR_TRACERS)
    Zygote(control).serve()


FOR_TRACERS = ("jax", "jax.numpy", "grader.tracer.entry")
FOR_REFEREES = ("hypothesis", "grader.analysis.flow", "grader.execution.simulator", "grader.execution.xla")
"""Imported when the first referee is to be forked, while the first tracer is at work already. Later tracers are
forked from here too: what knows cases, problems or rules is left to the referee's own process."""


def preload(*modules: str) -> None:
    """Import what the children need; nothing that knows an answer: problems are loaded after the fork."""
    if sys.modules.keys() >= set(modules):
        return
    for name in modules:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


class Zygote:
    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.children: set[int] = set()

    def serve(self) -> None:
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor decides
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self.tell(READY, 0, 0)
        while True:
            ready, _, _ = select.select([self.control.fileno(), woken], [], [])
            if woken in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(woken, 4096)
                self.reap()
            if self.control.fileno() in ready and not self.request():
                break
        for pid in self.children:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os._exit(0)

    def tell(self, kind: bytes, pid: int, status: int) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.control.sendall(EVENT.pack(kind, pid, status))

    def reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self.children:
                self.children.discard(pid)
                self.tell(EXITED, pid, status)

    def request(self) -> bool:
        """Serve one request; False when the supervisor is gone."""
        size = array.array("i").itemsize * DESCRIPTORS
        try:
            kind, ancillary, _, _ = self.control.recvmsg(1, socket.CMSG_LEN(size))
        except ConnectionResetError:
            return False
        if not kind:
            return False
        descriptors = array.array("i")
        for level, type_, data in ancillary:
            if level == socket.SOL_SOCKET and type_ == socket.SCM_RIGHTS:
                descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
        if kind == REFEREE:
            preload(*FOR_REFEREES)
        pid = os.fork()
        if pid == 0:
            self.child(kind, list(descriptors))
        self.children.add(pid)
        for each in descriptors:
            os.close(each)
        self.tell(FORKED, pid, 0)
        return True

    def child(self, kind: bytes, descriptors: list[int]) -> None:
        """In the forked process: set up its descriptors, do its work, and never return."""
        status = 70  # EX_SOFTWARE
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            self.control.close()
            job, result, programs, output = descriptors
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.close(output)
            work: Callable[[int, int, int], None]
            if kind == TRACER:
                from grader.tracer.entry import main as work
            else:
                from grader.referee.process import main as work
            work(job, result, programs)
            status = 0
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 1
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            with contextlib.suppress(BaseException):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)


if __name__ == "__main__":
    main(int(sys.argv[1]))
