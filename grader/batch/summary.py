"""What a batch comes to: verdicts, what was found how often, and which submissions have equal programs.

Comes in: a results file. Goes out: a `Summary`, as data and as text.
"""

from __future__ import annotations

import os
import re
from collections import Counter

import msgspec

from grader.batch.collect import shown
from grader.batch.results import Results, decode
from grader.report.clean import clean
from grader.report.model import PRECEDENCE, Finding, Report, Verdict

NAMED = 5
"""So many submissions are named for each thing that was found; the exports have all."""
MOST_KINDS = 10_000
"""So many different findings are told apart; the text of an exception may be different every time."""


class Named(msgspec.Struct, kw_only=True):
    """A number of submissions, and the first of them by name."""

    count: int = 0
    submissions: list[str] = []

    def add(self, name: str) -> None:
        self.count += 1
        if len(self.submissions) < NAMED:
            self.submissions.append(name)


class Found(Named, kw_only=True):
    """Submissions of which the same was found."""

    id: str
    message: str


class Rule(Named, kw_only=True):
    """Submissions that break a rule; ``title`` says what it asks."""

    id: str
    title: str | None
    found: list[Found] = []
    """What was found of it, the most frequent first."""


class Group(Named, kw_only=True):
    """Submissions whose programs are equal up to names, lines and the order of independent equations."""

    verdict: Verdict
    files: int
    """How many different files they are: 1 when all are copies."""


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    submission: str
    reason: str


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All of a batch."""

    version: int = 1
    submissions: int
    verdicts: dict[str, int]
    """By code, in the order of precedence after AC."""
    rules: tuple[Rule, ...]
    """Broken rules, the most frequent first."""
    others: tuple[Found, ...]
    """What else was found: wrong numbers and errors, the most frequent first."""
    equal: tuple[Group, ...]
    unread: int
    """Submissions that could not be read or judged."""
    unread_reasons: tuple[Unread, ...]
    """The first of them."""
    unjudged: int
    """Submissions that the run did not get to."""


def summarise(results: Results) -> Summary:
    verdicts: Counter[str] = Counter()
    rules: dict[str, Rule] = {}
    found: dict[str, dict[tuple[str, str], Found]] = {}
    unread: list[Unread] = []
    unread_count = unjudged = 0
    for row in results.rows():
        name = shown(row.entry)
        if row.key is None:
            unread_count += 1
            if len(unread) < NAMED:
                unread.append(Unread(submission=name, reason=row.entry.reason or ""))
        elif row.report is None:
            unjudged += 1
        else:
            report = decode(row.report)
            verdicts[report.verdict.value] += 1
            note(report, name, rules, found)
    for rule in rules.values():
        rule.found = ordered(found.pop(rule.id, {}))
    others = {key: each for group in found.values() for key, each in group.items()}
    return Summary(
        submissions=verdicts.total() + unread_count + unjudged,
        verdicts={each.value: verdicts[each.value] for each in (Verdict.AC, *PRECEDENCE) if verdicts[each.value]},
        rules=tuple(sorted(rules.values(), key=lambda each: -each.count)),
        others=tuple(ordered(others)),
        equal=tuple(equal_programs(results)),
        unread=unread_count,
        unread_reasons=tuple(unread),
        unjudged=unjudged,
    )


def note(report: Report, name: str, rules: dict[str, Rule], found: dict[str, dict[tuple[str, str], Found]]) -> None:
    for each in report.rules:
        if each.status == "fail":
            rules.setdefault(each.id, Rule(id=each.id, title=each.title)).add(name)
    for id, message in dict.fromkeys((each.id, said(each)) for each in report.findings):
        group = found.setdefault(id, {})
        if (id, message) in group or len(group) < MOST_KINDS:
            group.setdefault((id, message), Found(id=id, message=message)).add(name)


def said(finding: Finding) -> str:
    """A finding's words without what differs between submissions that make the same mistake."""
    if finding.id == "wrong-numbers":
        return "The numbers are wrong."
    if finding.kind == "numbers" and not finding.id.startswith("return"):  # a known mistake
        return clean(finding.help or finding.id)
    return _SIZES.sub("(…)", clean(finding.message.split("\n")[0], limit=160))


_SIZES = re.compile(r"\((?:\d+, ?)*\d+,?\)")


def ordered(found: dict[tuple[str, str], Found]) -> list[Found]:
    return sorted(found.values(), key=lambda each: -each.count)


def equal_programs(results: Results) -> list[Group]:
    """Groups of at least two submissions, the largest first."""
    groups = []
    for programs, verdict, count, files in results.equal_programs():
        names = [clean(os.fsdecode(each)) for each in results.names(programs, NAMED)]
        groups.append(Group(count=count, submissions=names, verdict=Verdict(verdict), files=files))
    return groups


# ── as text ──────────────────────────────────────────────────────────────────────────────────────

MOST_LINES = 12
"""Of each list; the JSON has all."""


def render(summary: Summary) -> str:
    """For people, on a terminal."""
    total = summary.submissions
    lines = [f"{count_text(total, 'submission')}"]
    width = len(f"{total:,}")
    lines += [f"  {count:>{width},}  {code:<3} {Verdict(code).words}" for code, count in summary.verdicts.items()]
    if summary.unread:
        lines.append(f"  {summary.unread:>{width},}  not judged: could not be read")
        lines += [f"  {'':>{width}}      {each.submission}: {each.reason}" for each in summary.unread_reasons]
        if summary.unread > len(summary.unread_reasons):
            lines.append(f"  {'':>{width}}      …")
    if summary.unjudged:
        lines.append(f"  {summary.unjudged:>{width},}  not judged yet")
    if summary.rules:
        lines += ["", "Rules"]
        for rule in summary.rules[:MOST_LINES]:
            lines.append(f"  {rule.count:>{width},} of {total:,} break {rule.id}: {rule.title or ''}".rstrip(": "))
            lines += [f"  {each.count:>{width + 4},}  {each.message}" for each in rule.found[:3]]
    if summary.others:
        lines += ["", "Also found"]
        lines += [
            f"  {each.count:>{width},} of {total:,}  {each.id}: {each.message}" for each in summary.others[:MOST_LINES]
        ]
        if len(summary.others) > MOST_LINES:
            lines.append(f"  {'':>{width}}  … and {len(summary.others) - MOST_LINES:,} more kinds")
    if summary.equal:
        lines += ["", "Equal programs (up to names, lines and the order of independent steps)"]
        for group in summary.equal[:MOST_LINES]:
            more = ", …" if group.count > len(group.submissions) else ""
            copies = " (copies of one file)" if group.files == 1 else ""
            lines.append(
                f"  {group.count:>{width},}  {group.verdict.value}{copies}: {', '.join(group.submissions)}{more}"
            )
        if len(summary.equal) > MOST_LINES:
            lines.append(f"  {'':>{width}}  … and {len(summary.equal) - MOST_LINES:,} more groups")
    return "\n".join(lines) + "\n"


def count_text(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
