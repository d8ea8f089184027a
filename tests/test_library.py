"""The judge as a library."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import grader

ROOT = Path(__file__).parents[1]
SOLUTION = ROOT / "solution" / "tensor_parallel_mlp.py"
CASES = ("example_1",)


@pytest.fixture(scope="module")
def judge() -> Iterator[grader.Judge]:
    with grader.Judge() as made:
        yield made


def test_a_file(judge: grader.Judge) -> None:
    report = judge.grade(SOLUTION, problem="tensor-parallel-mlp", cases=CASES)
    assert isinstance(report, grader.Report)
    assert (report.verdict, report.problem) == (grader.Verdict.AC, "tensor_parallel_mlp")
    assert report.submission == str(SOLUTION)


def test_bytes(judge: grader.Judge) -> None:
    source = SOLUTION.read_bytes().replace(b'"model") + b2', b'"model")')
    report = judge.grade_source(source, "bob.py", cases=CASES)
    assert (report.verdict, report.submission) == (grader.Verdict.RV, "bob.py")
    assert [each.id for each in report.rules if each.status == "fail"] == ["b2-once"]


@pytest.mark.parametrize("source", [b"", b"x" * ((1 << 20) + 1), b"def f(:"])
def test_what_cannot_be_loaded_gets_a_report(source: bytes, judge: grader.Judge) -> None:
    assert judge.grade_source(source).verdict is grader.Verdict.CE


def test_a_file_that_is_not_there(judge: grader.Judge) -> None:
    report = judge.grade("no such file.py")
    assert report.findings[0].message == "The file cannot be read: there is no such file."


def test_options_that_make_no_sense(judge: grader.Judge, tmp_path: Path) -> None:
    with pytest.raises(grader.Unusable, match="There is no problem sums"):
        judge.grade(SOLUTION, problem="sums")
    with pytest.raises(grader.Unusable, match="There is no case nine"):
        judge.grade(SOLUTION, cases=("nine",))
    with pytest.raises(grader.Unusable, match="no such folder"):
        judge.grade(SOLUTION, cases_root=tmp_path)


def test_several_threads_share_a_judge(judge: grader.Judge) -> None:
    sources = {"a.py": b"import missing_module", "b.py": b"1/0", "c.py": b"x = 1", "d.py": b"def f(:"}
    found: dict[str, str] = {}

    def work(name: str) -> None:
        found[name] = judge.grade_source(sources[name], name).findings[0].id

    threads = [threading.Thread(target=work, args=(name,)) for name in sources]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    alone = {name: judge.grade_source(source, name).findings[0].id for name, source in sources.items()}
    assert found == alone
    assert len(set(found.values())) == 4


def test_a_judge_whose_process_was_killed_goes_on_with_another() -> None:
    with grader.Judge() as judge:
        judge.grade_source(b"x = 1")
        zygote = judge._judge.zygote
        assert zygote is not None
        zygote.process.kill()
        zygote.process.wait()
        assert judge.grade_source(b"def f(:").verdict is grader.Verdict.CE


def test_a_closed_judge() -> None:
    judge = grader.Judge()
    judge.close()
    judge.close()
    with pytest.raises(RuntimeError, match="This judge is closed"):
        judge.grade(SOLUTION)


def test_importing_is_quick_and_the_names_are_there() -> None:
    code = (
        "import sys, grader\n"
        "assert not {'numpy', 'jax', 'msgspec'} & set(sys.modules)\n"
        "assert set(grader.__all__) <= set(dir(grader))\n"
        "assert [getattr(grader, each) for each in grader.__all__]\n"
        "assert 'jax' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd=ROOT)


def test_no_other_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'grades'"):
        grader.grades  # type: ignore[attr-defined]  # noqa: B018
