"""A report as a list of tests that passed or failed, for platforms that know nothing else.

Comes in: a report and the submission's bytes. Goes out: one check for the submission as a whole (it is
loaded, traced and run), one a rule, one a case, and one for the generated inputs. Every finding is in the
text of at least one check; the texts are clean.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from grader.report.model import Finding, Generated, Report, Status, Verdict
from grader.report.page import Look, Page
from grader.report.text import counterexample, findings

Outcome: TypeAlias = Literal["pass", "fail", "skipped", "error"]
"""``error``: the judge failed, which says nothing about the submission."""

WHOLE = "is loaded, traced and run"
TRIED = "generated inputs"
_LOOK = Look(width=100)


@dataclass(frozen=True)
class Check:
    group: Literal["submission", "rules", "cases", "generated"]
    name: str
    outcome: Outcome
    kind: str = ""
    """The id of what was found; clean."""
    summary: str = ""
    """What was found, in a sentence; clean."""
    text: str = ""
    """All that is to be said about it, in lines; clean."""
    hidden: bool = False


def checks(report: Report, source: bytes | None) -> list[Check]:
    told: set[int] = set()

    def check(
        group: Literal["rules", "cases", "generated"],
        name: str,
        status: Status,
        about: list[Finding],
        otherwise: str,
        more: str = "",
        hidden: bool = False,
    ) -> Check:
        if status != "fail":
            return Check(group, name, status, hidden=hidden)
        told.update(map(id, about))
        text = _text(report, about, source) + more
        return Check(group, name, "fail", _kind(about, group), _summary(about, otherwise), text, hidden)

    made = []
    for rule in report.rules:
        broken = [each for each in report.findings if each.kind == "rule" and each.id == rule.id]
        made.append(check("rules", rule.id, rule.status, broken, rule.title or "The rule is broken."))
    for case in report.cases:
        shown = [each for each in report.findings if case.name in each.cases]
        hidden = case.visibility == "hidden"
        made.append(check("cases", case.name, case.status, shown, "The numbers are wrong on this case.", hidden=hidden))
    if report.generated is not None:
        numbers = [each for each in report.findings if each.kind == "numbers"]
        smallest = _smallest(report, report.generated)
        made.append(check("generated", TRIED, report.generated.status, numbers, "The numbers are wrong.", smallest))
    return [_whole(report, [each for each in report.findings if id(each) not in told], source), *made]


def _whole(report: Report, left: list[Finding], source: bytes | None) -> Check:
    """What no other check tells."""
    if left or report.verdict is Verdict.IE:
        outcome: Outcome = "error" if report.verdict is Verdict.IE else "fail"
        summary = _summary(left, "The judge failed.")
        return Check("submission", WHOLE, outcome, _kind(left, "judge"), summary, _text(report, left, source))
    return Check("submission", WHOLE, "pass")


def _kind(about: Iterable[Finding], otherwise: str) -> str:
    first = next(iter(about), None)
    return otherwise if first is None else Page(_LOOK).shown(first.id)


def _summary(about: Iterable[Finding], otherwise: str) -> str:
    first = next(iter(about), None)
    return Page(_LOOK).shown(otherwise if first is None else first.message)


def _text(report: Report, about: list[Finding], source: bytes | None) -> str:
    page = Page(_LOOK)
    findings(page, tuple(about), report.submission, source)
    return page.text().lstrip("\n")


def _smallest(report: Report, generated: Generated) -> str:
    if generated.counterexample is None:
        return ""
    page = Page(_LOOK)
    counterexample(page, generated.counterexample, report.submission)
    return page.text()
