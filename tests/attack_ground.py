"""The ground on which a hostile submission is let loose: what it may aim at, and whether any of it came to harm.

In: a file of tests/attacks/, whose docstring says what it tries and ends in lines `key: value`

    verdicts: RE RV             what the judge may say; anything else fails the test
    harm: file @FOLDER@/x       what must not have happened (any number of such lines; the kinds are in `Ground.harms`)
    options: --time-limit 3     further options of `grader grade`; `--quick` is added but for `options: NOT-QUICK`

Out: the submission with the places of `Ground.places` put in for @NAMES@, and afterwards a list of harms in words.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
ATTACKS = CHECKOUT / "tests" / "attacks"
SECRET = "secret-" + secrets.token_hex(12)
"""What no submission may bring to light."""
PATIENCE = 15.0
"""Seconds that a crowded machine may take beyond a time that an attack names."""


@dataclass(frozen=True)
class Attack:
    """One hostile submission: where it lies, what it tries, what may be said of it and what must not happen."""

    path: Path
    idea: str
    verdicts: tuple[str, ...]
    harms: tuple[tuple[str, str], ...]
    options: tuple[str, ...]

    @property
    def id(self) -> str:
        return str(self.path.relative_to(ATTACKS).with_suffix(""))

    def option(self, name: str) -> float | None:
        """The number given to an option, such as 3 for `--time-limit 3`."""
        return float(self.options[self.options.index(name) + 1]) if name in self.options else None


def attacks() -> list[Attack]:
    """Every file of tests/attacks/*/, in order."""
    return [_attack(path) for path in sorted(ATTACKS.glob("*/*.py"))]


def _attack(path: Path) -> Attack:
    docstring = path.read_text(encoding="utf-8").split('"""')[1]
    idea: list[str] = []
    fields: dict[str, list[str]] = {"verdicts": [], "harm": [], "options": []}
    for line in docstring.splitlines():
        key, colon, value = line.partition(": ")
        if colon and key in fields:
            fields[key].append(value.strip())
        else:
            idea.append(line)
    verdicts = tuple(" ".join(fields["verdicts"]).split())
    assert verdicts, f"{path}: its docstring names no verdicts"
    options = " ".join(fields["options"]).split()
    quick = [] if "NOT-QUICK" in options else ["--quick"]
    harms = tuple((kind, rest) for kind, _, rest in (harm.partition(" ") for harm in fields["harm"]))
    kept = tuple(option for option in (*quick, *options) if option != "NOT-QUICK")
    return Attack(path, "\n".join(idea).strip(), verdicts, harms, kept)


