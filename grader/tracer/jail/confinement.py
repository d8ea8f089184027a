"""Puts the calling process's work into the jail.

In: a `JailConfig` and what to do inside. Out: nothing; the calling process never returns from `confine`.

    zygote ──fork──▶ keeper ──fork──▶ reaper ──fork──▶ submission
                     outside          pid 1 of the     everything in force,
                     waits, ends      namespace        runs `then`
                     as it did

The keeper is the process that called. It enters the namespaces (a pid namespace holds for children only), closes its
descriptors and waits. The reaper exists because pid 1 is deaf to its own signals: the submission, as pid 2, dies of an
abort or a limit as any process does. Each dies when its parent does, and when the reaper goes the kernel kills all
that is left in the namespace: to end everything, kill the keeper. Without a pid namespace there is no reaper; the
keeper then adopts and kills what the submission leaves behind.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import struct
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NoReturn

from grader.tracer.jail import landlock, layers, limits, privileges, seccomp
from grader.tracer.jail.installation import DEVICES, readable_paths
from grader.tracer.jail.kernel import PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG, prctl
from grader.tracer.jail.layers import JailConfig, Layers, Record
from grader.tracer.jail.namespaces import enter_namespaces
from grader.tracer.jail.view import SCRATCH

REFUSED_STATUS: Final = 77

ALLOWED_VARIABLES: Final = (
    "JAX_ENABLE_X64",
    "JAX_PLATFORMS",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
    "PATH",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONUTF8",
    "TF_CPP_MIN_LOG_LEVEL",
    "TZ",
    "XLA_FLAGS",
)


def allowed_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that may reach a submission. Start the zygote with exactly these: an exec leaves them in memory."""
    return {name: environment[name] for name in ALLOWED_VARIABLES if name in environment}


def confine(
    config: JailConfig, then: Callable[[Layers], None], refused: Callable[[Layers], None] | None = None
) -> NoReturn:
    """Run `then` in the jail, and end this process as the jailed one ends (same status, same signal).

    `then` gets the layers in force and ends the jailed process with status 0 when it returns, the code of a SystemExit,
    or 1 with a traceback on descriptor 2. When a layer of `config.require` is missing, `refused` is called instead, in
    the same place, and the status is REFUSED_STATUS, which a submission cannot counterfeit: its own becomes 1.
    """
    record = Record(config.layers)
    with _ended_by_exit():
        zygote = os.getppid()
        _die_with_parent(zygote)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        with contextlib.suppress(OSError):
            os.setsid()
        record.attempt(layers.DESCRIPTORS, lambda: _close_descriptors(config.keep))
        processes = _open_processes()
        enter_namespaces(config, record)
        _die_with_parent(zygote)  # again: the kernel forgets it when a process changes its user
        status_read, status_write = os.pipe()
        refusal_read, refusal_write = os.pipe()
        reaping = record.has(layers.PID)
        if not reaping and sys.platform == "linux":
            prctl(PR_SET_CHILD_SUBREAPER, 1)
        keeper = os.getpid()
        child = _fork()
        if child == 0:
            # In a new pid namespace a parent outside is numbered 0.
            _die_with_parent(0 if reaping else keeper)
            for descriptor in (status_read, refusal_read, processes):
                if descriptor is not None:
                    os.close(descriptor)
            if reaping:
                _reap(status_write, lambda: _run(config, record, then, refused, refusal_write))
            os.close(status_write)
            _run(config, record, then, refused, refusal_write)
        _close_all_but({status_read, refusal_read, *(() if processes is None else (processes,))})
        status = _await(child, status_read if reaping else None, processes)
        if os.read(refusal_read, 1):
            os._exit(REFUSED_STATUS)
        _end_as(1 << 8 if status == REFUSED_STATUS << 8 else status)


@contextlib.contextmanager
def _ended_by_exit() -> Iterator[None]:
    """Whatever happens inside, this process exits here and never returns into its caller."""
    try:
        yield
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _fork() -> int:
    with warnings.catch_warnings():
        # JAX warns of forking with threads; there is no other thread in this process.
        warnings.simplefilter("ignore")
        return os.fork()


def _die_with_parent(parent: int) -> None:
    if sys.platform == "linux":
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def _open_processes() -> int | None:
    """/proc, which is out of sight once the mount namespace is in force."""
    if sys.platform != "linux":
        return None
    try:
        return os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None


def _close_descriptors(keep: tuple[int, ...]) -> None:
    null = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
    os.dup2(null, 0, inheritable=True)
    os.close(null)
    _close_all_but({0, 1, 2, *keep})


