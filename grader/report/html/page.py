"""The page as a whole: the verdict first, then what was found and where, then what was judged.

Every section is made by a function of the report and is left out where the report has nothing for it. The
page states a policy that lets no browser load or run anything from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from grader.report.clean import OUTPUT_LIMIT
from grader.report.html import code, devices, flow, numbers
from grader.report.html.markup import NOTHING, Markup, join, tag, text
from grader.report.html.style import STYLE
from grader.report.layout import copies_differ, shape, slices
from grader.report.learner import for_learners
from grader.report.model import (
    CaseResult,
    Finding,
    Generated,
    Place,
    Report,
    RuleResult,
    RunOutput,
    RunReport,
    Status,
    Verdict,
    verdict,
)
from grader.report.text import JUDGE_FAILED, names, sizes

MOST_FINDINGS = 100
MOST_CASES = 1_000
MOST_PLACES = 20

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

_SIGNS: Mapping[Status, tuple[str, str]] = {
    "pass": ("✓", "holds"),
    "fail": ("✗", "broken"),
    "skipped": ("–", "not judged"),
}
_RIGHT: Mapping[Status, str] = {"pass": "right", "fail": "wrong", "skipped": "not judged"}


def render(report: Report | RunReport, source: bytes | None = None) -> bytes:
    """The page. ``source``: the submission's bytes, None when there are none to show."""
    if isinstance(report, Report):
        report = for_learners(report)
        title = f"{report.verdict.words} ({report.verdict.value}): {report.submission}"
        sections = _of_grading(report, source)
    else:
        code_ = verdict(report.findings)
        title = (
            f"{code_.words} ({code_.value}): {report.submission}" if report.findings else f"Ran: {report.submission}"
        )
        sections = _of_run(report, source)
    shown = [(anchor, name, each) for anchor, name, each in sections if each != NOTHING]
    body = tag(
        "body",
        tag("a", "Skip to what was found", href="#main", class_="skip"),
        tag("header", _verdict(report)),
        _navigation([(anchor, name) for anchor, name, _ in shown]),
        tag("main", *(each for _, _, each in shown), id="main"),
        _colophon(report),
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        tag("style", Markup(STYLE)),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en').source}\n".encode()


Sections = list[tuple[str, str, Markup]]
"""Anchor, name and content of each."""


def _of_grading(report: Report, source: bytes | None) -> Sections:
    found = report.generated.counterexample if report.generated else None
    smallest = (
        _section("smallest", "Smallest wrong input", numbers.counterexample(found, report.submission))
        if found
        else NOTHING
    )
    return [
        ("findings", "What was found", _findings(report.findings, report.submission, source)),
        ("smallest", "Smallest wrong input", smallest),
        ("flow", "Program", flow.section(report.flow, _anchors(report.findings))),
        ("devices", "Devices", devices.section(report)),
        ("rules", "Rules", _rules(report.rules)),
        ("cases", "Cases", _cases(report.cases)),
        ("generated", "Generated inputs", _generated(report.generated, report.submission, source)),
        ("printed", "Printed", _printed(report.output)),
    ]


def _of_run(report: RunReport, source: bytes | None) -> Sections:
    outputs = [_output(each) for each in report.outputs]
    return [
        ("findings", "What was found", _findings(report.findings, report.submission, source)),
        ("outputs", "Outputs", _section("outputs", "Outputs", *outputs) if outputs else NOTHING),
        ("devices", "Devices", devices.section(report)),
        ("printed", "Printed", _printed(report.output)),
    ]


def _section(id: str, title: str, *content: Markup | None) -> Markup:
    return tag("section", tag("h2", title, id=f"{id}-title"), *content, id=id, aria_labelledby=f"{id}-title")


# ── the verdict ──────────────────────────────────────────────────────────────────────────────────


def _verdict(report: Report | RunReport) -> Markup:
    if isinstance(report, Report):
        found, title = report.verdict, report.verdict.words
    else:
        found = verdict(report.findings)
        title = found.words if report.findings else "Ran"
    tone = {Verdict.AC: "good", Verdict.IE: "warn"}.get(found, "bad")
    named = [tag("strong", report.submission)]
    if report.problem:
        named.append(join([" for ", tag("code", report.problem)]))
    return tag(
        "div",
        tag("h1", title, Markup(" "), tag("span", f"({found.value})") if title == found.words else None),
        tag("p", *named),
        tag("p", JUDGE_FAILED) if found is Verdict.IE else None,
        tag("p", summary(report)) if isinstance(report, Report) and found is not Verdict.IE else None,
        class_=f"verdict {tone}",
    )


def summary(report: Report) -> str:
    """What was judged and how much of it was right, in a line."""
    parts = []
    if report.findings:
        parts.append(f"{len(report.findings)} finding{'s' if len(report.findings) > 1 else ''}")
    if report.rules:
        holding = sum(each.status == "pass" for each in report.rules)
        parts.append(f"{holding} of {len(report.rules)} rules hold")
    if report.cases:
        right = sum(each.status == "pass" for each in report.cases)
        parts.append(f"{right} of {len(report.cases)} cases right")
    if report.generated and report.generated.status != "skipped":
        parts.append(f"{report.generated.examples:,} generated inputs {_RIGHT[report.generated.status]}")
    return " · ".join(parts)


def _navigation(sections: Iterable[tuple[str, str]]) -> Markup:
    links = [tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name in sections]
    return tag("nav", tag("ul", *links), aria_label="On this page") if len(links) > 1 else NOTHING


def _colophon(report: Report | RunReport) -> Markup:
    if not report.seconds:
        return NOTHING
    parts = [f"{report.seconds:.2f} s", *(f"{name} {version}" for name, version in report.versions.items())]
    parts.append(f"sandbox: {', '.join(report.sandbox) or 'none'}")
    return tag("footer", tag("p", " · ".join(parts)))


# ── findings ─────────────────────────────────────────────────────────────────────────────────────


def _anchors(findings: tuple[Finding, ...]) -> dict[str, str]:
    """Where on the page the first finding of each id is."""
    anchors: dict[str, str] = {}
    for number, each in enumerate(findings[:MOST_FINDINGS], 1):
        anchors.setdefault(each.id, f"finding-{number}")
    return anchors


def _findings(findings: tuple[Finding, ...], submission: str, source: bytes | None) -> Markup:
    if not findings:
        return NOTHING
    shown = [_finding(number, each, submission, source) for number, each in enumerate(findings[:MOST_FINDINGS], 1)]
    more = len(findings) - len(shown)
    return _section("findings", "What was found", *shown, tag("p", f"… and {more} more.") if more else None)


def _finding(number: int, finding: Finding, submission: str, source: bytes | None) -> Markup:
    where = []
    if finding.line is not None:
        column = f", column {finding.column}" if finding.column else ""
        where.append(f"{submission}, line {finding.line}{column}")
    if finding.shape:
        where.append(f"Found at {sizes(finding.shape)}")
    if finding.cases:
        where.append(f"Cases that show it: {names(finding.cases)}")
    title = f"finding-{number}-title"
    return tag(
        "article",
        tag("h3", finding.id, id=title),
        tag("p", " · ".join(where), class_="where") if where else None,
        tag("p", text(finding.message, lines=True), class_="message"),
        code.frame(source, finding, submission),
        *(_place(each, submission, source) for each in finding.also[:MOST_PLACES]),
        tag("p", tag("strong", "What to do: "), text(finding.help, lines=True), class_="help")
        if finding.help
        else None,
        id=f"finding-{number}",
        class_="finding",
        aria_labelledby=title,
    )


def _place(place: Place, submission: str, source: bytes | None) -> Markup:
    return tag(
        "div",
        tag("p", f"Line {place.line}: ", text(place.note, lines=True)),
        code.frame(source, place, submission, context=0),
        class_="also",
    )


# ── what was judged ──────────────────────────────────────────────────────────────────────────────


def _status(status: Status, words: Mapping[Status, str], *content: Markup | str | None) -> Markup:
    return tag(
        "li",
        tag("span", _SIGNS[status][0], class_="sign", aria_hidden="true"),
        *content,
        tag("span", f" ({words[status]})", class_="unseen" if status != "skipped" else "note"),
        class_=status,
    )


def _rules(rules: tuple[RuleResult, ...]) -> Markup:
    if not rules:
        return NOTHING
    words = {status: said for status, (_, said) in _SIGNS.items()}
    items = [
        _status(
            each.status,
            words,
            tag("strong", each.id),
            tag("span", f": {each.title}", class_="note") if each.title else None,
        )
        for each in rules
    ]
    return _section("rules", "Rules", tag("ul", *items, class_="results long"))


def _cases(cases: tuple[CaseResult, ...]) -> Markup:
    if not cases:
        return NOTHING
    items = [_status(each.status, _RIGHT, each.name) for each in cases[:MOST_CASES]]
    more = len(cases) - len(items)
    hidden = sum(each.visibility == "hidden" for each in cases)
    note = f"{hidden} of {len(cases)} cases are hidden: only what came of them is shown." if hidden else None
    return _section(
        "cases",
        "Cases",
        tag("p", note, class_="note") if note else None,
        tag("ul", *items, class_="results"),
        tag("p", f"… and {more} more.") if more else None,
    )


def _generated(generated: Generated | None, submission: str, source: bytes | None) -> Markup:
    if generated is None:
        return NOTHING
    words = f"{generated.examples:,} inputs at {generated.shapes:,} of {generated.of_shapes:,} shapes: "
    outcome = {"pass": "all right", "fail": "wrong", "skipped": "not judged"}[generated.status]
    line = tag(
        "li",
        tag("span", _SIGNS[generated.status][0], class_="sign", aria_hidden="true"),
        words,
        tag("strong", outcome),
        class_=generated.status,
    )
    return _section(
        "generated",
        "Generated inputs",
        tag("ul", line, class_="results long"),
        *(_place(each, submission, source) for each in generated.never_taken[:MOST_PLACES]),
    )


def _output(output: RunOutput) -> Markup:
    whole = numbers.grid(output.name, output.value, f"{output.dtype}, {shape(output.shape)}")
    if not copies_differ(output):
        return whole
    held = [numbers.grid(f"device {each.device}", each.value, slices(each.block)) for each in output.devices]
    note = tag("p", tag("strong", f"The devices hold copies of {output.name} that differ:"))
    return join([whole, note, tag("div", *held, class_="grids")])


def _printed(output: str) -> Markup:
    if not output:
        return NOTHING
    words = text(output, lines=True, limit=OUTPUT_LIMIT)
    label = "Printed by the submission"
    shown = tag("pre", tag("code", words), class_="wrapped", tabindex=0, role="region", aria_label=label)
    return _section("printed", label, shown)
