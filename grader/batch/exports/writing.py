"""Files that appear whole or not at all, written piece by piece."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from grader.errors import Unusable


@contextlib.contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes its name when all is in it. Raises `Unusable` when that fails.

    A link stays and what it leads to is written; what is no regular file (``/dev/stdout``) is written to as it is.
    """
    try:
        target = path.resolve()
        mode = permissions(target)
        if mode is None:
            with open(target, "wb") as file:
                yield file
            return
        with contextlib.ExitStack() as undo:
            descriptor, draft = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
            undo.callback(os.unlink, draft)
            with open(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fchmod(file.fileno(), mode)
            os.replace(draft, target)
            undo.pop_all()
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from error


def permissions(target: Path) -> int | None:
    """Those that the file has or, where it is new, is to have; None for what is no regular file."""
    try:
        found = os.stat(target)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
    return stat.S_IMODE(found.st_mode) if stat.S_ISREG(found.st_mode) else None


def folder(path: Path) -> Path:
    """A folder that is there afterwards. Raises `Unusable`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unusable(f"The folder {path} cannot be made: {error.strerror}.") from error
    return path
