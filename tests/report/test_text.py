"""The report for people, word for word."""

from __future__ import annotations

import textwrap

import msgspec
import pytest

from grader.report.model import Finding, Generated, Place, Report, Verdict
from grader.report.page import Look
from grader.report.text import MOST_FINDINGS, render
from tests.report.reports import ACCEPTED, BROKEN, DEVICES, SOURCE


def page(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


def one(finding: Finding) -> Report:
    return Report(verdict=finding.verdict, problem=None, submission="mine.py", findings=(finding,))


def error(message: str, **more: object) -> Report:
    fields = {"kind": "error", "id": "exception", "verdict": Verdict.RE, "message": message, **more}
    return one(Finding(**fields))


def test_accepted() -> None:
    assert render(ACCEPTED, SOURCE) == page("""
        Accepted (AC): mine.py
        Problem: tensor_parallel_mlp

        Rules
          ✓ mesh
        Cases
          ✓ 2 of 2 right
        Generated inputs
          ✓ 400 at 320 of 320 shapes: all right

        0.41 s · JAX 0.10.2 · sandbox: landlock, seccomp
        """)


def test_rejected_at_60_columns() -> None:
    assert render(BROKEN, SOURCE, Look(width=60)) == page("""
        Rule violated (RV): mine.py
        Problem: tensor_parallel_mlp

        ✗ hidden-split · mine.py:3:40 · B=1, D=1, H=8, O=1
          The returned hidden is not the shard_map's own output:
          something is added to it.
            2 │     out, hidden = split(x, w1, b1, w2)
            3 │     return {"out": out + b2, "hidden": hidden + 0}
              │                                        ^^^^^^^^^^
          line 2: this is the shard_map
            2 │     out, hidden = split(x, w1, b1, w2)
              │                   ^^^^^^^^^^^^^^^^^^^^
          → Return what the shard_map returns, as it is.

        ✗ b2-eight-times
          b2 is added eight times.
          Cases that show it: example_1

        Rules
          ✓ mesh
          ✗ hidden-split: hidden is the shard_map's own output
          – b2-once (not judged)
        Cases
          ✗ 1 of 3 right; wrong: example_1; not judged: hidden case
            1
        Generated inputs
          ✗ 12 at 5 of 320 shapes: wrong

        Smallest wrong input (B=1, D=1)
          {
            "inputs": {
              "x": [[0.0]],
              "b2": [1.0]
            }
          }
          out expected [[1.0]]
          out got      [["nan"]]
          → To run it again, save the braces as FILE.json, then:
            grader run mine.py --input FILE.json

        Printed by the submission
          │ hello
          │ Accepted (AC): mine.py
          │ \\x1b[2J

        1.00 s · sandbox: none
        """)


def test_plain_ascii() -> None:
    text = render(BROKEN, SOURCE, Look(unicode=False))
    assert text.isascii()
    assert (
        page("""
        x hidden-split - mine.py:3:40 - B=1, D=1, H=8, O=1
          The returned hidden is not the shard_map's own output: something is added to
          it.
            2 |     out, hidden = split(x, w1, b1, w2)
            3 |     return {"out": out + b2, "hidden": hidden + 0}
              |                                        ^^^^^^^^^^
          line 2: this is the shard_map
            2 |     out, hidden = split(x, w1, b1, w2)
              |                   ^^^^^^^^^^^^^^^^^^^^
          > Return what the shard_map returns, as it is.
        """)
        in text
    )
    assert "+ mesh" in text


def test_ascii_escapes_what_it_has_no_sign_for() -> None:
    assert "na\\xefve \\u6570 <= 2" in render(error("naïve 数 ≤ 2"), None, Look(unicode=False))


def test_internal_error_says_nothing_about_the_submission() -> None:
    report = Report(verdict=Verdict.IE, problem=None, submission="mine.py")
    assert render(report) == page("""
        Internal error (IE): mine.py
        The judge failed. This says nothing about the submission; please report it.
        """)


@pytest.mark.parametrize("width", [30, 60, 80, 200])
@pytest.mark.parametrize("unicode", [True, False])
def test_no_line_is_wider_than_the_terminal(width: int, unicode: bool) -> None:
    source = SOURCE.replace(b"hidden", b"hidden" * 40)
    text = render(BROKEN, source, Look(width=width, unicode=unicode))
    assert max(map(len, text.splitlines())) <= width


def test_colour_only_when_asked_for() -> None:
    assert "\x1b" not in render(BROKEN, SOURCE)
    assert "\x1b[1;31mRule violated (RV): mine.py\x1b[0m" in render(BROKEN, SOURCE, Look(color=True))


def test_terminal_settings_of_this_process_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    want = render(BROKEN, SOURCE, Look(color=True))
    for name, value in {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "20", "FORCE_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    assert render(BROKEN, SOURCE, Look(color=True)) == want
    assert render(BROKEN, SOURCE) == render(BROKEN, SOURCE, Look())


def test_texts_of_a_submission_are_escaped_wherever_they_stand() -> None:
    evil = "\x1b]0;owned\x07\u202e\udcff"
    finding = BROKEN.findings[0]
    report = msgspec.structs.replace(
        BROKEN,
        submission=evil + "\nAccepted (AC): x.py",
        problem=evil,
        findings=(
            msgspec.structs.replace(
                finding,
                id=evil,
                message=evil,
                help=evil,
                shape={evil: 1},
                cases=(evil,),
                also=(Place(line=1, note=evil),),
            ),
        ),
        cases=(msgspec.structs.replace(BROKEN.cases[0], name=evil),),
        rules=(msgspec.structs.replace(BROKEN.rules[1], id=evil, title=evil),),
        output=evil,
        versions={evil: evil},
        sandbox=(evil,),
    )
    text = render(report, b"# \x1b[2J\x07\xff\n" * 3)
    assert not set(text) & {"\x1b", "\x07", "\u202e", "\udcff"}
    assert "\nAccepted" not in text


def test_a_message_cannot_begin_a_line_of_the_report() -> None:
    text = render(error("ValueError: no\nAccepted (AC): mine.py\n\n0.41 s"))
    assert "  ValueError: no\n  Accepted (AC): mine.py\n" in text
    assert "\nAccepted" not in text


def test_floods_are_bounded() -> None:
    long = render(error("line\n" * 10_000))
    assert "  … (9,981 more lines)" not in long  # cut by characters first
    assert len(long.splitlines()) < 40
    wide = render(error("x" * 1_000_000))
    assert "(996,000 more" in wide
    printed = render(msgspec.structs.replace(ACCEPTED, output="spam\n" * 5_000))
    assert printed.count("spam") == 40
    assert "  │ … 4,960 lines left out …\n" in printed
    many = msgspec.structs.replace(BROKEN, findings=BROKEN.findings[:1] * 50)
    assert "… and 38 more; --format json lists them all." in render(many)
    assert render(many).count("✗ hidden-split ·") == MOST_FINDINGS


def test_choices_never_taken_are_shown() -> None:
    generated = Generated(
        examples=9,
        shapes=9,
        of_shapes=320,
        status="pass",
        never_taken=(Place(line=2, note="no input made this false", column=5, end_line=2, end_column=8),),
    )
    assert page("""
        Generated inputs
          ✓ 9 at 9 of 320 shapes: all right
          line 2: no input made this false
            2 │     out, hidden = split(x, w1, b1, w2)
              │     ^^^
        """) in render(msgspec.structs.replace(ACCEPTED, generated=generated), SOURCE)


def test_a_broken_rule_shows_what_each_device_holds() -> None:
    assert page("""
        What each device holds
          Devices (model=8)  0 1 2 3 4 5 6 7
          x (2, 3): All 8 devices hold the whole of it.
          w1 (3, 16): Split along axis 1: each device holds a block of shape (3, 2).
            0011223344556677
            0011223344556677
            0011223344556677
          b1 (16,): Split along axis 0: each device holds a block of shape (2,).
            0011223344556677
          w2 (16, 4): Split along axis 0: each device holds a block of shape (2, 4).
            0000
            1111
            2222
            3333
            4444
            5555
            6666
            7777
          b2 (4,): All 8 devices hold the whole of it.
        """) in render(msgspec.structs.replace(BROKEN, devices=DEVICES), SOURCE)
    assert "device" not in render(msgspec.structs.replace(ACCEPTED, devices=DEVICES), SOURCE)
