"""Find the submissions that paths, folders and globs name.

Comes in: what was typed. Goes out: an `Entry` for each Python file, and for each thing that could not be
looked into, with the reason; in order of path, each file once. A folder is searched with all its
subfolders, but for those whose names begin with a dot and ``__pycache__``. A link counts where it leads to
inside the folder that was named (for a file or glob: the folder that the file is in); one that leads out of
it is an entry with that reason, and is not opened.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from grader.regular_file import Unreadable, read_descriptor, reason
from grader.report.clean import clean

LEADS_OUT = "it is a link that leads out of the folder"
_FILE_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to judge, or to say why it is not judged. Paths are bytes: names need not be text."""

    name: bytes
    """The path as a person in the current directory would write it."""
    folder: bytes
    """The real path of the folder that is not to be left."""
    path: bytes
    """Where the file is below ``folder``: no link is on the way."""
    kind: Literal["file", "folder"] = "file"
    reason: str | None = None
    """Why there is nothing to judge, a clause such as ``permission to read it is denied``."""


def collect(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Entry]:
    """The entries of all paths, one after another; a file that two of them name comes twice."""
    for path in paths:
        for each in _expanded(os.fsencode(path)):
            yield from _folder(each) if os.path.isdir(each) else [_file(each, os.path.dirname(each) or b".")]


def read(entry: Entry, most_bytes: int) -> bytes:
    """The bytes of an entry's file. Raises `Unreadable`.

    Every part of the way is opened from the one before and may be no link, so that whatever is put in its
    place meanwhile, nothing outside the folder is read.
    """
    *folders, name = entry.path.split(b"/")
    with contextlib.ExitStack() as stack:

        def opened(part: bytes, flags: int, parent: int | None) -> int:
            descriptor = os.open(part, flags, dir_fd=parent)
            stack.callback(os.close, descriptor)
            return descriptor

        try:
            at = opened(entry.folder, _FOLDER_FLAGS, None)
            for part in folders:
                at = opened(part, _FOLDER_FLAGS, at)
            return read_descriptor(opened(name, _FILE_FLAGS, at), most_bytes)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise Unreadable("it was replaced by a link") from None
            raise Unreadable(reason(error)) from None


def shown(entry: Entry) -> str:
    """An entry's name as text."""
    return clean(os.fsdecode(entry.name))


def _expanded(path: bytes) -> list[bytes]:
    """The path itself, or what it matches when there is no such file and it is a pattern."""
    if os.path.lexists(path) or not glob.has_magic(path):
        return [path]
    return sorted(glob.glob(path, recursive=True)) or [path]


def _file(name: bytes, folder: bytes) -> Entry:
    root = os.path.realpath(folder)
    real = os.path.realpath(name)
    if not _inside(real, root):
        return Entry(name, root, os.path.basename(name), reason=LEADS_OUT)
    circle = "it is a link that leads in a circle" if os.path.islink(real) else None
    return Entry(name, root, os.path.relpath(real, root), reason=circle)


def _inside(real: bytes, root: bytes) -> bool:
    return real.startswith(root.rstrip(b"/") + b"/")


def _folder(top: bytes) -> Iterator[Entry]:
    """Every Python file below ``top``. Links to folders are not entered: what is inside is found anyway."""
    waiting = [top]
    root = os.path.realpath(top)
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as found:
                inside = sorted(found, key=lambda each: each.name)
        except OSError as error:
            yield Entry(folder, root, os.path.relpath(folder, top), "folder", reason(error))
            continue
        below = []
        for each in inside:
            if each.name.startswith(b"."):
                continue
            if each.is_dir(follow_symlinks=False):
                if each.name != b"__pycache__":
                    below.append(_joined(folder, each.name))
            elif each.name.endswith(b".py"):
                yield _file(_joined(folder, each.name), root)
            elif each.is_symlink() and _is_folder(each) and not _inside(os.path.realpath(each.path), root):
                yield Entry(_joined(folder, each.name), root, each.name, "folder", LEADS_OUT)
        waiting += reversed(below)


def _is_folder(entry: os.DirEntry[bytes]) -> bool:
    try:
        return stat.S_ISDIR(entry.stat().st_mode)
    except OSError:
        return False


def _joined(folder: bytes, name: bytes) -> bytes:
    return name if folder == b"." else os.path.join(folder, name)
