"""Files that appear whole or not at all, written piece by piece."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from grader.errors import Unusable


@contextlib.contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes its name when all is in it. Raises `Unusable` when that fails."""
    try:
        with contextlib.ExitStack() as undo:
            descriptor, draft = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
            undo.callback(os.unlink, draft)
            with open(descriptor, "wb") as file:
                yield file
                file.flush()
                mask = os.umask(0)
                os.umask(mask)
                os.fchmod(file.fileno(), 0o666 & ~mask)
            os.replace(draft, path)
            undo.pop_all()
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from error


def folder(path: Path) -> Path:
    """A folder that is there afterwards. Raises `Unusable`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unusable(f"The folder {path} cannot be made: {error.strerror}.") from error
    return path
