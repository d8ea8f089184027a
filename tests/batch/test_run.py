"""A run judges what is not known yet, once, and goes on where it was stopped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.batch.key import Keys, Settings
from grader.batch.results import Results
from grader.batch.run import Progress, Stopped, judge_all, list_submissions
from grader.batch.summary import render, summarise
from grader.batch.workers import Task
from grader.report.model import Finding, Report, Verdict
from grader.request import Limits
from tests.batch.fakes import FakeWorkers, report


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Results]:
    (tmp_path / "s").mkdir()
    monkeypatch.chdir(tmp_path)
    with Results(tmp_path / "r.sqlite") as made:
        yield made


def put(**files: str) -> None:
    for name, text in files.items():
        Path("s", f"{name}.py").write_text(text)


def judge(results: Results, workers: FakeWorkers | None = None, settings: Settings | None = None) -> FakeWorkers:
    workers = workers or FakeWorkers()
    keys = Keys(settings or Settings())
    list_submissions(["s"], keys, results)
    judge_all(results, keys, workers)
    return workers


def verdicts(results: Results) -> dict[str | None, int]:
    return results.verdicts()


def test_everything_is_judged_once(results: Results) -> None:
    put(a="# AC", b="# RV b2-once", c="# WA", same="# AC")
    first = judge(results)
    assert first.judged == ["s/a.py", "s/b.py", "s/c.py"]  # the fourth is equal to the first
    assert verdicts(results) == {"AC": 2, "RV": 1, "WA": 1}
    assert judge(results).judged == []


def test_what_changed_is_judged_again(results: Results) -> None:
    put(a="# AC", b="# WA")
    judge(results)
    put(b="# AC now", c="# RE")
    assert judge(results).judged == ["s/b.py", "s/c.py"]
    Path("s/a.py").unlink()
    assert judge(results).judged == []
    assert verdicts(results) == {"AC": 1, "RE": 1}


@pytest.mark.parametrize(
    "settings",
    [
        Settings(quick=True),
        Settings(seed=1),
        Settings(examples=7),
        Settings(cases=("example_1",)),
        Settings(problem="tensor_parallel_mlp"),
        Settings(require_sandbox=True),
        Settings(limits=Limits(seconds=1.0)),
        Settings(limits=Limits(bytes=1 << 30)),
    ],
)
def test_another_way_of_judging_is_judged_anew(settings: Settings, results: Results) -> None:
    put(a="# AC")
    judge(results)
    assert judge(results, settings=settings).judged == ["s/a.py"]
    assert judge(results).judged == []


def test_other_cases_and_another_judge_give_other_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = tmp_path / "tensor_parallel_mlp"
    cases.mkdir()
    case = cases / "one.json"
    settings = Settings(cases_root=tmp_path)

    def key(source: bytes = b"def tensor_parallel_mlp(): ...") -> str:
        return Keys(settings).key(source)

    case.write_text("{}")
    first = key()
    assert key() == first
    unconcerned = key(b"def sharded_matmul(): ...")
    case.write_text('{"inputs": {}}')
    second = key()
    assert second != first
    assert key(b"def sharded_matmul(): ...") == unconcerned
    monkeypatch.setattr("grader.batch.key.judge_files", lambda: iter([case]))
    assert key() != second
    assert Keys(settings).key(b"y") != key()


def test_only_so_many_are_under_way(results: Results) -> None:
    put(**{f"f{number}": f"# AC {number}" for number in range(20)})
    workers = judge(results, FakeWorkers(room=3))
    assert workers.most == 3
    assert len(workers.judged) == 20


def test_a_stopped_run_keeps_what_it_has_and_goes_on_from_there(results: Results) -> None:
    put(a="# AC", b="# WA", c="# RE", d="# RV mesh")
    workers = FakeWorkers(room=1)
    keys = Keys(Settings())
    list_submissions(["s"], keys, results)
    with pytest.raises(Stopped):
        judge_all(results, keys, workers, stop=lambda: len(workers.judged) == 2)
    assert verdicts(results) == {"AC": 1, "WA": 1, None: 2}
    assert judge(results).judged == ["s/c.py", "s/d.py"]


def test_a_stop_while_files_are_listed_keeps_the_former_list(results: Results) -> None:
    put(a="# AC")
    judge(results)
    put(b="# AC too")
    with pytest.raises(Stopped):
        list_submissions(["s"], Keys(Settings()), results, lambda: True)
    assert results.size() == 1


def test_what_cannot_be_read_or_judged_is_a_row_with_its_reason(results: Results) -> None:
    put(a="# AC", b="# WA", empty=" \n")
    Path("s/out.py").symlink_to("/etc/passwd")

    def refuse(task: Task) -> Report | str:
        return "it defines the functions of two problems" if task.name == "s/b.py" else report(task)

    judge(results, FakeWorkers(judge=refuse))
    reasons = {each.entry.name: each.entry.reason for each in results.rows()}
    assert reasons == {
        b"s/a.py": None,
        b"s/b.py": "it defines the functions of two problems",
        b"s/empty.py": None,
        b"s/out.py": "it is a link that leads out of the folder",
    }
    assert verdicts(results) == {"AC": 1, "CE": 1, None: 2}
    assert summarise(results).unread == 2


def test_a_file_that_changes_under_way_is_judged_as_it_is_then(results: Results) -> None:
    put(a="# AC", b="# WA")
    keys = Keys(Settings())
    list_submissions(["s"], keys, results)
    put(a="# RE", b="# RE")
    workers = FakeWorkers()
    judge_all(results, keys, workers)
    assert workers.judged == ["s/a.py"]
    assert verdicts(results) == {"RE": 2}
    Path("s/a.py").write_text("# MLE")
    Path("s/b.py").write_text("# TLE")
    list_submissions(["s"], keys, results)
    Path("s/b.py").unlink()
    judge_all(results, keys, workers)
    assert verdicts(results) == {"MLE": 1, None: 1}


def test_progress_counts_every_submission(results: Results) -> None:
    put(a="# AC", b="# WA", c="# AC", empty="")
    Path("s/out.py").symlink_to("/etc/passwd")
    seen: list[Progress] = []
    keys = Keys(Settings())
    list_submissions(["s"], keys, results)
    judge_all(results, keys, FakeWorkers(), seen.append)
    last = seen[-1]
    assert (last.total, last.to_judge, last.done) == (5, 4, 5)
    assert last.verdicts == {"AC": 2, "WA": 1, "CE": 1, "unread": 1}


def test_summary(results: Results) -> None:
    put(
        a="# AC p1", b="# AC p1", c="# RV b2-once p2", d="# RV b2-once p2 ", e="# RV mesh b2-once p3", f="# WA p1",
    )  # fmt: skip
    judge(results, FakeWorkers(judge=with_numbers))
    summary = summarise(results)
    assert summary.verdicts == {"AC": 2, "RV": 3, "WA": 1}
    assert [(each.id, each.count) for each in summary.rules] == [("b2-once", 3), ("mesh", 1)]
    assert [(each.count, each.submissions) for each in summary.equal] == [
        (3, ["s/a.py", "s/b.py", "s/f.py"]),
        (2, ["s/c.py", "s/d.py"]),
    ]
    text = render(summary)
    assert "3 of 6 break b2-once: what b2-once asks" in text
    assert "1 of 6  bias-everywhere: b2 was added on every device." in text


def with_numbers(task: Task) -> Report:
    made = report(task)
    if made.verdict is not Verdict.WA:
        return made
    finding = Finding(
        kind="numbers",
        id="bias-everywhere",
        verdict=Verdict.WA,
        message="out[0, 0] is 3.5, not 1.25",
        help="b2 was added on every device.",
    )
    return Report(verdict=Verdict.WA, problem=None, submission=task.name, findings=(finding,), programs=made.programs)
