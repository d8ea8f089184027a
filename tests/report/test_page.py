"""The HTML page in a real browser: its parts are there, nothing is loaded or run, everybody can read it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from grader.report.html import render
from grader.report.model import Report, RunReport
from tests.report.browser import CHROMIUM, DRIVER, MISSING, Browser
from tests.report.reports import ACCEPTED, BROKEN, DRAWN, RAN, SOURCE

pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason=MISSING)

PAGES = {"rejected": DRAWN, "accepted": ACCEPTED, "run": RAN}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


def show(browser: Browser, report: Report | RunReport, **look: Any) -> None:
    browser.show(render(report, SOURCE), **look)
    browser.run("document.querySelectorAll('details').forEach(each => each.open = true)")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [320, 1000])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_loaded_nothing_complained_about_nothing_sticks_out(
    name: str, width: int, dark: bool, browser: Browser
) -> None:
    show(browser, PAGES[name], width=width, dark=dark)
    assert browser.console() == []
    assert browser.run("return performance.getEntriesByType('resource').map(each => each.name)") == []
    assert browser.run("return document.scripts.length") == 0
    assert browser.run("return document.documentElement.scrollWidth") == width


def test_the_console_is_listened_to(browser: Browser) -> None:
    page = render(ACCEPTED).replace(b"<header>", b"<script>1</script><img src='https://example.com/x.png'><header>")
    browser.show(page)
    assert len([each for each in browser.console() if "Content Security Policy" in each]) == 2


def test_parts(browser: Browser) -> None:
    show(browser, DRAWN)
    assert browser.run("return document.title") == "Rule violated (RV): mine.py"
    assert browser.run("return document.querySelector('h1').textContent") == "Rule violated (RV)"
    assert browser.run("return [...document.querySelectorAll('section')].map(each => each.id)") == [
        "findings",
        "smallest",
        "flow",
        "devices",
        "rules",
        "cases",
        "generated",
        "printed",
    ]
    assert browser.run("return [...document.querySelectorAll('#findings mark')].map(each => each.textContent)") == [
        "hidden + 0",
        "split(x, w1, b1, w2)",
    ]
    assert browser.run("return document.querySelector('#finding-1 .line.at .t-string').textContent") == '"out"'
    assert browser.run("return document.querySelectorAll('#devices figure').length") == 7
    assert (
        browser.run("return document.querySelectorAll('#devices figure:nth-of-type(2) li rect[class^=d]').length") == 8
    )
    assert browser.run(
        "return [...document.querySelectorAll('#flow .node.k-fault + text')].map(e => e.textContent)"
    ) == ["all_gather"]
    rows = browser.run(
        "return [...document.querySelectorAll('#smallest .numbers tbody tr')].map(row => row.innerText.split(/\\s+/))"
    )
    assert ["out[0,", "0]", "1.0", "nan", "≠"] in rows


def test_steps_of_the_flow_are_apart_and_lead_down(browser: Browser) -> None:
    show(browser, DRAWN)
    boxes = browser.run(
        "return [...document.querySelectorAll('#flow .node')].map(each => {"
        "const b = each.getBBox(); return [b.x, b.y, b.x + b.width, b.y + b.height]})"
    )
    assert len(boxes) == len(DRAWN.flow.nodes) if DRAWN.flow else 0
    for position, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[position + 1 :]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top


def test_a_run_shows_its_outputs_and_copies_that_differ(browser: Browser) -> None:
    show(browser, RAN)
    assert browser.run("return [...document.querySelectorAll('section')].map(each => each.id)") == [
        "outputs",
        "devices",
        "printed",
    ]
    assert "differ" not in browser.run("return document.querySelector('#outputs').innerText")
    held = [msgspec.structs.replace(each, value=[[each.device / 2]]) for each in RAN.outputs[0].devices]
    output = msgspec.structs.replace(RAN.outputs[0], devices=tuple(held))
    show(browser, msgspec.structs.replace(RAN, outputs=(output,)))
    shown = browser.run("return document.querySelector('#outputs').innerText")
    assert "The devices hold copies of out that differ:" in shown
    assert "device 7 [0:1, 0:1]\n\t0\n0\t3.5" in shown


# ── read by everybody ────────────────────────────────────────────────────────────────────────────

CONTRAST = """
const channel = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const parse = text => text.match(/[\\d.]+/g).map(Number);
const solid = text => { const c = parse(text); return c.length < 4 || c[3] > 0 };
const behind = element => {
  for (let e = element; e; e = e.parentElement)
    if (solid(getComputedStyle(e).backgroundColor)) return getComputedStyle(e).backgroundColor;
};
const behindDrawing = element => {
  const box = element.getBoundingClientRect();
  const under = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  const shape = under.find(e => ['rect', 'circle'].includes(e.tagName));
  return shape ? getComputedStyle(shape).fill : behind(element.closest('svg'));
};
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !element.getClientRects().length || element.closest('.unseen')) continue;
  const drawn = element.tagName === 'text';
  const ink = parse(getComputedStyle(element)[drawn ? 'fill' : 'color']);
  const paper = parse(drawn ? behindDrawing(element) : behind(element));
  const [light, dark] = [luminance(ink), luminance(paper)].sort((a, b) => b - a);
  found.push([(light + 0.05) / (dark + 0.05), walker.currentNode.data.trim().slice(0, 40), ink, paper]);
}
return found;
"""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", PAGES)
def test_every_text_has_contrast(name: str, dark: bool, browser: Browser) -> None:
    show(browser, PAGES[name], height=12_000, dark=dark)
    texts = browser.run(CONTRAST)
    assert len(texts) > 20
    assert [each for each in texts if each[0] < 4.5] == []


def test_a_screen_reader_is_told_of_everything(browser: Browser) -> None:
    show(browser, DRAWN)
    seen = browser.accessible()
    roles = [role for role, _ in seen]
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        assert roles.count(landmark) == 1, landmark
    assert not [role for role, name in seen if role in ("image", "region", "link", "heading") and not name]
    images = [name for role, name in seen if role == "image"]
    assert "w1: Split along axis 1: each device holds a block of shape (3, 2)." in images
    assert "Mesh: axis 'model' of 8 devices" in images
    assert any("At fault: all_gather." in name for name in images)
    texts = " ".join(name for role, name in seen if role in ("StaticText", "InlineTextBox"))
    assert "hidden-split : hidden is the shard_map's own output (broken)" in " ".join(texts.split())


def test_headings_step_down_one_at_a_time(browser: Browser) -> None:
    for report in PAGES.values():
        show(browser, report)
        levels = browser.run("return [...document.querySelectorAll('h1,h2,h3,h4')].map(each => +each.tagName[1])")
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_a_keyboard_reaches_everything_and_shows_where_it_is(browser: Browser) -> None:
    browser.show(render(DRAWN, SOURCE), width=360)
    assert browser.tab() == ["A", "Skip to what was found"]
    assert browser.run("return document.activeElement.getBoundingClientRect().left") == 0
    reached = []
    for _ in range(60):
        tag, text = browser.tab()
        if tag == "BODY":
            break
        reached.append((tag, text))
        outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", (tag, text)
    assert ("A", "Smallest wrong input") in reached
    assert ("SUMMARY", "The same in words") in reached
    unreachable = browser.run(
        "return [...document.querySelectorAll('*')].filter(e => e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0 &&"
        "['auto', 'scroll'].includes(getComputedStyle(e).overflowX)).map(e => e.className)"
    )
    assert unreachable == []


# ── what a submission wrote ──────────────────────────────────────────────────────────────────────


def test_no_text_becomes_markup(browser: Browser) -> None:
    evil = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">'\"&amp;"
    report = msgspec.structs.replace(
        BROKEN,
        submission=evil,
        problem=evil,
        output=evil,
        findings=(msgspec.structs.replace(BROKEN.findings[0], id=evil, message=evil, help=evil, shape={evil: 1}),),
        cases=(msgspec.structs.replace(BROKEN.cases[0], name=evil),),
        versions={evil: evil},
    )
    browser.show(render(report, f"# {evil}\n".encode() * 3))
    assert browser.console() == []
    assert browser.run("return document.title") == f"Rule violated (RV): {evil}"
    assert browser.run("return document.querySelectorAll('script, img').length") == 0
    assert browser.run("return document.querySelector('.message').textContent") == evil
    assert browser.run("return document.querySelector('.line.at').textContent").strip() == f"3 # {evil}"
