"""What each command asks of the judge, and what it makes of the answer. The judge itself is a stub here."""

from __future__ import annotations

import json
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.cli import main
from grader.cli.terminal import shows_unicode
from grader.doctor import Diagnosis, Layer
from grader.errors import Unusable
from grader.report.model import Finding, Held, Report, RunOutput, RunReport, Verdict
from grader.request import GradeRequest, Limits, RunRequest


class Judge(types.ModuleType):
    """Stands for `grader.supervisor`: keeps what it is asked, answers what it is told to."""

    def __init__(self) -> None:
        super().__init__("grader.supervisor")
        self.asked: list[Any] = []
        self.answer: Callable[[Any], Any] = lambda request: report("AC", request)

    def grade(self, request: GradeRequest) -> Any:
        self.asked.append(request)
        return self.answer(request)

    run = grade


def report(code: str, request: GradeRequest) -> Report:
    return Report(verdict=Verdict(code), problem="tensor_parallel_mlp", submission=request.display_name)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    stub = Judge()
    monkeypatch.setitem(sys.modules, "grader.supervisor", stub)
    monkeypatch.setattr("grader.supervisor", stub, raising=False)
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    return stub


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_bytes(b"x = 1\n")
    return "mine.py"


def test_defaults(judge: Judge, mine: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", mine]) == 0
    assert judge.asked == [GradeRequest(submission=b"x = 1\n", display_name="mine.py")]
    assert capsys.readouterr().out == "Accepted (AC): mine.py\nProblem: tensor_parallel_mlp\n"


def test_every_option(judge: Judge, mine: str) -> None:
    options = (
        "--problem tensor-parallel-mlp --quick --examples 50 --case example_1 --case zeros --cases there "
        "--time-limit 2.5 --memory-limit 1.5G --seed 7 --require-sandbox"
    )
    assert main(["grade", *options.split(), mine]) == 0
    assert judge.asked == [
        GradeRequest(
            submission=b"x = 1\n",
            display_name="mine.py",
            problem="tensor_parallel_mlp",
            quick=True,
            examples=50,
            cases=("example_1", "zeros"),
            cases_root=Path("there"),
            limits=Limits(seconds=2.5, bytes=3 << 29),
            seed=7,
            require_sandbox=True,
        )
    ]


@pytest.mark.parametrize(
    ("text", "size"), [("512", 512 << 20), ("512M", 512 << 20), ("2GiB", 2 << 30), ("64kb", 65536)]
)
def test_memory_sizes(text: str, size: int, judge: Judge, mine: str) -> None:
    assert main(["grade", mine, "--memory-limit", text]) == 0
    assert judge.asked[0].limits.bytes == size


@pytest.mark.parametrize(("code", "status"), [("AC", 0), ("CE", 1), ("RV", 1), ("WA", 1), ("TLE", 1), ("IE", 3)])
def test_exit_status_is_the_verdict(code: str, status: int, judge: Judge, mine: str) -> None:
    judge.answer = lambda request: report(code, request)
    assert main(["grade", mine]) == status


def test_json_is_one_object_and_nothing_else(judge: Judge, mine: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", mine, "--format", "json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["verdict"] == "AC"
    assert shown.err == ""


def test_a_name_with_a_leading_dash(judge: Judge, mine: str) -> None:
    os.rename("mine.py", "-mine.py")
    assert main(["grade", "--", "-mine.py"]) == 0
    assert judge.asked[0].display_name == "-mine.py"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none.py", "The file cannot be read: there is no such file."),
        (".", "The file cannot be read: it is a directory."),
        ("/dev/zero", "The file cannot be read: it is a device."),
        ("empty.py", "The file is empty."),
    ],
)
def test_what_cannot_be_read_gets_a_verdict(
    path: str, message: str, judge: Judge, mine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.py").touch()
    assert main(["grade", path, "--format", "json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["verdict"] == "CE"
    assert data["submission"] == path
    assert [each["message"] for each in data["findings"]] == [message]
    assert judge.asked == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["grad", "x"], "There is no command grad. Did you mean grade?"),
        (["cases"], "Name a command. There are: check, add, schema."),
        (["cases", "chek"], "There is no command cases chek. Did you mean check?"),
        (["grade"], "The following arguments are required: FILE. See grader grade --help."),
        (["grade", "a", "b"], "b is one argument too many. See grader grade --help."),
        (["grade", "a", "--quik"], "There is no option --quik. Did you mean --quick? See grader grade --help."),
        (["grade", "a", "--exam", "3"], "There is no option --exam. Did you mean --examples? See grader grade --help."),
        (
            ["grade", "a", "--seed", "x"],
            "Argument --seed: expected a whole number from 0, found x. See grader grade --help.",
        ),
        (
            ["grade", "a", "--time-limit", "nan"],
            "Argument --time-limit: expected seconds, more than 0 and at most a day, found nan. "
            "See grader grade --help.",
        ),
        (
            ["grade", "a", "--memory-limit", "much"],
            "Argument --memory-limit: expected a size such as 512M or 2G, found much. See grader grade --help.",
        ),
        (["show", "tensor-paralel-mlp"], "There is no problem tensor-paralel-mlp. Did you mean tensor_parallel_mlp?"),
        (
            ["grade", "mine.py", "--problem", "tensor_paralel"],
            "There is no problem tensor_paralel. Did you mean tensor_parallel_mlp?",
        ),
        (["run", "mine.py", "--input", "none.json"], "none.json cannot be read: there is no such file."),
        (["grade", "mine.py", "--output", "no/r.json"], "no/r.json cannot be written: there is no folder no."),
        (["grade", "mine.py", "--output", "."], ". is a directory: name a file to write the report to."),
    ],
)
def test_wrong_usage(
    arguments: list[str], message: str, judge: Judge, mine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", message + "\n")
    assert judge.asked == []


def test_no_command_names_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    said = capsys.readouterr().err
    assert said.startswith("Name a command. There are: list, show, grade, watch, run, ")


def test_unusable_files_of_ours(judge: Judge, mine: str, capsys: pytest.CaptureFixture[str]) -> None:
    def answer(request: GradeRequest) -> Report:
        raise Unusable("cases/a.json: $.inputs: wrong\ncases/b\x1b.json: wrong")

    judge.answer = answer
    assert main(["grade", mine, "--format", "json"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "cases/a.json: $.inputs: wrong\ncases/b\\x1b.json: wrong\n"


def test_a_fault_of_ours_is_no_traceback(judge: Judge, mine: str, capsys: pytest.CaptureFixture[str]) -> None:
    def answer(request: GradeRequest) -> Report:
        raise ZeroDivisionError("oops")

    judge.answer = answer
    assert main(["grade", mine]) == 3
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out == (
        "Internal error (IE): mine.py\n"
        "The judge failed. This says nothing about the submission; please report it.\n"
        "\n"
        "✗ judge\n"
        "  ZeroDivisionError: oops\n"
        "  → GRADER_DEBUG=1 shows where in the judge.\n"
    )
    assert main(["grade", mine, "--format", "json"]) == 3
    assert json.loads(capsys.readouterr().out)["verdict"] == "IE"


def test_a_fault_of_ours_in_another_command(
    judge: Judge, mine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> list[str]:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("grader.cli.problems.problem_ids", fail)
    assert main(["list"]) == 3
    assert capsys.readouterr().err == (
        "The judge failed (ZeroDivisionError: oops). Please report it; GRADER_DEBUG=1 shows where.\n"
    )


# ── --output ─────────────────────────────────────────────────────────────────────────────────────


def test_output_file(judge: Judge, mine: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("report.json").write_text("old")
    os.chmod("report.json", 0o640)
    assert main(["grade", mine, "--format", "json", "--output", "report.json"]) == 0
    assert json.loads(Path("report.json").read_bytes())["verdict"] == "AC"
    assert os.stat("report.json").st_mode & 0o777 == 0o640
    assert sorted(os.listdir()) == ["mine.py", "report.json"]
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "Accepted (AC): mine.py. The report is in report.json.\n")


def test_text_output_file_has_no_colour(judge: Judge, mine: str) -> None:
    assert main(["grade", mine, "--output", "report.txt"]) == 0
    assert Path("report.txt").read_text("utf-8") == "Accepted (AC): mine.py\nProblem: tensor_parallel_mlp\n"


def test_output_through_a_link_keeps_the_link(judge: Judge, mine: str) -> None:
    Path("real.txt").write_text("old")
    os.symlink("real.txt", "link.txt")
    assert main(["grade", mine, "--output", "link.txt"]) == 0
    assert os.path.islink("link.txt")
    assert Path("real.txt").read_text("utf-8").startswith("Accepted")


def test_output_to_a_device_leaves_it_a_device(judge: Judge, mine: str) -> None:
    assert main(["grade", mine, "--output", os.devnull]) == 0
    assert not os.path.isfile(os.devnull)


def test_a_failed_write_leaves_the_old_report(
    judge: Judge, mine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("report.txt").write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fchmod", full)
    assert main(["grade", mine, "--output", "report.txt"]) == 2
    assert Path("report.txt").read_text() == "old"
    assert sorted(os.listdir()) == ["mine.py", "report.txt"]
    assert capsys.readouterr().err == "report.txt cannot be written: No space left on device.\n"


# ── run ──────────────────────────────────────────────────────────────────────────────────────────


def test_run(judge: Judge, mine: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.json").write_bytes(b'{"inputs": {}}')
    judge.answer = lambda request: RunReport(
        problem="tensor_parallel_mlp",
        submission=request.display_name,
        outputs=(
            RunOutput(
                name="out",
                shape=(1, 1),
                dtype="float32",
                value=[[2.5]],
                devices=tuple(Held(device=each, block=((0, 1), (0, 1)), value=[[2.5]]) for each in range(2)),
            ),
            RunOutput(
                name="hidden",
                shape=(2,),
                dtype="float32",
                value=[1.0, "nan"],
                devices=(
                    Held(device=0, block=((0, 1),), value=[1.0]),
                    Held(device=1, block=((1, 2),), value=["nan"]),
                ),
            ),
        ),
        output="hello\n",
        seconds=0.5,
        versions={"JAX": "0.10.2"},
    )
    assert main(["run", mine, "--input", "in.json"]) == 0
    assert judge.asked == [
        RunRequest(submission=b"x = 1\n", display_name="mine.py", inputs=b'{"inputs": {}}', inputs_name="in.json")
    ]
    assert capsys.readouterr().out == (
        "Ran: mine.py\n"
        "Problem: tensor_parallel_mlp\n"
        "\n"
        "Devices  0 1\n"
        "\n"
        "out  float32 (1, 1)\n"
        "  [[2.5]]\n"
        "  All 2 devices hold the whole of it.\n"
        "\n"
        "hidden  float32 (2,)\n"
        '  [1.0, "nan"]\n'
        "  Split along axis 0: each device holds a block of shape (1,).\n"
        "    01   device 0 [0:1] = [1.0]\n"
        '         device 1 [1:2] = ["nan"]\n'
        "\n"
        "Printed by the submission\n"
        "  │ hello\n"
        "\n"
        "0.50 s · JAX 0.10.2 · sandbox: none\n"
    )


def test_run_that_fails(judge: Judge, mine: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.json").write_bytes(b"{}")
    finding = Finding(kind="error", id="exception", verdict=Verdict.RE, message="ValueError: no.", line=1)
    judge.answer = lambda request: RunReport(problem=None, submission=request.display_name, findings=(finding,))
    assert main(["run", mine, "--input", "in.json"]) == 1
    assert capsys.readouterr().out == (
        "Runtime error (RE): mine.py\n\n✗ exception · mine.py:1\n  ValueError: no.\n    1 │ x = 1\n"
    )


@pytest.mark.parametrize(
    ("format", "start"),
    [
        ("html", b"<!doctype html>"),
        ("junit", b"<?xml"),
        ("gradescope", b"{"),
        ("github", b"::notice "),
        ("sarif", b"{"),
    ],
)
def test_every_format_is_written_alone_or_to_a_file(
    format: str, start: bytes, judge: Judge, mine: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["grade", mine, "--format", format]) == 0
    assert main(["grade", mine, "--format", format, "--output", "report"]) == 0
    shown = capfdbinary.readouterr()
    assert shown.out.startswith(start)
    assert shown.out.endswith(b"\n")
    assert Path("report").read_bytes() == shown.out


def test_a_format_for_a_file_that_cannot_be_read(mine: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "none.py", "--format", "github"]) == 1
    assert capsys.readouterr().out == (
        "::error file=none.py,title=Cannot be loaded (CE)%3A unreadable-file::"
        "The file cannot be read: there is no such file.%0A→ Name one Python file.\n"
    )


def test_a_run_as_a_page(judge: Judge, mine: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.json").write_bytes(b"{}")
    judge.answer = lambda request: RunReport(problem=None, submission=request.display_name)
    assert main(["run", mine, "--input", "in.json", "--format", "html"]) == 0
    assert "<title>Ran: mine.py</title>" in capsys.readouterr().out
    assert main(["run", mine, "--input", "in.json", "--format", "junit"]) == 2
    assert capsys.readouterr().err.startswith("Argument --format: invalid choice: 'junit' (choose from ")


# ── doctor ───────────────────────────────────────────────────────────────────────────────────────


def diagnosis(devices: int | None) -> Diagnosis:
    return Diagnosis(
        python="3.12.1",
        platform="Linux 6.1 x86_64",
        jax="0.12.0.1",
        devices=devices,
        problem="bad\x1b",
        layers=(Layer("seccomp", True, "", "refuses what computing does not need"),),
    )


@pytest.mark.parametrize(("devices", "status"), [(8, 0), (None, 3), (1, 3)])
def test_doctor(
    devices: int | None, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("grader.cli.doctor.diagnose", lambda: diagnosis(devices))
    assert main(["doctor"]) == status
    assert "Python   3.12.1\nSystem   Linux 6.1 x86_64\n" in (text := capsys.readouterr().out)
    assert "\x1b" not in text
    assert main(["doctor", "--format", "json"]) == status
    data = json.loads(capsys.readouterr().out)
    assert data["healthy"] is (status == 0)
    assert data["jailed"] is True
    assert data["layers"][0]["name"] == "seccomp"


# ── the locale ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("environment", "encoding", "unicode"),
    [
        ({}, "utf-8", False),
        ({"LANG": "C"}, "utf-8", False),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, "utf-8", False),
        ({"LANG": "en_GB.UTF-8"}, "utf-8", True),
        ({"LANG": "C.UTF-8", "LC_CTYPE": "C.UTF-8"}, "utf-8", True),
        ({"LANG": "en_GB.utf8@euro"}, "utf-8", True),
        ({"LANG": "de_DE.ISO-8859-1"}, "iso-8859-1", False),
        ({"LANG": "en_GB.UTF-8", "LC_CTYPE": "POSIX"}, "utf-8", False),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "C"}, "utf-8", False),
        ({"LANG": "C", "LC_ALL": "C.UTF-8"}, "utf-8", True),
        ({"LANG": "C", "PYTHONIOENCODING": "utf-8"}, "utf-8", True),
        ({"LANG": "en_GB.UTF-8", "PYTHONIOENCODING": "ascii"}, "ascii", False),
    ],
)
def test_unicode_or_not(environment: dict[str, str], encoding: str, unicode: bool) -> None:
    assert shows_unicode(environment, encoding) is unicode
