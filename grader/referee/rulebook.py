"""Keeps what each rule said about each program, and makes findings of it: one a rule and place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.analysis.facts import Facts
from grader.program.types import Program, Source
from grader.report.model import Finding, Place, RuleResult, Status, Verdict
from grader.rules.base import Indices, ProgramRule, Rule, ShardsRule, SizesRule, Violation

PLACES = 3
"""A rule that is broken in more places is reported at the first of them."""


@dataclass(frozen=True)
class Broken:
    rule: str
    violation: Violation
    shape: Mapping[str, int]

    @property
    def size(self) -> int:
        return math.prod(self.shape.values())


class Rulebook:
    """The rules of a problem and what became of them."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self.status: dict[str, Status] = {}
        self.broken: dict[tuple[str, int], Broken] = {}

    def judge(self, facts: Facts, shape: Mapping[str, int]) -> None:
        """Judge one program on every rule. A rule that has nothing to judge keeps its status."""
        for rule in self.rules:
            self.say(rule.id, rule.check(facts), shape)

    def judge_program(self, program: Program, shape: Mapping[str, int]) -> None:
        """The rules that are judged on equations."""
        for rule in self.rules:
            if isinstance(rule, ProgramRule):
                self.say(rule.id, rule.check_program(program, shape), shape)

    def judge_all(self, programs: Sequence[tuple[Mapping[str, int], Program]]) -> None:
        """The rules that compare programs of different sizes."""
        for rule in self.rules:
            if isinstance(rule, SizesRule):
                found = rule.across(programs)
                if found is not None:
                    self.status.setdefault(rule.id, "pass")
                    for violation, shape in found:
                        self.violated(rule.id, violation, shape)

    def judge_shards(self, output: str, whole: Sequence[int], held: Indices, shape: Mapping[str, int]) -> None:
        """The rules about what each device holds."""
        for rule in self.rules:
            if isinstance(rule, ShardsRule):
                self.say(rule.id, rule.check_shards(output, whole, held), shape)

    def say(self, rule: str, violations: Sequence[Violation] | None, shape: Mapping[str, int]) -> None:
        """Keep what a rule said; None: it had nothing to judge, and keeps its status."""
        if violations is not None:
            self.status.setdefault(rule, "pass")
            for each in violations:
                self.violated(rule, each, shape)

    def violated(self, rule: str, violation: Violation, shape: Mapping[str, int]) -> None:
        self.status[rule] = "fail"
        key = (rule, violation.place.line if violation.place is not None else 0)
        broken = Broken(rule, violation, dict(shape))
        if key not in self.broken or broken.size < self.broken[key].size:
            self.broken[key] = broken

    def results(self) -> tuple[RuleResult, ...]:
        return tuple(
            RuleResult(id=rule.id, status=self.status.get(rule.id, "skipped"), title=rule.summary)
            for rule in self.rules
        )

    def findings(self) -> list[Finding]:
        """In the order of the rules, the places of each by line."""
        found = []
        for rule in self.rules:
            places = sorted(
                ((key[1], each) for key, each in self.broken.items() if key[0] == rule.id), key=lambda pair: pair[0]
            )
            found += [finding(each) for _, each in places[:PLACES]]
        return found


def finding(broken: Broken) -> Finding:
    violation = broken.violation
    place = violation.place or Source(0, 0)
    return Finding(
        kind="rule",
        id=broken.rule,
        verdict=Verdict.RV,
        message=violation.message,
        help=violation.help,
        line=place.line or None,
        column=place.column or None,
        end_line=place.end_line or None,
        end_column=place.end_column or None,
        shape=dict(broken.shape) or None,
        also=tuple(further(source, note) for source, note in violation.also if source.line),
    )


def further(source: Source, note: str) -> Place:
    return Place(
        line=source.line,
        note=note,
        column=source.column or None,
        end_line=source.end_line or None,
        end_column=source.end_column or None,
    )
