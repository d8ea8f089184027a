"""What a jailed tree of processes holds, seen from outside.

In: the keeper's process number (`confine` makes its caller the keeper). Out: bytes or counts, 0 once the tree is gone.
The supervisor asks every few tens of milliseconds and kills the keeper when the answer is too large: memory is charged
to the whole tree, wherever it hides. What no process maps is bounded elsewhere: the scratch directory by its tmpfs,
memfds and System V shared memory by the system-call filter, pipes by the kernel's own limit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator


def tree_memory(keeper: int) -> int:
    """Bytes of memory that the submission's processes hold: anonymous, shared, swapped and page tables.

    Files mapped from disk (the shared libraries) are not counted. Pages that a child shares with its parent count for
    both. The keeper and the reaper run no code of the submission and are left out.
    """
    return 1024 * sum(
        sum(_kibibytes(fields, name) for name in ("RssAnon", "RssShmem", "VmSwap", "VmPTE")) for fields in _tree(keeper)
    )


def tree_threads(keeper: int) -> int:
    """How many threads the submission's processes have."""
    return sum(int(fields.get("Threads", "0")) for fields in _tree(keeper))


def tree_processes(keeper: int) -> tuple[int, ...]:
    """The submission's processes, by the numbers that they have outside."""
    return tuple(int(fields["Pid"]) for fields in _tree(keeper))


def _tree(keeper: int) -> Iterator[dict[str, str]]:
    waiting = list(_children(keeper))
    seen = {keeper}
    while waiting:
        pid = waiting.pop()
        if pid in seen:
            continue
        seen.add(pid)
        waiting += _children(pid)
        fields = _status(pid)
        if fields and not _is_reaper(fields, keeper):
            yield fields


def _is_reaper(fields: dict[str, str], keeper: int) -> bool:
    """The keeper's own child that is pid 1 of a namespace; deeper namespaces are the submission's doing."""
    numbers = fields.get("NSpid", "").split()
    return fields.get("PPid") == str(keeper) and len(numbers) > 1 and numbers[-1] == "1"


def _children(pid: int) -> tuple[int, ...]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += (int(child) for child in file.read().split())
    except OSError:
        pass  # it ended while being looked at
    return tuple(found)


def _status(pid: int) -> dict[str, str]:
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    except OSError:
        return {}


def _kibibytes(fields: dict[str, str], name: str) -> int:
    return int(fields.get(name, "0 kB").split()[0])
