"""Whatever a report holds, each renderer makes a page of it that is safe to show."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from grader.report import json as json_report
from grader.report.model import (
    CaseResult,
    Counterexample,
    Finding,
    Generated,
    Held,
    Place,
    Report,
    RuleResult,
    RunOutput,
    RunReport,
    Verdict,
)
from grader.report.page import Look
from grader.report.run_text import render as render_run
from grader.report.text import render

TEXT = st.text(st.characters(), max_size=30)
NUMBER = st.none() | st.integers(-3, 300)
STATUS = st.sampled_from(["pass", "fail", "skipped"])
SIZES = st.dictionaries(TEXT, st.integers(0, 9), max_size=2)
VALUE = st.sampled_from([0.5, [], [[1.0, "nan"]], [[[0.1] * 9] * 2]])
VALUES = st.dictionaries(TEXT, VALUE, max_size=2)
PLACES = st.lists(
    st.builds(Place, line=st.integers(-1, 5), note=TEXT, column=NUMBER, end_line=NUMBER, end_column=NUMBER), max_size=2
).map(tuple)
FINDINGS = st.lists(
    st.builds(
        Finding,
        kind=st.sampled_from(["rule", "numbers", "error"]),
        id=TEXT,
        verdict=st.sampled_from(Verdict),
        message=TEXT,
        help=st.none() | TEXT,
        line=NUMBER,
        column=NUMBER,
        end_line=NUMBER,
        end_column=NUMBER,
        shape=st.none() | SIZES,
        also=PLACES,
        cases=st.lists(TEXT, max_size=3).map(tuple),
    ),
    max_size=2,
).map(tuple)
COUNTEREXAMPLE = st.builds(Counterexample, shape=SIZES, inputs=VALUES, expected=VALUES, got=VALUES)
REPORTS = st.builds(
    Report,
    verdict=st.sampled_from(Verdict),
    problem=st.none() | TEXT,
    submission=TEXT,
    rules=st.lists(st.builds(RuleResult, id=TEXT, status=STATUS, title=st.none() | TEXT), max_size=2).map(tuple),
    findings=FINDINGS,
    cases=st.lists(st.builds(CaseResult, name=TEXT, status=STATUS), max_size=2).map(tuple),
    generated=st.none()
    | st.builds(
        Generated,
        examples=st.integers(0, 9),
        shapes=st.integers(0, 9),
        of_shapes=st.integers(0, 9),
        status=STATUS,
        counterexample=st.none() | COUNTEREXAMPLE,
        never_taken=PLACES,
    ),
    output=TEXT,
    seconds=st.floats(0, 9),
    versions=st.dictionaries(TEXT, TEXT, max_size=2),
    sandbox=st.lists(TEXT, max_size=2).map(tuple),
)
HELD = st.builds(Held, device=st.integers(0, 7), block=st.just(((0, 1),)), value=VALUE)
RUNS = st.builds(
    RunReport,
    problem=st.none() | TEXT,
    submission=TEXT,
    outputs=st.lists(
        st.builds(
            RunOutput, name=TEXT, shape=st.just((2,)), dtype=TEXT, value=VALUE, devices=st.lists(HELD).map(tuple)
        ),
        max_size=2,
    ).map(tuple),
    findings=FINDINGS,
    output=TEXT,
)
SOURCES = st.none() | st.binary(max_size=60)
LOOKS = st.builds(Look, width=st.integers(0, 120), color=st.just(False), unicode=st.booleans())


def hidden(text: str) -> set[str]:
    return {each for each in text if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")} - {"\n"}


@given(REPORTS, SOURCES, LOOKS)
def test_text(report: Report, source: bytes | None, look: Look) -> None:
    text = render(report, source, look)
    assert not hidden(text)
    assert look.unicode or text.isascii()
    assert text.startswith(f"{report.verdict.words} ({report.verdict.value}):")


@given(RUNS, SOURCES, LOOKS)
def test_text_of_a_run(report: RunReport, source: bytes | None, look: Look) -> None:
    text = render_run(report, source, look)
    assert not hidden(text)
    assert look.unicode or text.isascii()


@given(REPORTS | RUNS)
def test_json(report: Report | RunReport) -> None:
    data = json_report.render(report)
    assert data.count(b"\n") == 1
    assert not hidden(data.decode("utf-8"))
    assert list(json.loads(data)) == list(report.__struct_fields__)
