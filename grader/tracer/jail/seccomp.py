"""The system-call filter: what computing needs is allowed, everything else is refused.

In: this process's number, and whether there is a place to write to. Out: a BPF program (`filter_program`, a pure
function), or the filter in force (`install`). It is an allow-list, because a deny-list forgets what the next kernel
adds:

    another architecture's entry (32-bit int 0x80, x32)   the process is killed
    a call of the allow-list                              allowed
    one whose arguments matter                            allowed when they are harmless (CHECKED, below)
    clone3, and calls newer than our table                ENOSYS: the C library falls back to what we can check
    any other                                             EPERM: PermissionError in Python

So there is no fork, no execve, no socket of any kind, no signal to another process, no memfd, no shared memory that
outlives its mapping, no mount, no ptrace, no io_uring, no bpf, no userfaultfd, no keyring, no perf event; and no
change of a file's mode, owner, times or attributes, which Landlock does not know about. Threads work.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from grader.tracer.jail.kernel import CLONE_THREAD, call, machine
from grader.tracer.jail.syscalls import NEWEST, NUMBERS

_FILES = (
    "read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close close_range dup dup2 dup3 "
    "pipe pipe2 stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2 readlink readlinkat "
    "getdents getdents64 getcwd chdir fchdir fadvise64 readahead umask "
    "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr"
)
_WRITING = (
    "open openat openat2 creat mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink "
    "symlinkat ftruncate fallocate fsync fdatasync flock"
)
_WAITING = (
    "poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_wait epoll_pwait epoll_pwait2 "
    "eventfd eventfd2 timerfd_create timerfd_settime timerfd_gettime signalfd signalfd4 pause nanosleep "
    "clock_nanosleep wait4 waitid restart_syscall"
)
_MEMORY = "brk mmap munmap mprotect mremap madvise msync mincore membarrier pkey_alloc pkey_free pkey_mprotect"
_THREADS = "futex futex_waitv set_robust_list set_tid_address rseq gettid sched_yield exit exit_group arch_prctl"
_SIGNALS = (
    "rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack alarm "
    "setitimer getitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete"
)
_QUESTIONS = (
    "getpid getppid getpgrp getpgid getsid getuid geteuid getgid getegid getresuid getresgid getgroups capget uname "
    "sysinfo getrlimit getrusage times time gettimeofday clock_gettime clock_getres getrandom getcpu "
    "sched_getaffinity sched_getscheduler sched_getparam sched_get_priority_max sched_get_priority_min "
    "sched_rr_get_interval getpriority get_mempolicy"
)
ALLOWED: Final[frozenset[str]] = frozenset(
    " ".join((_FILES, _WAITING, _MEMORY, _THREADS, _SIGNALS, _QUESTIONS)).split()
)

# Allowed besides where there is a scratch directory. Elsewhere files are opened for reading, and in no other way.
WRITING: Final[frozenset[str]] = frozenset(_WRITING.split())
_OPENS_FOR_WRITING = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC

# What these do stands in memory, where a filter cannot look.
UNKNOWN: Final = ("clone3",)
UNKNOWN_WITHOUT_WRITING: Final = ("clone3", "openat2")

_NEW_NAMESPACES = 0x7E020080


@dataclass(frozen=True)
class Equals:
    """Allowed when argument `index` (its low 32 bits) is one of `values`."""

    index: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Bits:
    """Allowed when argument `index`, masked, equals `value`."""

    index: int
    mask: int
    value: int


def checked(process: int, writing: bool) -> dict[str, Equals | Bits]:
    """The calls that are allowed for some arguments only, in the process numbered `process`."""
    own = Equals(0, (process,))
    reading: dict[str, Equals | Bits] = {
        "open": Bits(1, _OPENS_FOR_WRITING, os.O_RDONLY),
        "openat": Bits(2, _OPENS_FOR_WRITING, os.O_RDONLY),
    }
    return ({} if writing else reading) | {
        # Threads, and nothing else: no process, no namespace.
        "clone": Bits(0, CLONE_THREAD | _NEW_NAMESPACES, CLONE_THREAD),
        # Signals to oneself. fcntl's F_SETOWN and F_SETSIG could send any signal to others: they are not listed.
        "kill": own,
        "tgkill": own,
        "rt_sigqueueinfo": own,
        "rt_tgsigqueueinfo": own,
        "fcntl": Equals(1, (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)),
        # Questions about a descriptor (TCGETS, TIOCGWINSZ, FIONREAD) and its flags; never TIOCSTI or TIOCLINUX.
        "ioctl": Equals(1, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),
        # PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_NO_NEW_PRIVS, PR_SET_VMA.
        "prctl": Equals(0, (3, 15, 16, 21, 23, 39, 0x53564D41)),
        "prlimit64": Equals(0, (0, process)),
        "setrlimit": Equals(0, tuple(range(16))),
    }


_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_ERROR = 0x00050000

ARCHITECTURE: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT: Final = 0x40000000
_NUMBER_OFFSET = 0
_ARCHITECTURE_OFFSET = 4
_ARGUMENTS_OFFSET = 16

_Instruction = tuple[int, int, int, int]


def filter_program(name: str, process: int, writing: bool) -> bytes:
    """The BPF program for machine `name` ("x86_64" or "aarch64") and the process numbered `process`.

    writing: whether files may be created, written and removed. Raises OSError for another machine.
    """
    if name not in ARCHITECTURE:
        raise OSError(errno.ENOSYS, f"no system-call filter is written for {name}")
    numbers = NUMBERS[name]
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE_OFFSET),
        (_EQUAL, 1, 0, ARCHITECTURE[name]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_OFFSET),
    ]
    if name == "x86_64":
        program += [(_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, _KILL)]
    for call_name, rule in checked(process, writing).items():
        if call_name in numbers:
            program += _checked_block(numbers[call_name], rule)
    for call_name in UNKNOWN if writing else UNKNOWN_WITHOUT_WRITING:
        program += [(_EQUAL, 0, 1, numbers[call_name]), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    program += [(_AT_LEAST, 0, 1, NEWEST + 1), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    allowed = ALLOWED | WRITING if writing else ALLOWED
    for first, last in _ranges(numbers[call_name] for call_name in allowed if call_name in numbers):
        program += [(_AT_LEAST, 0, 2, first), (_AT_LEAST, 1, 0, last + 1), (_RETURN, 0, 0, _ALLOW)]
    program.append((_RETURN, 0, 0, _ERROR | errno.EPERM))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


def _checked_block(number: int, rule: Equals | Bits) -> list[_Instruction]:
    """Instructions for one checked call; they end in a decision, or leave the number loaded for what follows."""
    body: list[_Instruction] = [(_LOAD, 0, 0, _ARGUMENTS_OFFSET + 8 * rule.index)]
    if isinstance(rule, Bits):
        body += [(_AND, 0, 0, rule.mask), (_EQUAL, 0, 1, rule.value), (_RETURN, 0, 0, _ALLOW)]
    else:
        for value in rule.values:
            body += [(_EQUAL, 0, 1, value & 0xFFFFFFFF), (_RETURN, 0, 0, _ALLOW)]
    body.append((_RETURN, 0, 0, _ERROR | errno.EPERM))
    return [(_EQUAL, 0, len(body), number), *body]


def _ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Runs of consecutive numbers, as (first, last)."""
    runs: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


_SET_MODE_FILTER: Final = 1


def install(process: int, writing: bool) -> None:
    """Bring the filter into force for this process and what it starts. Needs "no new privileges". Raises OSError."""
    install_program(filter_program(machine(), process, writing))


def install_program(program: bytes) -> None:
    """Bring a BPF program into force."""
    buffer = ctypes.create_string_buffer(program, len(program))
    call("seccomp", _SET_MODE_FILTER, 0, _Program(len(program) // 8, ctypes.addressof(buffer)))