class Ground:
    """Victims, listeners and secrets for one attack. Use `ground()`."""

    def __init__(
        self, folder: Path, secret: str, victim: subprocess.Popen[bytes], listeners: dict[str, socket.socket]
    ) -> None:
        self.folder = folder
        self.secret = secret
        self.token = "atk" + secrets.token_hex(5)
        self.victim = victim
        self.listeners = listeners
        self.secret_file = folder / "a secret"
        self.secret_file.write_text(self.secret)
        self.secret_file.chmod(0o644)
        self.submission = folder / "submission.py"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("\0" + self.token)
        listener.listen()
        self.listeners["abstract"] = listener
        self.places = {
            "FOLDER": str(folder),
            "CHECKOUT": str(CHECKOUT),
            "SITE": sysconfig.get_paths()["purelib"],
            "SECRETFILE": str(self.secret_file),
            "SELF": str(self.submission),
            "TOKEN": self.token,
            "VICTIM": str(victim.pid),
            "TCP": str(listeners["tcp"].getsockname()[1]),
            "UDP": str(listeners["udp"].getsockname()[1]),
            "UNIX": str(folder / "socket"),
            "KEY": str(0x61000000 + secrets.randbelow(1 << 24)),
            "PORT": str(20000 + secrets.randbelow(10000)),
        }

    def fill(self, text: str) -> str:
        for name, place in self.places.items():
            text = text.replace(f"@{name}@", place)
        return text

    def lay(self, attack: Attack) -> Path:
        """Write the submission for this ground; its path."""
        self.submission.write_text(self.fill(attack.path.read_text(encoding="utf-8")), encoding="utf-8")
        self.submission.chmod(0o644)
        self.before = {path: _state(path) for path in (self.submission, self.secret_file)}
        self.started = time.monotonic()
        return self.submission

    def harms(self, attack: Attack, said: str) -> list[str]:
        """What came to harm, in words. `said`: all that the judge wrote about the submission."""
        elapsed = time.monotonic() - self.started
        found = []
        if self.secret in said:
            found.append("the secret is in the report")
        for kind, rest in attack.harms:
            about = self.fill(rest).replace("@SECRET@", self.secret)
            happened = {
                "file": lambda about=about: os.path.lexists(about),
                "changed": lambda about=about: _state(Path(about)) != self.before[Path(about)],
                "leak": lambda about=about: about in said,
                "process": lambda about=about: _running(about),
                "connection": lambda about=about: _heard(self.listeners[about]),
                "victim": lambda about=about: self.victim.poll() is not None,
                "shared-memory": lambda about=about: _shared_memory(int(about)),
                "seconds": lambda about=about: elapsed > float(about) + PATIENCE,
            }[kind]()
            if happened:
                found.append(f"{kind} {about}" + (f": took {elapsed:.1f} s" if kind == "seconds" else ""))
                _clear_up(kind, about)
        return found


def _state(path: Path) -> tuple[object, ...] | None:
    try:
        found = path.stat()
        return found.st_mode, found.st_uid, found.st_mtime_ns, found.st_ctime_ns, path.read_bytes()
    except OSError:
        return None


def _running(name: str) -> list[int]:
    """Processes and threads of this name."""
    found = []
    for file in Path("/proc").glob("[0-9]*/task/[0-9]*/comm"):
        with contextlib.suppress(OSError):
            if file.read_text().strip() == name:
                found.append(int(file.parts[2]))
    return found


def _heard(listener: socket.socket) -> bool:
    listener.settimeout(0)
    try:
        if listener.type == socket.SOCK_DGRAM:
            listener.recv(1)
        else:
            listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _shared_memory(key: int) -> bool:
    with open("/proc/sysvipc/shm") as file:
        return any(line.split()[0] == str(key) for line in file if line.strip())


def _clear_up(kind: str, about: str) -> None:
    """Where the jail failed, leave no trace all the same."""
    with contextlib.suppress(OSError):
        if kind == "file":
            shutil.rmtree(about) if os.path.isdir(about) else os.unlink(about)
        elif kind == "process":
            for pid in _running(about):
                os.kill(pid, signal.SIGKILL)
        elif kind == "shared-memory":
            subprocess.run(["ipcrm", "-M", about], check=False)


@contextmanager
def ground(secret: str) -> Iterator[Ground]:
    """A fresh ground: a folder that everybody may write to, a secret in it, listeners, and a process to aim at."""
    folder = Path(tempfile.mkdtemp(prefix="ground-"))
    folder.chmod(0o777)
    listeners = {
        "tcp": socket.socket(),
        "udp": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "unix": socket.socket(socket.AF_UNIX),
    }
    listeners["tcp"].bind(("127.0.0.1", 0))
    listeners["udp"].bind(("127.0.0.1", 0))
    listeners["unix"].bind(str(folder / "socket"))
    (folder / "socket").chmod(0o777)
    listeners["tcp"].listen()
    listeners["unix"].listen()
    sleeping = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]
    victim = subprocess.Popen(sleeping, stdin=subprocess.DEVNULL)
    try:
        yield Ground(folder, secret, victim, listeners)
    finally:
        victim.kill()
        victim.wait()
        for listener in listeners.values():
            listener.close()
        shutil.rmtree(folder, ignore_errors=True)
