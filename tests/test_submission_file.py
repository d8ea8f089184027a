"""Whatever stands at the path that was typed, one read decides, and nothing hangs."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from grader.report.model import Finding, Verdict
from grader.submission_file import MOST_BYTES, read_submission


def why_not(path: str | Path) -> str:
    found = read_submission(str(path))
    assert isinstance(found, Finding)
    assert found.verdict is Verdict.CE
    assert found.kind == "error"
    return found.message


@pytest.mark.parametrize(
    "data", [b"x = 1\n", b"\xff\x00 not python", b"# -*- coding: utf-7 -*-\n+AGE-\n", b"#" * MOST_BYTES]
)
def test_bytes_are_handed_on_as_they_are(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_bytes(data)
    assert read_submission(str(tmp_path / "mine.py")) == data


@pytest.mark.parametrize(
    "name", [b"with space.py", b"new\nline.py", b"-dash.py", b"quo'te\".py", b"\xff\xfe.py", "é数.py".encode()]
)
def test_any_name_will_do(name: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open(name, "wb") as file:
        file.write(b"x = 1\n")
    assert read_submission(os.fsdecode(name)) == b"x = 1\n"


def test_links_to_files_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_bytes(b"x = 1\n")
    (tmp_path / "link.py").symlink_to("real.py")
    assert read_submission(str(tmp_path / "link.py")) == b"x = 1\n"


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "circle.py").symlink_to("circle.py")
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    listener = socket.socket(socket.AF_UNIX)
    before = os.getcwd()
    os.chdir(tmp_path)  # a socket's path may be too long otherwise
    try:
        listener.bind("socket.py")
    finally:
        os.chdir(before)
        listener.close()
    assert why_not(tmp_path) == "The file cannot be read: it is a directory."
    assert why_not(tmp_path / "pipe.py") == "The file cannot be read: it is a named pipe."
    assert why_not(tmp_path / "circle.py") == "The file cannot be read: it is a link that leads in a circle."
    assert why_not(tmp_path / "zero.py") == "The file cannot be read: it is a device."
    assert why_not(tmp_path / "socket.py") == "The file cannot be read: it is a socket or a device."
    assert why_not(tmp_path / "none.py") == "The file cannot be read: there is no such file."
    assert why_not("a\0b.py") == "The file cannot be read: there is no such file."
    assert why_not("") == "The file cannot be read: there is no such file."
    assert why_not(tmp_path / ("x" * 300)) == "The file cannot be read: its name is too long."


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_bytes(b"x = 1\n")
    (tmp_path / "mine.py").chmod(0)
    assert why_not(tmp_path / "mine.py") == "The file cannot be read: permission to read it is denied."


@pytest.mark.parametrize("size", [MOST_BYTES + 1, 50 << 20, 1 << 40])
def test_too_large(size: int, tmp_path: Path) -> None:
    with open(tmp_path / "mine.py", "wb") as file:
        file.truncate(size)
    assert why_not(tmp_path / "mine.py") == "The file cannot be read: it is larger than 1 MiB."


def test_a_file_that_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(b"x" * MOST_BYTES)
    real = os.fstat

    def fstat(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        with open(path, "ab") as file:
            file.write(b"more")
        return status

    monkeypatch.setattr(os, "fstat", fstat)
    assert why_not(path) == "The file cannot be read: it is larger than 1 MiB."


@pytest.mark.parametrize("data", [b"", b" \n\t\n"])
def test_an_empty_file(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_bytes(data)
    assert why_not(tmp_path / "mine.py") == "The file is empty."
