"""All that `grader verify` proves of one problem.

In: a problem's id, and the folders with its cases, reference solution and known submissions. Out: what is wrong, and
how much was looked at. Submissions are graded by one judge, over a sample of the shapes where that is enough to find
what must be found, and over all where it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.cases import load_cases
from grader.cases.folder import cases_root
from grader.errors import Unusable
from grader.problem import Problem
from grader.problems import front_matter, load, statement
from grader.report.model import Report
from grader.request import GradeRequest
from grader.supervisor import Judge
from grader.verify.examples import differences
from grader.verify.fault import Fault
from grader.verify.known import VERDICTS, Known, known_submissions
from grader.verify.wrong import untold

FEWEST_CASES, FEWEST_ACCEPTED, FEWEST_WRONG = 5, 3, 2
DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True)
class Places:
    """Where the parts of the packages lie, a folder or file for each problem in each."""

    cases: Path | None
    """None: where cases are looked for when grading."""
    solutions: Path
    submissions: Path


def verify(identifier: str, places: Places, judge: Judge, tell: Callable[[str], None]) -> list[Fault]:
    """Everything that is wrong with the package; ``tell`` hears of each step."""
    problem = load(identifier)
    faults = [*written(problem, places)]
    tell(f"{identifier}: statement, cases and mistakes")
    faults += graded_reference(problem, places, judge)
    tell(f"{identifier}: reference solution")
    try:
        known = known_submissions(places.submissions, identifier)
    except ValueError as error:
        return [*faults, Fault("submissions", f"{error}")]
    faults += covered(problem, known)
    for each in known:
        faults += graded_known(problem, each, judge, places)
    tell(f"{identifier}: {len(known)} known submissions")
    return faults


def written(problem: Problem, places: Places) -> Iterator[Fault]:
    """What can be told without grading."""
    head, text = front_matter(problem.id), statement(problem.id)
    if head.difficulty not in DIFFICULTIES:
        yield Fault("statement.md", f"the difficulty is one of {', '.join(DIFFICULTIES)}, not {head.difficulty}")
    for rule in problem.rules:
        if f"**{rule.id}**" not in text:
            yield Fault("statement.md", f"it does not explain the rule **{rule.id}**")
    if len({rule.id for rule in problem.rules}) < len(problem.rules):
        yield Fault("rules", "two rules have the same id")
    if len({each.id for each in problem.mistakes}) < len(problem.mistakes):
        yield Fault("mistakes", "two mistakes have the same id")
    try:
        cases = load_cases(problem, places.cases)
    except Unusable as error:
        yield Fault("cases", f"{error}")
        return
    if len(cases) < FEWEST_CASES:
        yield Fault("cases", f"{len(cases)} are there; {FEWEST_CASES} are the fewest")
    if all(each.visibility == "public" for each in cases):
        yield Fault("cases", "none is hidden")
    yield from differences(problem, text, cases)
    yield from untold(problem, cases)
    yield from unread(problem, places)


def unread(problem: Problem, places: Places) -> Iterator[Fault]:
    """Files and folders that nobody reads."""
    for each in sorted((cases_root(places.cases) / problem.id).iterdir()):
        if each.suffix != ".json":
            yield Fault(str(each), "nobody reads it: cases are .json files")
    folder = places.submissions / problem.id
    for each in sorted(folder.iterdir()) if folder.is_dir() else ():
        if each.name not in VERDICTS:
            yield Fault(str(each), f"nobody reads it: the folders are {', '.join(VERDICTS)}")


def graded_reference(problem: Problem, places: Places, judge: Judge) -> Iterator[Fault]:
    """The reference solution, over the whole domain: so it and the oracle agree everywhere."""
    path = places.solutions / f"{problem.id}.py"
    try:
        source = path.read_bytes()
    except OSError:
        yield Fault(str(path), "there is no reference solution")
        return
    report = judge.grade(request(problem, source, path, places, quick=False))
    if report.verdict.value != "AC":
        yield Fault(str(path), f"the reference solution is not accepted: {told(report)}")


def covered(problem: Problem, known: tuple[Known, ...]) -> Iterator[Fault]:
    """Are there submissions enough, and does one break each rule alone?"""
    counts = {verdict: sum(each.verdicts[0] == verdict for each in known) for verdict in ("AC", "WA")}
    if counts["AC"] < FEWEST_ACCEPTED:
        yield Fault("submissions/accepted", f"{counts['AC']} are there; {FEWEST_ACCEPTED} are the fewest")
    if counts["WA"] < FEWEST_WRONG:
        yield Fault("submissions/wrong_answer", f"{counts['WA']} are there; {FEWEST_WRONG} are the fewest")
    alone = {each.rule for each in known if each.rule is not None and not each.also}
    for rule in problem.rules:
        if rule.id not in alone:
            yield Fault("submissions/rule_violation", f"none breaks {rule.id} and no other rule")
    ids = {rule.id for rule in problem.rules}
    for each in known:
        for name in sorted({each.rule or "", *each.also} - ids - {""}):
            yield Fault(each.id, f"the problem has no rule {name}")


def graded_known(problem: Problem, known: Known, judge: Judge, places: Places) -> Iterator[Fault]:
    """A known submission gets its verdict, its rule and its line."""
    source = known.path.read_bytes()
    report = judge.grade(request(problem, source, known.path, places, quick=True))
    if report.verdict.value not in known.verdicts or known.verdicts[0] == "AC":
        report = judge.grade(request(problem, source, known.path, places, quick=False))
    if report.verdict.value not in known.verdicts:
        yield Fault(known.id, f"it gets {told(report)}, not {known.verdicts[0]}")
        return
    failed = {each.id for each in report.rules if each.status == "fail"}
    if report.verdict.value == "RV" and known.rule not in failed:
        yield Fault(known.id, f"it does not break {known.rule}, but {', '.join(sorted(failed))}")
    if report.verdict.value == "RV" and failed - {known.rule, *known.also}:
        yield Fault(known.id, f"it breaks {', '.join(sorted(failed - {known.rule or '', *known.also}))} as well")
    lines = {each.line for each in report.findings if known.rule in (None, each.id)}
    if known.lines and not known.lines & lines:
        yield Fault(known.id, f"no finding points at line {min(known.lines)}")
    if known.says is not None and not any(known.says in each.message for each in report.findings):
        yield Fault(known.id, f"no finding says {known.says!r}")


def request(problem: Problem, source: bytes, path: Path, places: Places, *, quick: bool) -> GradeRequest:
    return GradeRequest(
        submission=source, display_name=path.name, problem=problem.id, quick=quick, cases_root=places.cases
    )


def told(report: Report) -> str:
    """The verdict, and the first finding."""
    first = report.findings[0].message if report.findings else "no finding says why"
    return f"{report.verdict.value} ({first})"
