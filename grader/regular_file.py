"""Read a file that anyone may have put there: once, whole, and never waiting.

Comes in: a path and a limit. Goes out: bytes, or `Unreadable` with the reason. The file is opened once and
what was opened is looked at, not what its name may mean later; nothing but a regular file is read from.
"""

from __future__ import annotations

import errno
import os
import stat

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)

_KINDS = {
    stat.S_IFDIR: "it is a directory",
    stat.S_IFIFO: "it is a named pipe",
    stat.S_IFSOCK: "it is a socket",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
}
_REASONS = {
    errno.ENOENT: "there is no such file",
    errno.ENOTDIR: "there is no such file",
    errno.EACCES: "permission to read it is denied",
    errno.EPERM: "permission to read it is denied",
    errno.ELOOP: "it is a link that leads in a circle",
    errno.ENAMETOOLONG: "its name is too long",
    errno.ENXIO: "it is a socket or a device",
    errno.ENODEV: "it is a device",
}


class Unreadable(Exception):
    """``reason`` is a clause such as ``there is no such file``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_regular_file(path: str | bytes | os.PathLike[str], most_bytes: int) -> bytes:
    """The bytes of a regular file (links are followed) of at most ``most_bytes``. Raises `Unreadable`."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            return read_descriptor(descriptor, most_bytes)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise Unreadable(reason(error)) from None
    except ValueError:  # a zero byte in the name
        raise Unreadable("there is no such file") from None


def reason(error: OSError) -> str:
    """Why something could not be opened or read, as a clause."""
    return _REASONS.get(error.errno or 0, f"the system says: {error.strerror}")


def read_descriptor(descriptor: int, most_bytes: int) -> bytes:
    """As `read_regular_file`, of what is open already; what goes wrong while reading is an OSError."""
    status = os.fstat(descriptor)
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        raise Unreadable(_KINDS.get(kind, "it is not a regular file"))
    if status.st_size > most_bytes:
        raise Unreadable(larger_than(most_bytes))
    parts, left = [], most_bytes + 1  # one more, in case that the file grows meanwhile
    while left and (part := os.read(descriptor, left)):
        parts.append(part)
        left -= len(part)
    if not left:
        raise Unreadable(larger_than(most_bytes))
    return b"".join(parts)


def larger_than(most_bytes: int) -> str:
    return f"it is larger than {most_bytes / (1 << 20):g} MiB"
