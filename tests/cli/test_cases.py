"""``grader cases``: everything that is wrong is listed, and new cases are written."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from grader.cli import main
from tests.cases.tiny import TINY, changed


@pytest.fixture(autouse=True)
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Only the tiny problem exists, with its cases under the current directory."""
    monkeypatch.setattr("grader.cli.cases.load", lambda identifier: {"tiny": TINY}[identifier])
    monkeypatch.setattr("grader.cli.cases.problem_ids", lambda: ["tiny"])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADER_CASES", "cases")
    folder = tmp_path / "cases" / "tiny"
    folder.mkdir(parents=True)
    return folder


def test_check_right(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tiny / "a.json").write_bytes(changed())
    (tiny / "b.json").write_bytes(changed(visibility="public"))
    assert main(["cases", "check", "tiny"]) == 0
    assert capsys.readouterr().out == "tiny: 2 cases (1 hidden), all right\n"


def test_check_lists_everything(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tiny / "a.json").write_bytes(changed(inputs__k=None, extra=1))
    (tiny / "b.json").write_bytes(b"")
    assert main(["cases", "check"]) == 2
    assert capsys.readouterr().out == (
        "cases/tiny/a.json: $.extra: no such key is known here. "
        "There are: inputs, expected, description, visibility.\n"
        "cases/tiny/a.json: $.inputs.k: expected a number, found null\n"
        "cases/tiny/b.json: line 1, column 1: not JSON: Expecting value\n"
        "3 things are wrong\n"
    )


def test_another_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine" / "tiny").mkdir(parents=True)
    (tmp_path / "mine" / "tiny" / "a.json").write_bytes(changed())
    assert main(["cases", "check", "tiny", "--cases", "mine"]) == 0
    assert main(["cases", "check", "tiny"]) == 2
    assert "cases/tiny: expected at least one case (a .json file), found none\n1 thing is wrong\n" in (
        capsys.readouterr().out
    )


def test_add_from_a_file_and_from_standard_input(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("in.json").write_bytes(changed(expected=...))
    assert main(["cases", "add", "tiny", "--name", "a", "--from", "in.json", "--description", "Mine.", "--hidden"]) == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(changed(visibility="public"))))
    assert main(["cases", "add", "tiny", "--name", "b", "--from", "-"]) == 0
    assert capsys.readouterr().out == "Wrote cases/tiny/a.json\nWrote cases/tiny/b.json\n"
    assert json.loads((tiny / "a.json").read_bytes())["description"] == "Mine."
    assert json.loads((tiny / "b.json").read_bytes())["visibility"] == "public"
    assert main(["cases", "check"]) == 0


def test_add_overwrites_nothing(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tiny / "a.json").write_text("old")
    Path("in.json").write_bytes(changed())
    assert main(["cases", "add", "tiny", "--name", "a", "--from", "in.json"]) == 2
    assert (tiny / "a.json").read_text() == "old"
    assert capsys.readouterr().err == "cases/tiny/a.json exists already; it was left as it is.\n"


def test_add_says_what_is_wrong_with_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(changed(inputs__k=True))))
    assert main(["cases", "add", "tiny", "--name", "a", "--from", "-"]) == 2
    assert capsys.readouterr().err == "standard input: $.inputs.k: expected a number, found true\n"


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cases", "schema", "tiny"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "A case of tiny"
