"""Whatever a report holds, each renderer makes a page of it that is safe to show."""

from __future__ import annotations

import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.report import formats, html, junit, sarif
from grader.report import json as json_report
from grader.report.model import (
    Block,
    CaseResult,
    Counterexample,
    Devices,
    Finding,
    Flow,
    FlowEdge,
    FlowNode,
    Generated,
    Held,
    Layout,
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
from tests.report.sarif_schema import SCHEMA
from tests.report.test_junit import valid

SPECIAL = ["<script>alert(1)</script>", "' onload='", '" onload="', "&lt;", "]]>", "<!--", "%0A::error::", "\x1b[2J"]
TEXT = st.text(st.characters(), max_size=30) | st.sampled_from(SPECIAL)
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
PAIR = st.tuples(st.integers(-1, 4), st.integers(0, 5))
BLOCKS = st.lists(
    st.builds(Block, device=st.integers(0, 9), block=st.lists(PAIR, max_size=3).map(tuple)), max_size=9
).map(tuple)
DEVICES = st.builds(
    Devices,
    mesh=st.dictionaries(TEXT, st.integers(0, 9), max_size=2),
    arrays=st.lists(
        st.builds(
            Layout,
            name=TEXT,
            role=st.sampled_from(["input", "output"]),
            shape=st.lists(st.integers(0, 200), max_size=3).map(tuple),
            dtype=TEXT,
            blocks=BLOCKS,
        ),
        max_size=2,
    ).map(tuple),
)
IDS = st.sampled_from("abcde") | TEXT
FLOWS = st.builds(
    Flow,
    nodes=st.lists(
        st.builds(
            FlowNode,
            id=IDS,
            label=TEXT,
            kind=st.sampled_from(["input", "split", "step", "psum", "move", "output"]),
            on_devices=st.booleans(),
            detail=st.none() | TEXT,
            line=NUMBER,
            fault=st.none() | TEXT,
        ),
        max_size=5,
    ).map(tuple),
    edges=st.lists(st.builds(FlowEdge, source=IDS, target=IDS, label=st.none() | TEXT), max_size=8).map(tuple),
)
REPORTS = st.builds(
    Report,
    verdict=st.sampled_from(Verdict),
    problem=st.none() | TEXT,
    submission=TEXT,
    rules=st.lists(st.builds(RuleResult, id=TEXT, status=STATUS, title=st.none() | TEXT), max_size=2).map(tuple),
    findings=FINDINGS,
    cases=st.lists(
        st.builds(CaseResult, name=TEXT, status=STATUS, visibility=st.sampled_from(["public", "hidden"])), max_size=2
    ).map(tuple),
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
    devices=st.none() | DEVICES,
    flow=st.none() | FLOWS,
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
    devices=st.none() | DEVICES,
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


class Page(HTMLParser):
    """Reads a page as a browser does, and refuses what this project's pages never have."""

    VOID = frozenset({"meta", "link", "br", "rect", "path", "circle", "line"})
    TAGS = VOID | frozenset(
        "html head title style body header nav main section article footer div p h1 h2 h3 a span strong code pre mark "
        "ul ol li table caption thead tbody tr th td figure figcaption details summary svg g defs marker text".split()
    )

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in self.TAGS, tag
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attributes:
            assert not name.startswith("on"), name
            assert re.fullmatch("[a-z-]+", name), name
            if name == "id":
                self.ids.append(value or "")
            if name == "href":
                self.links.append(value or "")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def read_page(data: bytes) -> Page:
    text = data.decode()
    assert not hidden(text)
    assert text.startswith('<!doctype html>\n<html lang="en">')
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        assert link == "data:," or link[1:] in page.ids, link
    return page


@given(REPORTS | RUNS, SOURCES)
def test_html(report: Report | RunReport, source: bytes | None) -> None:
    read_page(html.render(report, source))


def test_the_reader_of_pages_can_refuse() -> None:
    head = b'<!doctype html>\n<html lang="en">'
    for bad in (b"<script></script>", b"<p onload='x'></p>", b"<p>", b"<!-- x -->", b"<a href='#no'></a>", b"\x07"):
        with pytest.raises(AssertionError):
            read_page(head + bad + b"</html>")


@given(REPORTS, SOURCES)
def test_junit(report: Report, source: bytes | None) -> None:
    data = junit.render(report, source)
    assert not hidden(data.decode())
    valid(ET.fromstring(data))


@given(REPORTS, SOURCES)
def test_gradescope(report: Report, source: bytes | None) -> None:
    data = formats.render("gradescope", report, source)
    assert not hidden(data.decode())
    assert not [text for text in strings(json.loads(data)) if hidden(text)]


@given(REPORTS, SOURCES)
def test_sarif(report: Report, source: bytes | None) -> None:
    data = json.loads(sarif.render(report, source))
    jsonschema.validate(data, SCHEMA)
    assert not [text for text in strings(data) if hidden(text)]


@given(REPORTS, SOURCES)
def test_github(report: Report, source: bytes | None) -> None:
    text = formats.render("github", report, source).decode()
    assert not hidden(text)
    for line in text.splitlines():
        assert re.fullmatch(r"::(error|notice) [a-z]+=[^:,]*(,[A-Za-z]+=[^:,]*)*::.*", line)


def strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [each for pair in value.items() for part in pair for each in strings(part)]
    if isinstance(value, list):
        return [each for part in value for each in strings(part)]
    return [value] if isinstance(value, str) else []
