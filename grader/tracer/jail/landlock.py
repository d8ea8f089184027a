"""Landlock: what the kernel lets this process and its children open, connect to and signal.

In: readable paths, hidden paths, writable paths. Out: the layers that came into force, with reasons for the others.
The rules: readable paths may be read and listed; writable ones also written to and created in; nothing may be
executed; no TCP; no abstract socket and no signal out of the jail.

The system calls are made here directly: the `landlock` package on PyPI (1.0.0.dev5) knows neither the network rules
nor the scopes.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Iterator
from typing import Final

from grader.tracer.jail import layers as names
from grader.tracer.jail.installation import hidden_below
from grader.tracer.jail.kernel import call
from grader.tracer.jail.layers import JailConfig, Record

_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_WRITE_FILE = 1 << 1
_REMOVE_DIR = 1 << 4
_REMOVE_FILE = 1 << 5
_MAKE_DIR = 1 << 7
_MAKE_REG = 1 << 8
_MAKE_SYM = 1 << 12
_REFER = 1 << 13
_TRUNCATE = 1 << 14
_IOCTL_DEV = 1 << 15

_READ: Final = _READ_FILE | _READ_DIR
_WRITE: Final = _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _MAKE_SYM | _TRUNCATE
_FILE_ONLY: Final = _READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV

_BIND_TCP_AND_CONNECT_TCP = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1


class _RulesetAttr(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneathAttr(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def abi_version() -> int:
    """The version of Landlock that the kernel speaks (1: files, 4: network, 6: scopes). Raises OSError without it."""
    return call("landlock_create_ruleset", None, 0, _CREATE_RULESET_VERSION)


def _file_rights(abi: int) -> int:
    rights = (1 << 13) - 1
    if abi >= 2:
        rights |= _REFER
    if abi >= 3:
        rights |= _TRUNCATE
    if abi >= 5:
        rights |= _IOCTL_DEV
    return rights


def restrict(config: JailConfig, record: Record, readable: Iterable[str], writable: Iterable[str]) -> None:
    """Bring Landlock's layers into force for this process, as far as wanted and known to the kernel.

    Needs "no new privileges" to be set, or CAP_SYS_ADMIN.
    """
    try:
        abi = abi_version()
    except OSError as error:
        for name in (names.LANDLOCK_FILES, names.LANDLOCK_NETWORK, names.LANDLOCK_SCOPES):
            if record.wants(name):
                record.lacks(name, f"this kernel has no Landlock, or it is switched off ({error})")
        return
    built: list[str] = []
    handled = _RulesetAttr(0, 0, 0)
    if record.wants(names.LANDLOCK_FILES):
        handled.handled_access_fs = _file_rights(abi)
        built.append(names.LANDLOCK_FILES)
    if record.wants(names.LANDLOCK_NETWORK):
        if abi >= 4:
            handled.handled_access_net = _BIND_TCP_AND_CONNECT_TCP
            built.append(names.LANDLOCK_NETWORK)
        else:
            record.lacks(names.LANDLOCK_NETWORK, f"needs Landlock 4 (Linux 6.7); this kernel has {abi}")
    if record.wants(names.LANDLOCK_SCOPES):
        if abi >= 6:
            handled.scoped = _ABSTRACT_SOCKETS_AND_SIGNALS
            built.append(names.LANDLOCK_SCOPES)
        else:
            record.lacks(names.LANDLOCK_SCOPES, f"needs Landlock 6 (Linux 6.12); this kernel has {abi}")
    if not built:
        return
    try:
        _apply(handled, abi, readable, config.hidden, writable)
    except OSError as error:
        for name in built:
            record.lacks(name, str(error))
        return
    for name in built:
        record.add(name)


def _apply(
    handled: _RulesetAttr, abi: int, readable: Iterable[str], hidden: Iterable[str], writable: Iterable[str]
) -> None:
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = call("landlock_create_ruleset", handled, size, 0)
    try:
        if handled.handled_access_fs:
            for path in readable:
                for part, rights in _without(path, tuple(hidden)):
                    _allow(ruleset, part, rights & handled.handled_access_fs)
            for path in writable:
                _allow(ruleset, path, (_READ | _WRITE) & handled.handled_access_fs)
        call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _without(path: str, hidden: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """The rules that make `path` readable but for what is hidden below it.

    A rule holds for everything below its folder, so a folder with something hidden in it is taken apart: it may be
    listed (imports need that), and each of its other entries gets a rule of its own.
    """
    below = hidden_below(path, hidden)
    if not below:
        yield path, _READ
        return
    yield path, _READ_DIR
    for entry in sorted(os.listdir(path)):
        child = os.path.join(path, entry)
        if os.path.realpath(child) not in below:
            yield from _without(child, below)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _FILE_ONLY
        if rights:
            rule = _PathBeneathAttr(rights, parent)
            call("landlock_add_rule", ruleset, _RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(parent)
