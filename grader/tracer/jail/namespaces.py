"""Linux namespaces, and the step down from root.

In: the configuration and the record of layers. Out: the record, filled in; the calling process (single-threaded) has
moved into new namespaces, and its next child is pid 1 of a new pid namespace.

    an ordinary user    a user namespace first: it gives the privileges, over nothing but itself, that the other
                        namespaces ask for
    root                the other namespaces first, then the step down to NOBODY for good, then the user namespace
"""

from __future__ import annotations

import os
import sys
from typing import Final

from grader.tracer.jail import layers as names
from grader.tracer.jail.installation import closed_ancestor, readable_paths
from grader.tracer.jail.kernel import (
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
    PR_SET_DUMPABLE,
    call,
    prctl,
)
from grader.tracer.jail.layers import JailConfig, Record
from grader.tracer.jail.view import enter_view

NOBODY: Final = 65534

_PLAIN: Final = (
    (names.NETWORK, CLONE_NEWNET),
    (names.IPC, CLONE_NEWIPC),
    (names.UTS, CLONE_NEWUTS),
    (names.PID, CLONE_NEWPID),
)


def enter_namespaces(config: JailConfig, record: Record) -> None:
    """Enter every namespace that is wanted and allowed; record the others with the kernel's reason."""
    if sys.platform != "linux":
        for name in (names.USER, names.MOUNT, *(name for name, _ in _PLAIN)):
            if record.wants(name):
                record.lacks(name, "only Linux has namespaces")
        return
    process = os.open("/proc/self", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if os.geteuid() == 0:
            _enter_others(config, record, owner=(NOBODY, NOBODY))
            _step_down(config, record)
            _enter_user(record, process)
        else:
            _enter_user(record, process)
            _enter_others(config, record, owner=None)
    finally:
        os.close(process)


def _enter_user(record: Record, process: int) -> None:
    user, group = os.geteuid(), os.getegid()

    def build() -> None:
        # A process that has changed its user is not "dumpable", and its /proc files belong to root.
        prctl(PR_SET_DUMPABLE, 1)
        call("unshare", CLONE_NEWUSER)
        _write(process, "setgroups", b"deny")
        _write(process, "uid_map", b"%d %d 1" % (user, user))
        _write(process, "gid_map", b"%d %d 1" % (group, group))

    record.attempt(names.USER, build)


def _write(process: int, name: str, content: bytes) -> None:
    descriptor = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=process)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)


def _enter_others(config: JailConfig, record: Record, owner: tuple[int, int] | None) -> None:
    for name, flag in _PLAIN:
        record.attempt(name, lambda flag=flag: _unshare(flag))  # type: ignore[misc]

    def build_view() -> None:
        call("unshare", CLONE_NEWNS)
        enter_view(readable_paths(config.readable), config.hidden, config.scratch_bytes, owner)

    record.attempt(names.MOUNT, build_view)


def _unshare(flag: int) -> None:
    call("unshare", flag)


def _step_down(config: JailConfig, record: Record) -> None:
    """Become NOBODY, unless that would shut Python out of its own files."""
    if names.PRIVILEGES not in config.layers:
        return
    closed = None if record.has(names.MOUNT) else closed_ancestor(readable_paths(config.readable))
    if closed is not None:
        record.lacks(names.PRIVILEGES, f"runs as root, since {closed} is closed to other users")
        return
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError as error:
        record.lacks(names.PRIVILEGES, f"runs as root: {error}")
