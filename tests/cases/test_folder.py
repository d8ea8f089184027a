"""All cases of a folder: every fault is found, in every file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import grader
from grader.cases import CaseError, cases_root, choose, load_cases
from grader.errors import Unusable
from tests.cases.tiny import TINY, changed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tiny").mkdir()
    return tmp_path / "tiny"


def load(folder: Path) -> list[str]:
    return [each.name for each in load_cases(TINY, folder.parent)]


def failure(folder: Path) -> str:
    with pytest.raises(CaseError) as raised:
        load(folder)
    return str(raised.value).replace(f"{folder}/", "")


def test_names_are_in_the_order_that_people_count(folder: Path) -> None:
    for name in ["b", "case_10", "case_9", "a"]:
        (folder / f"{name}.json").write_bytes(changed())
    (folder / "README.md").write_text("not a case")
    (folder / ".draft.json").write_text("not a case")
    assert load(folder) == ["a", "b", "case_9", "case_10"]


def test_no_cases(folder: Path) -> None:
    message = "expected at least one case (a .json file), "
    assert failure(folder) == f"{folder}: {message}found none"
    folder.rmdir()
    assert failure(folder) == (f"{folder}: {message}there is no such folder; --cases or GRADER_CASES names another")


def test_faults_of_all_files_are_listed(folder: Path) -> None:
    (folder / "a.json").write_bytes(changed(inputs__k=None))
    (folder / "b.json").write_bytes(changed())
    (folder / "c.json").write_bytes(b"")
    assert failure(folder) == (
        "a.json: $.inputs.k: expected a number, found null\nc.json: line 1, column 1: not JSON: Expecting value"
    )


def test_what_is_no_file(folder: Path) -> None:
    (folder / "a.json").mkdir()
    os.mkfifo(folder / "b.json")
    (folder / "c.json").symlink_to("nowhere")
    with open(folder / "d.json", "wb") as sparse:
        sparse.truncate(50 << 20)
    assert failure(folder).split("\n") == [
        "a.json: cannot be read: it is a directory",
        "b.json: cannot be read: it is a named pipe",
        "c.json: cannot be read: there is no such file",
        "d.json: cannot be read: it is larger than 4 MiB",
    ]


def test_files_are_named_from_the_current_directory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.json").write_bytes(b"")
    monkeypatch.chdir(folder.parent)
    assert failure(folder) == "tiny/a.json: line 1, column 1: not JSON: Expecting value"


def test_choose(folder: Path) -> None:
    for name in ["one", "two"]:
        (folder / f"{name}.json").write_bytes(changed())
    cases = load_cases(TINY, folder.parent)
    assert [each.name for each in choose(cases, [])] == ["one", "two"]
    assert [each.name for each in choose(cases, ["two"])] == ["two"]
    with pytest.raises(Unusable, match=r"^There is no case tow\. Did you mean two\?$"):
        choose(cases, ["two", "tow"])


def test_where_cases_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRADER_CASES", raising=False)
    assert cases_root() == Path(grader.__file__).resolve().parent.parent / "cases"
    monkeypatch.setenv("GRADER_CASES", "/somewhere")
    assert cases_root() == Path("/somewhere")
    assert cases_root(tmp_path) == tmp_path
