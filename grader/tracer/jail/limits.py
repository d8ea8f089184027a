"""Resource limits of the submission's process, and of everything that it starts.

In: the configuration. Out: nothing; the limits, soft and hard, are set. Raises OSError or ValueError.
The address-space limit is a backstop: JAX reserves far more than it uses, so the memory limit proper is kept by the
supervisor, which adds up what the whole tree holds (`watch`).
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from typing import Final

from grader.tracer.jail.layers import JailConfig

# Measured: one of JAX's processes with 8 CPU devices on 2 processors peaks at 1.6 GB of addresses.
RESERVED_BY_JAX: Final = 2 << 30
STACK_BYTES: Final = 64 << 20


def tasks_of(user: int) -> int:
    """How many threads `user` has on this machine. Outside a user namespace RLIMIT_NPROC counts them all."""
    count = 0
    for process in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with contextlib.suppress(OSError):
            if process.isdigit() and os.stat(f"/proc/{process}").st_uid == user:
                count += len(os.listdir(f"/proc/{process}/task"))
    return count


def set_limits(config: JailConfig, other_tasks: int) -> None:
    """Set every limit; lower ones that are already in force stay.

    other_tasks: threads that count against the limit on processes without being the submission's.
    """
    _lower(resource.RLIMIT_CPU, config.cpu_seconds, config.cpu_seconds + 1)
    _lower(resource.RLIMIT_AS, config.memory_bytes + RESERVED_BY_JAX)
    _lower(resource.RLIMIT_FSIZE, config.scratch_bytes)
    _lower(resource.RLIMIT_NOFILE, config.open_files)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_MEMLOCK, 0)
    _lower(resource.RLIMIT_STACK, min(STACK_BYTES, 8 << 20), STACK_BYTES)
    _lower(resource.RLIMIT_NPROC, config.processes + other_tasks)
    if sys.platform == "linux":
        _lower(resource.RLIMIT_MSGQUEUE, 0)
        _lower(resource.RLIMIT_SIGPENDING, 64)
        _lower(resource.RLIMIT_RTPRIO, 0)
        _lower(resource.RLIMIT_NICE, 0)
        processors = sorted(os.sched_getaffinity(0))
        first = int.from_bytes(os.urandom(2)) % len(processors)
        turned = processors[first:] + processors[:first]
        # JAX starts its pools' threads by the number of processors that it may use.
        os.sched_setaffinity(0, turned[: config.processors])


def _lower(which: int, soft: int, hard: int | None = None) -> None:
    _, ceiling = resource.getrlimit(which)
    wanted = soft if hard is None else hard
    if ceiling != resource.RLIM_INFINITY:
        wanted = min(wanted, ceiling)
    resource.setrlimit(which, (min(soft, wanted), wanted))
