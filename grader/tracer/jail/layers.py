"""The layers of the jail by name, which of them are in force, and what a caller asks of the jail.

Data only. A layer's name is what reports and `grader doctor` print and what `require` takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

USER: Final = "namespace: user"
PID: Final = "namespace: pid"
NETWORK: Final = "namespace: network"
IPC: Final = "namespace: ipc"
UTS: Final = "namespace: uts"
MOUNT: Final = "namespace: mount"
LANDLOCK_FILES: Final = "landlock: files"
LANDLOCK_NETWORK: Final = "landlock: network"
LANDLOCK_SCOPES: Final = "landlock: scopes"
SECCOMP: Final = "seccomp"
LIMITS: Final = "limits"
PRIVILEGES: Final = "privileges"
DESCRIPTORS: Final = "descriptors"
ENVIRONMENT: Final = "environment"

LAYERS: Final[frozenset[str]] = frozenset(
    {
        USER,
        PID,
        NETWORK,
        IPC,
        UTS,
        MOUNT,
        LANDLOCK_FILES,
        LANDLOCK_NETWORK,
        LANDLOCK_SCOPES,
        SECCOMP,
        LIMITS,
        PRIVILEGES,
        DESCRIPTORS,
        ENVIRONMENT,
    }
)

STOPS: Final[dict[str, str]] = {
    USER: "gives the submission a user of its own, without any privilege outside",
    PID: "hides every other process; everything inside dies with the submission",
    NETWORK: "leaves no network interface",
    IPC: "leaves no System V or POSIX queue, semaphore or shared memory of others",
    UTS: "keeps the machine's name from being changed",
    MOUNT: "shows Python's files alone, read-only, and a private scratch directory of bounded size",
    LANDLOCK_FILES: "refuses to open or change any file but Python's own and the scratch directory's",
    LANDLOCK_NETWORK: "refuses TCP",
    LANDLOCK_SCOPES: "refuses signals and abstract sockets to anything outside",
    SECCOMP: "refuses every system call that computing does not need",
    LIMITS: "bounds time, memory, files, threads and processes",
    PRIVILEGES: "takes away every capability, and setuid programs' power to give any",
    DESCRIPTORS: "closes every open file but the submission's own pipe",
    ENVIRONMENT: "passes only the variables of an allow-list",
}


@dataclass(frozen=True)
class Missing:
    """A layer that is not in force, and why, in words for whoever runs the machine."""

    name: str
    why: str


@dataclass(frozen=True)
class Layers:
    """What the jail came to be: names of layers in force, and the missing ones with reasons."""

    in_force: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()

    def lacking(self, required: frozenset[str]) -> tuple[Missing, ...]:
        """Those of `required` that are not in force."""
        known = {layer.name: layer for layer in self.missing}
        absent = sorted(required - set(self.in_force))
        return tuple(known.get(name, Missing(name, "no such layer")) for name in absent)


class Record:
    """Collects the layers while the jail is being built. A layer's failure is recorded, never raised."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        self._in_force: list[str] = []
        self._missing: dict[str, str] = {}

    def wants(self, name: str) -> bool:
        if name not in self._wanted:
            self._missing[name] = "switched off"
        return name in self._wanted

    def has(self, name: str) -> bool:
        return name in self._in_force

    def add(self, name: str) -> None:
        self._missing.pop(name, None)
        if name not in self._in_force:
            self._in_force.append(name)

    def lacks(self, name: str, why: str) -> None:
        if name in self._in_force:
            self._in_force.remove(name)
        self._missing[name] = why

    def attempt(self, name: str, build: Callable[[], None]) -> bool:
        """Build the layer when it is wanted; record how that went. True when it is in force."""
        if not self.wants(name):
            return False
        try:
            build()
        except (OSError, ValueError) as error:
            self.lacks(name, str(error))
            return False
        self.add(name)
        return True

    def layers(self) -> Layers:
        missing = tuple(Missing(name, why) for name, why in self._missing.items())
        untried = tuple(Missing(name, "not tried") for name in sorted(LAYERS - {*self._in_force, *self._missing}))
        return Layers(tuple(self._in_force), missing + untried)


def own_files() -> tuple[str, ...]:
    """What a submission must never read: this package with its problems, or the whole checkout that holds it."""
    package = Path(__file__).resolve().parents[2]
    checkout = package.parent
    return (str(checkout),) if (checkout / "pyproject.toml").exists() else (str(package),)


@dataclass(frozen=True)
class JailConfig:
    """What the jail is to be. Sizes in bytes, times in seconds.

    keep: descriptors to keep besides 0 (which becomes /dev/null), 1 and 2.
    memory_bytes: what the submission's processes may hold together; RLIMIT_AS adds what JAX reserves without using.
    cpu_seconds: SIGXCPU at this much processor time, SIGKILL one second later.
    scratch_bytes: the size of the private scratch directory (0: none). It needs the mount namespace.
    open_files, processes: at most so many open descriptors; so many threads and processes together.
    processors: at most so many of the machine's processors are used.
    readable: files and folders that may be read besides the Python installation and the shared libraries.
    hidden: what must never be read, even inside something readable.
    layers: the layers to build; a test takes one away.
    require: the layers without which the submission is not run.
    """

    keep: tuple[int, ...] = ()
    memory_bytes: int = 1 << 30
    cpu_seconds: int = 10
    scratch_bytes: int = 64 << 20
    open_files: int = 256
    processes: int = 256
    processors: int = 2
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = own_files()
    layers: frozenset[str] = LAYERS
    require: frozenset[str] = frozenset()
