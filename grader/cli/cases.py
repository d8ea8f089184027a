"""``grader cases check``, ``add`` and ``schema``."""

from __future__ import annotations

import argparse
import json

from grader.cases import CaseError, load_cases
from grader.cases.add import add as add_case
from grader.cases.folder import shown
from grader.cases.schema import schema as case_schema
from grader.cli.reports import read_input
from grader.cli.terminal import emit
from grader.problems import load, problem_ids
from grader.report.clean import clean


def check(options: argparse.Namespace) -> int:
    """Say everything that is wrong with the cases of one problem or all: exit status 2 when something is."""
    wrong = 0
    for identifier in [options.problem] if options.problem else problem_ids():
        problem = load(identifier)
        try:
            cases = load_cases(problem, options.cases)
        except CaseError as error:
            wrong += len(error.issues)
            emit("".join(f"{clean(str(issue))}\n" for issue in error.issues))
        else:
            hidden = sum(each.visibility == "hidden" for each in cases)
            emit(f"{problem.id}: {len(cases)} cases ({hidden} hidden), all right\n")
    if wrong:
        emit(f"{wrong} {'thing is' if wrong == 1 else 'things are'} wrong\n")
    return 2 if wrong else 0


def add(options: argparse.Namespace) -> int:
    problem = load(options.problem)
    path = add_case(
        problem,
        options.name,
        read_input(options.source),
        "standard input" if options.source == "-" else options.source,
        root=options.cases,
        description=options.description,
        visibility=options.visibility,
    )
    emit(f"Wrote {clean(shown(path))}\n")
    return 0


def schema(options: argparse.Namespace) -> int:
    emit(json.dumps(case_schema(load(options.problem)), indent=2) + "\n")
    return 0
