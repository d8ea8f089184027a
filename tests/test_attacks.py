"""Hostile submissions, let loose through the real command line: each gets a verdict, and nothing else happens.

To add one, drop a file into a folder of tests/attacks/; `tests.attack_ground` tells how it says what it may and must
not achieve.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.attack_ground import ATTACKS, CHECKOUT, Attack, attacks, ground

ALL = attacks()
CLASSES = ("escaping", "exhausting", "forging", "patching", "reading", "tricking")
SIZE_OF_A_REPORT = 1 << 20
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the jail is made of Linux's layers")


def strings(value: Any) -> list[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.items() for part in item for text in strings(part)]
    if isinstance(value, list):
        return [text for part in value for text in strings(part)]
    return []


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.id)
def test_a_verdict_and_nothing_else(attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    with ground() as here:
        monkeypatch.setenv("A_SECRET", here.secret)
        path = here.lay(attack)
        command = [sys.executable, "-m", "grader", "grade", "--format", "json", *attack.options, "--", str(path)]
        done = subprocess.run(command, capture_output=True, check=False, timeout=120, cwd=CHECKOUT)
        said = done.stdout.decode() + done.stderr.decode(errors="replace")
        harms = here.harms(attack, said)
        assert not harms, f"{attack.idea}\n{said[:2000]}"
        report = json.loads(done.stdout)
        assert report["verdict"] in attack.verdicts, f"{attack.idea}\n{said[:3000]}"
        assert done.returncode == (0 if report["verdict"] == "AC" else 1)
        assert len(done.stdout) < SIZE_OF_A_REPORT
        assert not done.stderr
        broken = [text for text in strings(report) if CONTROL.search(text)]
        assert not broken, "control characters reach the reader"


@pytest.mark.parametrize(
    "name", ["forging/control_sequences", "forging/exception_that_breaks_out", "tricking/names_that_lie"]
)
def test_no_control_character_reaches_a_terminal(name: str) -> None:
    [attack] = [each for each in ALL if each.id == name]
    with ground() as here:
        command = [sys.executable, "-m", "grader", "grade", "--quick", "--", str(here.lay(attack))]
        done = subprocess.run(command, capture_output=True, check=False, timeout=120, cwd=CHECKOUT)
    assert not CONTROL.search(done.stdout.decode())
    assert not CONTROL.search(done.stderr.decode())


@pytest.mark.parametrize(
    "name",
    ["patching/every_comparison", "tricking/context_left_behind", "escaping/compilation_cache", "exhausting/threads"],
)
def test_the_next_submission_notices_nothing(name: str, tmp_path: Path) -> None:
    """Graded in one run of `grader batch`, beside an honest file whose verdict must stay what it is."""
    [attack] = [each for each in ALL if each.id == name]
    honest = CHECKOUT / "solution" / "tensor_parallel_mlp.py"
    with ground() as here:
        folder = tmp_path / "handed in"
        folder.mkdir()
        for file, source in (("a.py", honest), ("b.py", here.lay(attack)), ("c.py", honest)):
            (folder / file).write_bytes(source.read_bytes())
        command = [sys.executable, "-m", "grader", "batch", "--quick", "--format", "json", *attack.options]
        done = subprocess.run(
            [*command, "--", str(folder)], capture_output=True, check=False, timeout=120, cwd=CHECKOUT
        )
    verdicts = {Path(report["submission"]).name: report["verdict"] for report in json.loads(done.stdout)["reports"]}
    assert verdicts["a.py"] == verdicts["c.py"] == "AC"
    assert verdicts["b.py"] in attack.verdicts


def test_there_are_attacks_of_every_class() -> None:
    counts = Counter(attack.path.parent.name for attack in ALL)
    assert set(counts) == set(CLASSES)
    assert min(counts.values()) >= 10
    assert sum(counts.values()) >= 60
    assert all(attack.idea for attack in ALL)


# A submission, run without any jail, that does the harm that the ground must notice.
HARMS: dict[str, str] = {
    "file @FOLDER@/x": "open('@FOLDER@/x', 'w')",
    "changed @SECRETFILE@": "import os; os.utime('@SECRETFILE@', (0, 0))",
    "leak LEAKED": "print('LEAKED')",
    "process @TOKEN@": (
        "import ctypes, subprocess, sys; subprocess.Popen([sys.executable, '-c', "
        "'import ctypes, time; ctypes.CDLL(None).prctl(15, b\"@TOKEN@\", 0, 0, 0); time.sleep(9)'], "
        "stdout=subprocess.DEVNULL); import time; time.sleep(1)"
    ),
    "connection tcp": "import socket; socket.create_connection(('127.0.0.1', int('@TCP@')))",
    "connection udp": "import socket; socket.socket(2, 2).sendto(b'x', ('127.0.0.1', int('@UDP@')))",
    "connection unix": "import socket; socket.socket(1).connect('@UNIX@')",
    "connection abstract": "import socket; socket.socket(1).connect('\\0@TOKEN@')",
    "victim": "import os, time; os.kill(int('@VICTIM@'), 9); time.sleep(0.2)",
    "shared-memory @KEY@": "import ctypes; ctypes.CDLL(None).shmget(int('@KEY@'), 4096, 0o1666)",
}


@pytest.mark.parametrize("harm", HARMS)
def test_the_ground_notices_harm(harm: str, tmp_path: Path) -> None:
    kind, _, rest = harm.partition(" ")
    file = tmp_path / "attack.py"
    file.write_text(HARMS[harm])
    attack = Attack(file, "", ("RE",), ((kind, rest),), ())
    with ground() as here:
        untouched = Attack(ATTACKS / "none.py", "", ("RE",), ((kind, rest),), ())
        path = here.lay(attack)
        assert not here.harms(untouched, "")
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False, timeout=30)
        assert not done.stderr
        assert here.harms(attack, done.stdout)