def _close_all_but(kept: set[int]) -> None:
    first = 0
    for descriptor in sorted(kept):
        if first < descriptor:  # closerange(0, 0) would close everything
            os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, max(first, resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 20))


def _reap(status_write: int, run: Callable[[], NoReturn]) -> NoReturn:
    """Pid 1: start the submission, wait for it, pass its status on; the kernel then kills what it left behind."""
    with contextlib.suppress(OSError):
        os.setsid()
    child = _fork()
    if child == 0:
        _die_with_parent(1)
        os.close(status_write)
        run()
    _close_all_but({status_write})
    while True:
        pid, status = os.wait()
        if pid == child:
            os.write(status_write, struct.pack("<i", status))
            os._exit(0)


def _await(child: int, status_read: int | None, processes: int | None) -> int:
    """The keeper's wait; the wait status of the submission's process."""
    if status_read is None:
        _, status = os.waitpid(child, 0)
        _kill_adopted(processes)
        return status
    reported = os.read(status_read, 4)
    os.waitpid(child, 0)
    return int(struct.unpack("<i", reported)[0]) if len(reported) == 4 else int(signal.SIGKILL)


def _kill_adopted(processes: int | None) -> None:
    """Kill what the submission left behind, until this process has no child any more."""
    own = os.getpid()
    while processes is not None:
        with contextlib.suppress(OSError, ProcessLookupError):
            for child in _children(processes, own):
                os.kill(child, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def _children(processes: int, parent: int) -> tuple[int, ...]:
    path = f"{parent}/task/{parent}/children"
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=processes)
    with open(descriptor, "rb") as file:
        return tuple(int(pid) for pid in file.read().split())


def _end_as(status: int) -> NoReturn:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
        os._exit(128 + number)
    os._exit(os.WEXITSTATUS(status))


def _run(
    config: JailConfig,
    record: Record,
    then: Callable[[Layers], None],
    refused: Callable[[Layers], None] | None,
    refusal_write: int,
) -> NoReturn:
    """The innermost process: bring the remaining layers into force, then do what is to be done."""
    status = 1
    try:
        with contextlib.suppress(OSError):
            os.setsid()
        enforced = _enforce(config, record)
        if enforced.lacking(config.require):
            os.write(refusal_write, b"r")
            if refused is not None:
                refused(enforced)
            status = REFUSED_STATUS
        else:
            os.close(refusal_write)
            then(enforced)
            status = 0
    except SystemExit as exit_:
        status = _exit_status(exit_.code)
    except BaseException:
        with contextlib.suppress(BaseException):
            traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):
                stream.flush()
        os._exit(status)


def _exit_status(code: object) -> int:
    if code is None:
        return 0
    return code & 0xFF if isinstance(code, int) else 1


def _enforce(config: JailConfig, record: Record) -> Layers:
    sys.dont_write_bytecode = True
    scratch = SCRATCH if record.has(layers.MOUNT) and config.scratch_bytes else None
    record.attempt(layers.ENVIRONMENT, lambda: _scrub_environment(scratch))
    with contextlib.suppress(OSError):
        os.chdir(scratch or "/")
    alone = record.has(layers.USER)
    record.attempt(layers.LIMITS, lambda: limits.set_limits(config, 0 if alone else limits.tasks_of(os.geteuid())))
    if record.wants(layers.PRIVILEGES) or config.layers & _NEED_NO_NEW_PRIVILEGES:
        with contextlib.suppress(OSError):
            privileges.forbid_new_privileges()
    writable = (*DEVICES, *((scratch,) if scratch else ()))
    landlock.restrict(config, record, readable_paths(config.readable), writable)
    _drop_privileges(record)
    record.attempt(layers.SECCOMP, lambda: seccomp.install(os.getpid(), writing=scratch is not None))
    return record.layers()


_NEED_NO_NEW_PRIVILEGES: Final = frozenset(
    {layers.LANDLOCK_FILES, layers.LANDLOCK_NETWORK, layers.LANDLOCK_SCOPES, layers.SECCOMP}
)


def _drop_privileges(record: Record) -> None:
    known = {missing.name: missing.why for missing in record.layers().missing}
    if record.attempt(layers.PRIVILEGES, privileges.drop_privileges) and os.geteuid() == 0:
        record.lacks(layers.PRIVILEGES, known.get(layers.PRIVILEGES, "still the system's root user"))


def _scrub_environment(scratch: str | None) -> None:
    kept = allowed_environment(os.environ)
    home = scratch or "/nonexistent"
    os.environ.clear()
    os.environ.update(kept, HOME=home, TMPDIR=home, PYTHONDONTWRITEBYTECODE="1")
