"""Which files a traced submission needs: Python's library, its packages, the shared libraries.

In: the running interpreter, what else is to be readable, and what must stay hidden. Out: paths, each existing.
Measured with strace: after `import jax`, tracing and running on 8 CPU devices opens modules below these folders,
/dev/urandom and /sys/devices/system/cpu; it opens nothing of /proc that it cannot do without.
"""

from __future__ import annotations

import os
import stat
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

SYSTEM_FILES: Final = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/nix/store",
    "/sys/devices/system/cpu",
)
DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def _python_folders() -> Iterator[str]:
    paths = sysconfig.get_paths()
    yield from (paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib"))
    for prefix in (sys.base_prefix, sys.base_exec_prefix):
        # libpython and what an extension module finds by a relative path lie beside the standard library.
        if Path(prefix) not in (Path("/"), Path("/usr"), Path("/usr/local")):
            yield os.path.join(prefix, "lib")


def readable_paths(extra: Iterable[str] = ()) -> tuple[str, ...]:
    """Existing files and folders to read, sorted, none inside another. Symbolic links are not resolved."""
    wanted = [*SYSTEM_FILES, *_python_folders(), *extra]
    present = sorted({os.path.abspath(path) for path in wanted if os.path.exists(path)})
    kept: list[str] = []
    for path in present:
        if not any(is_inside(path, other) for other in kept):
            kept.append(path)
    return tuple(kept)


def is_inside(path: str, folder: str) -> bool:
    """True when `path` is `folder` or lies below it (by name)."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def hidden_below(folder: str, hidden: Iterable[str]) -> tuple[str, ...]:
    """Those of `hidden` that lie strictly below `folder`; a readable folder inside a hidden one stays readable."""
    real = os.path.realpath(folder)
    resolved = (os.path.realpath(path) for path in hidden)
    return tuple(path for path in resolved if path != real and is_inside(path, real))


def closed_ancestor(paths: Iterable[str]) -> str | None:
    """The first folder on the way to `paths` that a user without privileges cannot pass, if any."""
    for path in paths:
        for folder in (Path(path), *Path(path).parents):
            try:
                mode = folder.stat().st_mode
            except OSError:
                continue
            needed = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
            if folder != Path(path):
                needed = stat.S_IXOTH
            if mode & needed != needed:
                return str(folder)
    return None
