"""Which submissions paths name, and that no link leads out of their folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.batch.collect import LEADS_OUT, collect, read
from grader.regular_file import Unreadable


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def put(name: str, text: str = "x = 1\n") -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def names(*paths: str) -> list[str]:
    return [os.fsdecode(each.name) for each in collect(paths)]


def test_a_folder_is_searched_to_its_end_in_order(here: Path) -> None:
    for name in ("c/b.py", "c/a.py", "c/d/e.py", "a.py", "c/notes.txt", "c/.git/x.py", "c/__pycache__/y.py", "c/.z.py"):
        put(name)
    assert names("c") == ["c/a.py", "c/b.py", "c/d/e.py"]
    assert names(".") == ["a.py", "c/a.py", "c/b.py", "c/d/e.py"]


def test_files_and_patterns(here: Path) -> None:
    for name in ("a/1.py", "b/2.py", "b/2.txt", "[odd].py"):
        put(name)
    assert names("*/*.py") == ["a/1.py", "b/2.py"]
    assert names("b/2.txt") == ["b/2.txt"]
    assert names("[odd].py") == ["[odd].py"]


def test_nothing_there_is_an_entry_that_cannot_be_read(here: Path) -> None:
    [entry] = collect(["missing.py"])
    with pytest.raises(Unreadable, match="there is no such file"):
        read(entry, 100)


def test_links_inside_count_and_links_out_are_not_opened(here: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("secret")
    put("s/own.py", "own")
    Path("s/inside.py").symlink_to("own.py")
    Path("s/out.py").symlink_to(tmp_path / "secret.py")
    Path("s/up.py").symlink_to("../../secret.py")
    Path("s/circle.py").symlink_to("circle.py")
    Path("s/folder").symlink_to(tmp_path)
    found = {os.fsdecode(each.name): each for each in collect(["s"])}
    assert read(found["s/inside.py"], 100) == b"own"
    for name in ("s/out.py", "s/up.py", "s/folder"):
        assert found[name].reason == LEADS_OUT
    assert found["s/circle.py"].reason == "it is a link that leads in a circle"
    assert set(found) == {"s/own.py", "s/inside.py", "s/out.py", "s/up.py", "s/folder", "s/circle.py"}
    assert [each.reason for each in collect(["s/*t.py"])] == [LEADS_OUT]


def test_what_becomes_a_link_later_is_not_followed(here: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("secret")
    put("s/d/a.py")
    put("s/b.py")
    in_folder, file = collect(["s/d", "s/b.py"])
    Path("s/b.py").unlink()
    Path("s/b.py").symlink_to(tmp_path / "secret.py")
    Path("s/d/a.py").rename("a.py")
    Path("s/d").rmdir()
    Path("s/d").symlink_to(tmp_path)
    for each in (in_folder, file):
        with pytest.raises(Unreadable, match=r"replaced by a link|no such file"):
            read(each, 100)


def test_a_folder_on_the_way_that_becomes_a_link_is_not_entered(here: Path, tmp_path: Path) -> None:
    put("s/d/a.py")
    [entry] = collect(["s"])
    Path("s/d").rename(tmp_path / "d")
    Path("s/d").symlink_to(tmp_path / "d")
    with pytest.raises(Unreadable):
        read(entry, 100)


def test_odd_names(here: Path) -> None:
    put("s/-rf.py")
    put("s/a b\n'\".py")
    Path(os.fsdecode(b"s/\xff.py")).write_text("y")
    entries = list(collect(["s"]))
    assert len(entries) == 3
    assert all(read(each, 100) for each in entries)


def test_what_is_no_file_or_too_large(here: Path) -> None:
    os.mkfifo("pipe.py")
    put("large.py", "x" * 101)
    pipe, large = collect(["pipe.py", "large.py"])
    with pytest.raises(Unreadable, match="it is a named pipe"):
        read(pipe, 100)
    with pytest.raises(Unreadable, match="larger than"):
        read(large, 100)


@pytest.mark.skipif(os.geteuid() == 0, reason="everything may be read by root")
def test_a_folder_that_may_not_be_read(here: Path) -> None:
    put("s/d/a.py")
    Path("s/d").chmod(0)
    try:
        [entry] = collect(["s"])
    finally:
        Path("s/d").chmod(0o700)
    assert (entry.name, entry.kind, entry.reason) == (b"s/d", "folder", "permission to read it is denied")
