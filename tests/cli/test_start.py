"""The command as a process: quick to start, and never a traceback whatever happens around it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}


def grader(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "grader", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**ENVIRONMENT, **environment},
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["list"],
        ["grade", "--help"],
        ["cases", "--help"],
        ["grad"],
        ["show", "no-such-problem"],
    ],
)
def test_nothing_heavy_is_imported_for_a_quick_answer(arguments: list[str]) -> None:
    code = (
        "import sys; from grader.cli import main; main(sys.argv[1:])\n"
        "heavy = {'jax', 'numpy', 'rich', 'hypothesis', 'asyncio'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_list() -> None:
    done = grader("list")
    assert done.returncode == 0
    rows = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
    assert ["tensor_parallel_mlp", "medium", "Tensor-parallel MLP"] in rows
    assert done.stderr == ""


def test_statement_goes_out_as_markdown_when_piped() -> None:
    done = grader("show", "tensor-parallel-mlp")
    assert done.returncode == 0
    assert done.stdout.startswith("# Tensor-parallel MLP\n\ntensor_parallel_mlp · medium · JAX\n")


def test_wrong_usage() -> None:
    done = grader("grad", "x.py")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "There is no command grad. Did you mean grade?\n")


def test_the_locale_decides_about_signs(tmp_path: Path) -> None:
    plain = {"LC_ALL": "C", "LANG": "C"}
    done = grader("grade", str(tmp_path), **plain)
    assert done.returncode == 1
    assert done.stdout.isascii()
    assert "x unreadable-file" in done.stdout
    done = grader("grade", str(tmp_path), LC_ALL="", LANG="en_GB.UTF-8")
    assert "✗ unreadable-file" in done.stdout


def test_a_reader_that_went_away(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    for arguments in (["grade", str(tmp_path)], ["--help"], ["list"]):
        done = subprocess.run(
            [sys.executable, "-m", "grader", *arguments],
            stdout=writer,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            timeout=60,
            check=False,
        )
        assert done.stderr == b""
        assert done.returncode == (1 if arguments[0] == "grade" else 0)
    os.close(writer)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "grader", "grade", str(tmp_path)],
            stdout=full,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            timeout=60,
            check=False,
        )
    assert done.stderr == b"Standard output cannot be written: No space left on device.\n"
    assert done.returncode == 2


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_a_closed_stream(stream: str, tmp_path: Path) -> None:
    close = {"stdin": "<&-", "stdout": ">&-", "stderr": "2>&-"}[stream]
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m grader grade "$1" {close}', sys.executable, str(tmp_path)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr


def test_ctrl_c(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys, types\n"
        "stub = types.ModuleType('grader.supervisor')\n"
        "stub.grade = lambda request: os.kill(os.getpid(), signal.SIGINT) or signal.pause()\n"
        "sys.modules['grader.supervisor'] = stub\n"
        "from grader.cli import main\n"
        "sys.exit(main(['grade', sys.argv[1]]))\n"
    )
    path = tmp_path / "mine.py"
    path.write_text("x = 1\n")
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")
