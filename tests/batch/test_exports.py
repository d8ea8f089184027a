"""Each export has every submission, and nothing in a name or report does harm there."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.batch.exports import EXPORTS, export
from grader.batch.key import Keys, Settings
from grader.batch.results import Results
from grader.batch.run import judge_all, list_submissions
from grader.errors import Unusable
from tests.batch.fakes import FakeWorkers

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Results]:
    (tmp_path / "s" / "ada").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    Path("s/ada/a.py").write_text("# AC p1")
    Path("s/b.py").write_text("# RV b2-once p1")
    Path(f"s/{EVIL}.py").write_text(f"# WA {EVIL.replace(' ', '_')}")
    Path("s/out.py").symlink_to("/etc/passwd")
    Path("s/folder").symlink_to("/etc")
    Path("=1+1.py").write_text("# RE")
    keys = Keys(Settings())
    with Results(tmp_path / "r.sqlite") as made:
        list_submissions(["s", "=1+1.py"], keys, made)
        judge_all(made, keys, FakeWorkers())
        yield made


def test_csv(results: Results) -> None:
    export("csv", results, Path("o.csv"))
    with open("o.csv", encoding="utf-8", newline="") as file:
        rows = {each["submission"]: each for each in csv.DictReader(file)}
    assert len(rows) == 6
    assert rows["s/b.py"]["broken_rules"] == "b2-once"
    assert rows["s/out.py"]["verdict"] == "CE"
    assert rows["s/folder"]["reason"] == "it is a link that leads out of the folder"
    assert rows["'=1+1.py"]["verdict"] == "RE"


def test_jsonl(results: Results) -> None:
    export("jsonl", results, Path("o.jsonl"))
    rows = [json.loads(line) for line in Path("o.jsonl").read_text("utf-8").splitlines()]
    assert [each["verdict"] for each in rows] == ["WA", "RV", None, "CE", "AC", "RE"]
    assert rows[4]["submission"] == "s/ada/a.py"


def test_html(results: Results) -> None:
    export("html", results, Path("pages"))
    index = Path("pages/index.html").read_text("utf-8")
    assert index.count("<tr>") == 7
    assert EVIL not in index
    links = re.findall(r'href="([^"]+)"', index)
    assert len(links) == 5
    for each in links:
        assert EVIL not in Path("pages", each).read_text("utf-8")
    assert index.count("group 1") == 2


def test_gradescope(results: Results) -> None:
    export("gradescope", results, Path("g"))
    found = {str(each.relative_to("g")) for each in Path("g").rglob("*.json")}
    assert found == {"s/ada/a.py.json", "s/b.py.json", f"s/{EVIL}.py.json", "s/out.py.json", "=1+1.py.json"}
    assert json.loads(Path("g/s/ada/a.py.json").read_text())["score"] == 100.0


@pytest.mark.parametrize("form", EXPORTS)
def test_where_nothing_can_be_written(form: str, results: Results) -> None:
    Path("file").write_text("")
    with pytest.raises(Unusable, match="cannot be"):
        export(form, results, Path("file/below"))


def test_a_device_stays_a_device_and_its_error_is_told(results: Results) -> None:
    before = Path("/dev/full").stat()
    with pytest.raises(Unusable, match="/dev/full cannot be written: No space left on device"):
        export("csv", results, Path("/dev/full"))
    assert Path("/dev/full").stat().st_rdev == before.st_rdev
    assert Path("/dev/full").is_char_device()


def test_a_link_stays_a_link(results: Results) -> None:
    Path("target.csv").write_text("old")
    Path("link.csv").symlink_to("target.csv")
    export("csv", results, Path("link.csv"))
    assert Path("link.csv").is_symlink()
    assert Path("target.csv").read_text().startswith("submission,")
