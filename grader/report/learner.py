"""What a learner may see of a report: that there are hidden cases and what came of each, not which they are.

Comes in: a report. Goes out: the same report in which every hidden case is called "hidden case 1" and so
on, wherever it is named. Every renderer but the JSON one, which is for programs, shows reports so.
"""

from __future__ import annotations

import itertools

import msgspec

from grader.report.model import Report


def for_learners(report: Report) -> Report:
    """The report without the names of hidden cases."""
    hidden = [each.name for each in report.cases if each.visibility == "hidden"]
    if not hidden:
        return report
    numbers = itertools.count(1)
    cases = tuple(
        msgspec.structs.replace(each, name=f"hidden case {next(numbers)}") if each.visibility == "hidden" else each
        for each in report.cases
    )
    called = {before.name: after.name for before, after in zip(report.cases, cases, strict=True)}
    findings = tuple(
        msgspec.structs.replace(
            each,  # those that can be looked up first
            cases=tuple(
                called.get(name, name) for name in sorted(each.cases, key=lambda name: called.get(name, name) != name)
            ),
        )
        for each in report.findings
    )
    return msgspec.structs.replace(report, cases=cases, findings=findings)
