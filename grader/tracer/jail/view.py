"""The mount namespace's file system: an empty tmpfs holding only what a submission may see.

In: readable paths, hidden paths, the scratch directory's size. Out: nothing; afterwards "/" of this process is

    /            tmpfs, read-only
    /tmp         tmpfs, writable, `scratch_bytes` at most; nosuid, nodev, noexec
    /dev/null …  the five harmless devices
    /usr/lib …   Python's folders and the shared libraries: the machine's own, bound read-only
    hidden paths covered by an empty, read-only tmpfs (a file: by /dev/null)

and the machine's own root is unmounted. Raises OSError when the kernel (5.12 or newer) or the container refuses.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable
from typing import Final

from grader.tracer.jail.installation import DEVICES, hidden_below, is_inside
from grader.tracer.jail.kernel import call

SCRATCH: Final = "/tmp"
SCRATCH_INODES: Final = 4096

_AT_FDCWD = -100
_AT_EMPTY_PATH = 0x1000
_AT_RECURSIVE = 0x8000
_OPEN_TREE_CLONE = 1
_O_CLOEXEC = os.O_CLOEXEC
_MOVE_MOUNT_F_EMPTY_PATH = 0x4
_FSCONFIG_SET_STRING = 1
_FSCONFIG_CMD_CREATE = 6
_MOUNT_ATTR_RDONLY = 0x1
_MOUNT_ATTR_NOSUID = 0x2
_MOUNT_ATTR_NODEV = 0x4
_MOUNT_ATTR_NOEXEC = 0x8
_MS_REC_PRIVATE = (1 << 14) | (1 << 18)
_MNT_DETACH = 2


def _tmpfs(**options: str) -> int:
    """A new tmpfs, mounted nowhere yet; its descriptor."""
    context = call("fsopen", b"tmpfs", 1)
    try:
        for key, value in options.items():
            call("fsconfig", context, _FSCONFIG_SET_STRING, key.encode(), value.encode(), 0)
        call("fsconfig", context, _FSCONFIG_CMD_CREATE, None, None, 0)
        return call("fsmount", context, 1, _MOUNT_ATTR_NOSUID | _MOUNT_ATTR_NODEV | _MOUNT_ATTR_NOEXEC)
    finally:
        os.close(context)


def _set(mount: int, attributes: int, *, recursive: bool) -> None:
    """Add mount attributes (struct mount_attr: set, clear, propagation, user namespace)."""
    attr = b"".join(value.to_bytes(8, "little") for value in (attributes, 0, 0, 0))
    call("mount_setattr", mount, b"", _AT_EMPTY_PATH | (_AT_RECURSIVE if recursive else 0), attr, len(attr))


def _attach(mount: int, root: int, path: str) -> None:
    call("move_mount", mount, b"", root, os.fsencode(path.lstrip("/")), _MOVE_MOUNT_F_EMPTY_PATH)


def _bind(source: str, root: int, target: str, *, device: bool = False) -> None:
    tree = call("open_tree", _AT_FDCWD, os.fsencode(source), _OPEN_TREE_CLONE | _AT_RECURSIVE | _O_CLOEXEC)
    try:
        attributes = _MOUNT_ATTR_RDONLY | _MOUNT_ATTR_NOSUID
        if not device:
            _set(tree, attributes | _MOUNT_ATTR_NODEV, recursive=True)
        else:
            _set(tree, _MOUNT_ATTR_NOSUID, recursive=True)
        _attach(tree, root, target)
    finally:
        os.close(tree)


def _folders(root: int, path: str) -> None:
    """Create the folders of `path` below the new root."""
    done = ""
    for part in path.strip("/").split("/"):
        done = f"{done}/{part}" if done else part
        try:
            os.mkdir(done, 0o755, dir_fd=root)
        except FileExistsError:
            continue


def _place(root: int, path: str) -> str:
    """Make room for `path` below the new root, copying symbolic links on the way; where it really lies."""
    parts = [part for part in path.split("/") if part]
    done = ""
    links = 0
    while parts:
        part = parts.pop(0)
        if part == "..":
            done = os.path.dirname(done)
            continue
        if part == ".":
            continue
        here = f"{done}/{part}"
        if os.path.islink(here):
            links += 1
            if links > 40:
                raise OSError(errno.ELOOP, f"too many symbolic links: {path}")
            target = os.readlink(here)
            if done:
                _folders(root, done)
            with contextlib.suppress(FileExistsError):
                os.symlink(target, here.lstrip("/"), dir_fd=root)
            parts = [part for part in target.split("/") if part] + parts
            if target.startswith("/"):
                done = ""
            continue
        done = here
    if stat.S_ISDIR(os.stat(done).st_mode):
        _folders(root, done)
    else:
        _folders(root, os.path.dirname(done))
        with contextlib.suppress(FileExistsError):
            os.close(os.open(done.lstrip("/"), os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o444, dir_fd=root))
    return done


def _cover(root: int, path: str) -> None:
    """Hide what lies at `path` below the new root."""
    if os.path.isdir(path):
        empty = _tmpfs(size="4096", nr_inodes="2", mode="0555")
        try:
            _set(empty, _MOUNT_ATTR_RDONLY, recursive=False)
            _attach(empty, root, path)
        finally:
            os.close(empty)
    elif os.path.exists(path):
        _bind("/dev/null", root, path, device=True)


def enter_view(
    readable: Iterable[str], hidden: Iterable[str], scratch_bytes: int, owner: tuple[int, int] | None
) -> None:
    """Replace "/" as the module says. `owner` (uid, gid) owns the scratch directory when another user will use it."""
    call("mount", b"none", b"/", None, _MS_REC_PRIVATE, None)
    root = _tmpfs(size="1m", nr_inodes="4096", mode="0755")
    try:
        # Lookups of "/" start at this process's root and never enter a mount on top of it: the sources stay reachable.
        call("move_mount", root, b"", _AT_FDCWD, b"/", _MOVE_MOUNT_F_EMPTY_PATH)
        os.fchdir(root)
        try:
            _furnish(root, tuple(readable), tuple(hidden), scratch_bytes, owner)
            call("pivot_root", b".", b".")
        finally:
            # Whatever lies on top here, the old root or the view that could not be finished, is let go.
            call("umount2", b".", _MNT_DETACH)
            os.chdir("/")
    finally:
        os.close(root)


def _furnish(
    root: int, readable: tuple[str, ...], hidden: tuple[str, ...], scratch_bytes: int, owner: tuple[int, int] | None
) -> None:
    os.mkdir(SCRATCH.lstrip("/"), 0o755, dir_fd=root)
    if scratch_bytes:
        options = {"size": str(scratch_bytes), "nr_inodes": str(SCRATCH_INODES), "mode": "0700"}
        if owner is not None:
            options |= {"uid": str(owner[0]), "gid": str(owner[1])}
        scratch = _tmpfs(**options)
        try:
            _attach(scratch, root, SCRATCH)
        finally:
            os.close(scratch)
    for path in DEVICES:
        if os.path.exists(path):
            _bind(path, root, _place(root, path), device=True)
    bound: set[str] = set()
    for path in readable:
        real = _place(root, path)
        if not any(is_inside(real, other) for other in bound):
            _bind(real, root, real)
            bound.add(real)
            for covered in hidden_below(real, hidden):
                _cover(root, covered)
    _set(root, _MOUNT_ATTR_RDONLY, recursive=False)
