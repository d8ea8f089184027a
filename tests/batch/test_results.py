"""The results file keeps what was recorded, whatever happens, and says in words what is wrong with it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from grader.batch.collect import Entry
from grader.batch.results import Results, decode
from grader.errors import Unusable
from grader.report import json
from grader.report.model import Report, Verdict


def report(code: str = "AC", programs: str | None = None, output: str = "") -> Report:
    return Report(verdict=Verdict(code), problem="p", submission="s.py", programs=programs, output=output)


def record(results: Results, key: str, made: Report) -> None:
    results.record(key, made, json.render(made))


def entry(name: str) -> Entry:
    return Entry(name.encode(), b"/nowhere", name.encode())


def test_what_was_recorded_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    with Results(path) as results:
        results.replace_entries([(entry("a.py"), "k1"), (entry("b.py"), "k2"), (entry("a.py"), "k3")])
        record(results, "k1", report("RV"))
    with Results(path) as results:
        first, second = results.rows()
        assert first.report is not None
        assert decode(first.report).verdict is Verdict.RV
        assert (second.entry.name, second.key, second.report) == (b"b.py", "k2", None)
        assert results.verdicts() == {"RV": 1, None: 1}
    assert [each.name for each in tmp_path.iterdir()] == ["r.sqlite"]


def test_others_may_read_while_it_is_open(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    with Results(path) as results:
        results.replace_entries([(entry("a.py"), "k1")])
        record(results, "k1", report("WA"))
        other = sqlite3.connect(path)
        assert other.execute("SELECT submission, verdict FROM results").fetchall() == [("a.py", "WA")]
        other.close()


def test_a_second_run_on_it_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    with Results(path):
        with pytest.raises(Unusable, match="in use by another grader batch"):
            Results(path)
        with pytest.raises(Unusable, match="in use by another grader batch"):  # the refused one took nothing away
            Results(path)
    Results(path).close()


def test_another_program_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.batch.results.BUSY_SECONDS", 0.0)
    path = tmp_path / "r.sqlite"
    with Results(path) as results:
        record(results, "k1", report())
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Unusable, match=r"locked by another program\. What was recorded is kept"):
            record(results, "k2", report())
        other.execute("ROLLBACK")
        other.close()
        record(results, "k2", report())
        assert results.verdict("k1") == results.verdict("k2") == "AC"


def test_no_room_left(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    with Results(path) as results:
        record(results, "k1", report())
        pages = results.value("PRAGMA page_count")
        results.value(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(Unusable, match=r"no room left .* What was recorded is kept"):
            record(results, "k2", report(output="x" * 100_000))
        assert results.verdict("k1") == "AC"
    with Results(path) as results:
        assert results.verdict("k1") == "AC"


@pytest.mark.parametrize("content", [b"what is this\n" * 100, b"SQLite format 3\0" + b"\x07" * 5000])
def test_what_is_no_results_file_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    path.write_bytes(content)
    with pytest.raises(Unusable, match=r"r\.sqlite is damaged or no results file .* name another with --results"):
        Results(path)
    assert path.read_bytes() == content


def test_a_damaged_file_is_found_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    with Results(path) as results:
        for number in range(200):
            record(results, f"k{number}", report(output="x" * 300))
    content = bytearray(path.read_bytes())
    content[4096 * 9 : 4096 * 12] = b"\xff" * (4096 * 3)
    path.write_bytes(content)
    with pytest.raises(Unusable, match="damaged"):
        Results(path)


def test_a_database_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE grades (a)")
    other.close()
    with pytest.raises(Unusable, match="is a database, but not of results"):
        Results(path)


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="cannot be written: No such file or directory"):
        Results(tmp_path / "none" / "r.sqlite")


def test_where_the_judge_failed_it_is_to_try_again(tmp_path: Path) -> None:
    with Results(tmp_path / "r.sqlite") as results:
        results.replace_entries([(entry("a.py"), "k1"), (entry("b.py"), "k2")])
        record(results, "k1", report("IE"))
        record(results, "k2", report("WA"))
        results.forget_faults()
        row = results.next_unjudged(0)
        assert row is not None
        assert row.key == "k1"
        assert results.next_unjudged(row.id) is None
