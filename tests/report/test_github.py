"""Annotations: one workflow command a finding, at its line, whatever its texts hold."""

from __future__ import annotations

import re

import msgspec
import pytest

from grader.report.github import render
from grader.report.model import Finding, Report, Verdict
from tests.report.reports import ACCEPTED, BROKEN, SOURCE


def one(**more: object) -> Report:
    fields = {"kind": "error", "id": "exception", "verdict": Verdict.RE, "message": "ValueError: no.", **more}
    return Report(verdict=Verdict.RE, problem=None, submission="mine.py", findings=(Finding(**fields),))


def commands(data: bytes) -> list[tuple[str, dict[str, str], str]]:
    """What a runner reads: command, properties and message of each line, unescaped as it does.

    Source: "Workflow commands for GitHub Actions" (docs.github.com), and the escapes that the toolkit's
    ``core.error`` writes: %25, %0D and %0A, in properties also %3A and %2C.
    """
    read = []
    for line in data.decode().splitlines():
        match = re.fullmatch(r"::([a-z]+) ([^:]*)::(.*)", line)
        assert match, line
        properties = dict(each.split("=", 1) for each in match[2].split(","))
        read.append((match[1], {key: unescaped(value) for key, value in properties.items()}, unescaped(match[3])))
    return read


def unescaped(text: str) -> str:
    assert not re.search(r"%(?!25|0D|0A|3A|2C)", text)
    for escape, sign in {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}.items():
        text = text.replace(escape, sign)
    return text


def test_findings_are_errors_at_their_place() -> None:
    assert commands(render(BROKEN, SOURCE)) == [
        (
            "error",
            {
                "file": "mine.py",
                "line": "3",
                "col": "40",
                "endColumn": "50",
                "title": "Rule violated (RV): hidden-split",
            },
            "The returned hidden is not the shard_map's own output: something is added to it.\n"
            "Found at B=1, D=1, H=8, O=1.\n"
            "Line 2: this is the shard_map\n"
            "→ Return what the shard_map returns, as it is.",
        ),
        (
            "error",
            {"file": "mine.py", "title": "Wrong answer (WA): b2-eight-times"},
            "b2 is added eight times.\nCases that show it: example_1",
        ),
    ]


def test_accepted_is_a_notice() -> None:
    assert commands(render(ACCEPTED)) == [
        ("notice", {"file": "mine.py", "title": "Accepted (AC)"}, "Every rule holds, and every number is right.")
    ]


def test_a_verdict_without_findings_is_still_told() -> None:
    [(name, properties, _)] = commands(render(Report(verdict=Verdict.IE, problem=None, submission="mine.py")))
    assert (name, properties["title"]) == ("error", "Internal error (IE)")


def test_a_place_over_several_lines_has_no_columns() -> None:
    [(_, properties, _)] = commands(render(one(line=2, column=5, end_line=3, end_column=9), SOURCE))
    assert (properties["line"], properties["endLine"]) == ("2", "3")
    assert not {"col", "endColumn"} & set(properties)


def test_columns_count_characters() -> None:
    source = "s = '数é' + bad\n".encode()
    column = source.index(b"bad") + 1
    [(_, properties, _)] = commands(render(one(line=1, column=column, end_line=1, end_column=column + 3), source))
    assert (properties["col"], properties["endColumn"]) == ("12", "15")


@pytest.mark.parametrize("line", [None, 0, -1, 4711])
def test_no_line_that_the_file_does_not_have(line: int | None) -> None:
    [(_, properties, _)] = commands(render(one(line=line, column=1), SOURCE))
    assert "line" not in properties


def test_no_text_ends_a_command_or_begins_another() -> None:
    evil = "100%\r\n::set-output name=x::y\n::error file=other.py,line=1::no\x1b[2J,a=b::c%0A"
    report = one(message=evil, help=evil, id=evil, shape={evil: 1})
    [(name, properties, message)] = commands(render(msgspec.structs.replace(report, submission=evil), SOURCE))
    assert name == "error"
    assert set(properties) == {"file", "title"}
    assert properties["file"] == evil.replace("\r", "\\r").replace("\n", "\\n").replace("\x1b", "\\x1b")
    assert message.startswith("100%\n::set-output name=x::y\n")
    assert "%0A" in message  # as the submission wrote it
