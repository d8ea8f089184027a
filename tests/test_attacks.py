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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.report.json import render as render_json
from grader.report.model import Report, Verdict
from grader.report.text import render as render_text
from grader.request import GradeRequest, Limits
from grader.supervisor import Judge
from tests.attack_ground import ATTACKS, CHECKOUT, SECRET, Attack, attacks, ground

ALL = attacks()
CLASSES = ("escaping", "exhausting", "forging", "patching", "reading", "tricking")
EACH_CLASS = (
    "escaping/commands",
    "exhausting/ignores_every_signal",
    "forging/prints_a_report",
    "patching/every_comparison",
    "reading/environment",
    "tricking/counter",
)
HONEST = CHECKOUT / "solution" / "tensor_parallel_mlp.py"
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


def grade(judge: Judge, path: Path, attack: Attack | None = None) -> Report:
    memory = attack.option("--memory-limit") if attack else None
    return judge.grade(
        GradeRequest(
            submission=path.read_bytes(),
            display_name=path.name,
            quick=attack is None or "--quick" in attack.options,
            limits=Limits(attack.option("--time-limit") if attack else None, memory and int(memory) << 20),
        )
    )


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    """One judge for all attacks: what one leaves behind, the next would find, and an honest file after them all."""
    with pytest.MonkeyPatch.context() as patch, Judge() as judge:
        patch.setenv("A_SECRET", SECRET)
        before = grade(judge, HONEST)
        assert before.verdict == Verdict.AC, before.findings
        yield judge
        after = grade(judge, HONEST)
        assert json.loads(timeless(after)) == json.loads(timeless(before))


def timeless(report: Report) -> bytes:
    return render_json(msgspec.structs.replace(report, seconds=0.0))


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.id)
def test_a_verdict_and_nothing_else(attack: Attack, judge: Judge) -> None:
    with ground(SECRET) as here:
        report = grade(judge, here.lay(attack), attack)
        said = render_json(report).decode()
        for_people = render_text(report)
        harms = here.harms(attack, said + for_people)
    assert not harms, f"{attack.idea}\n{said[:2000]}"
    assert report.verdict.value in attack.verdicts, f"{attack.idea}\n{said[:3000]}"
    assert len(said) + len(for_people) < SIZE_OF_A_REPORT
    assert json.loads(said)["verdict"] == report.verdict.value
    assert not [text for text in strings(json.loads(said)) if CONTROL.search(text)]
    assert not CONTROL.search(for_people)


@pytest.mark.parametrize("name", EACH_CLASS)
def test_through_the_command_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    [attack] = [each for each in ALL if each.id == name]
    with ground(SECRET) as here:
        monkeypatch.setenv("A_SECRET", SECRET)
        command = [sys.executable, "-m", "grader", "grade", "--format", "json", *attack.options, "--", here.lay(attack)]
        done = subprocess.run(command, capture_output=True, check=False, timeout=120, cwd=CHECKOUT)
        said = done.stdout.decode() + done.stderr.decode()
        harms = here.harms(attack, said)
    assert not harms, f"{attack.idea}\n{said[:2000]}"
    verdict = json.loads(done.stdout)["verdict"]
    assert verdict in attack.verdicts, f"{attack.idea}\n{said[:3000]}"
    assert done.returncode == (0 if verdict == "AC" else 1)
    assert not done.stderr


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
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); import time; time.sleep(1)"
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
    with ground(SECRET) as here:
        untouched = Attack(ATTACKS / "none.py", "", ("RE",), ((kind, rest),), ())
        path = here.lay(attack)
        assert not here.harms(untouched, "")
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False, timeout=30)
        assert not done.stderr
        assert here.harms(attack, done.stdout)
