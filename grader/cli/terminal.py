"""Where reports go: standard output as the reader's terminal can show it, or a file written whole.

A reader that goes away (``| head``) is no error.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import Unusable

if TYPE_CHECKING:
    from grader.report.page import Look

_WIDEST = 100
"""Columns that text is set in at most: longer lines read badly."""


def look() -> Look:
    """What standard output can show."""
    import shutil

    from grader.report.page import Look

    terminal = sys.stdout is not None and sys.stdout.isatty()
    return Look(
        width=min(shutil.get_terminal_size((80, 24)).columns, _WIDEST),
        color=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
        unicode=shows_unicode(os.environ, getattr(sys.stdout, "encoding", None)),
    )


def shows_unicode(environment: Mapping[str, str], encoding: str | None) -> bool:
    """Whether the reader's locale has more than ASCII.

    Python makes UTF-8 of the C locale on its own account, and LC_CTYPE then says C.UTF-8: what the reader's
    terminal does is what LC_ALL, or else LANG, said before.
    """
    if environment.get("PYTHONIOENCODING"):
        return _is_utf8(encoding)
    chosen = environment.get("LC_ALL")
    if not chosen:
        chosen = environment.get("LC_CTYPE")
        language = environment.get("LANG", "")
        if not chosen or (chosen == "C.UTF-8" and language in ("", "C", "POSIX")):
            chosen = language
    if not chosen and sys.platform == "win32":
        return _is_utf8(encoding)
    return _is_utf8(chosen.partition(".")[2].partition("@")[0])


def _is_utf8(encoding: str | None) -> bool:
    return (encoding or "").lower().replace("-", "").replace("_", "") in ("utf8", "65001", "cp65001")


def emit(text: str | bytes, *, unicode: bool = True) -> None:
    """Write to standard output, all of it now. Text goes out as UTF-8, or in ASCII."""
    data = text if isinstance(text, bytes) else _encoded(text, unicode)
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _stop_writing()
    except OSError as error:
        _stop_writing()
        raise Unusable(f"Standard output cannot be written: {error.strerror}.") from error


def say(text: str) -> None:
    """Write a message to standard error."""
    from grader.report.clean import clean

    if sys.stderr is None:
        return
    with contextlib.suppress(OSError):
        lines = "\n".join(clean(line) for line in text.split("\n"))
        unicode = shows_unicode(os.environ, getattr(sys.stderr, "encoding", None))
        sys.stderr.flush()
        sys.stderr.buffer.write(_encoded(f"{lines}\n", unicode))
        sys.stderr.buffer.flush()


def _encoded(text: str, unicode: bool) -> bytes:
    from grader.report.clean import in_ascii

    return text.encode("utf-8", "backslashreplace") if unicode else in_ascii(text).encode("ascii")


def _stop_writing() -> None:
    """Let the interpreter's own flush at exit go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def check_writable(path: Path) -> None:
    """Raise `Unusable` now rather than after the work when a report cannot be written to ``path``."""
    folder = path.parent
    if path.is_dir():
        raise Unusable(f"{path} is a directory: name a file to write the report to.")
    if not folder.is_dir():
        raise Unusable(f"{path} cannot be written: there is no folder {folder}.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise Unusable(f"{path} cannot be written: permission is denied.")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that no reader sees half of it. What is no regular file (``/dev/stderr``) is written to."""
    try:
        target = path.resolve()
        mode = _mode(target)
        if mode is None:
            with open(target, "wb") as file:
                file.write(data)
            return
        descriptor, draft = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
        try:
            with open(descriptor, "wb") as file:
                file.write(data)
                os.fchmod(file.fileno(), mode)
            os.replace(draft, target)
        except BaseException:
            os.unlink(draft)
            raise
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from error


def _mode(target: Path) -> int | None:
    """The permissions that the file has or, where it is new, is to have; None for what is no regular file."""
    try:
        found = os.stat(target)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
    return stat.S_IMODE(found.st_mode) if stat.S_ISREG(found.st_mode) else None
