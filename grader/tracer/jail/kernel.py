"""Calls into the Linux kernel that Python does not wrap.

In: a system call's name and integer, bytes or structure arguments. Out: its result, or OSError with the kernel's
errno. The numbers are those of x86_64 and aarch64; on any other machine `number` raises OSError(ENOSYS).
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform
import sys
from collections.abc import Callable
from typing import Final

from grader.tracer.jail.syscalls import NUMBERS

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWCGROUP: Final = 0x02000000
CLONE_NEWUTS: Final = 0x04000000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000
CLONE_NEWTIME: Final = 0x00000080
CLONE_THREAD: Final = 0x00010000

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_CAPBSET_DROP: Final = 24
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38
PR_CAP_AMBIENT: Final = 47
PR_CAP_AMBIENT_CLEAR_ALL: Final = 4


def machine() -> str:
    """The processor's name as the kernel gives it: "x86_64", "aarch64", …"""
    return platform.machine()


@functools.cache
def _syscall() -> Callable[..., int]:
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, "not Linux")
    function = ctypes.CDLL(None, use_errno=True).syscall
    function.restype = ctypes.c_long
    return function


def number(name: str) -> int:
    """The number of the system call `name` on this machine."""
    numbers = NUMBERS.get(machine(), {})
    if name not in numbers:
        raise OSError(errno.ENOSYS, f"no number known for {name} on {machine()}")
    return numbers[name]


def call(name: str, *arguments: int | bytes | ctypes.Structure | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make the system call `name`; structures are passed by address. Raises OSError."""
    converted: list[object] = []
    for argument in arguments:
        if isinstance(argument, int):
            converted.append(ctypes.c_long(argument))
        elif isinstance(argument, ctypes.Structure):
            converted.append(ctypes.byref(argument))
        else:
            converted.append(argument)
    result = _syscall()(ctypes.c_long(number(name)), *converted)
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def prctl(option: int, *arguments: int) -> int:
    """prctl(2) with the missing arguments zero. Raises OSError."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    return call("prctl", option, *padded)
