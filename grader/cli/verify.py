"""``grader verify``: prove that the packages of problems are whole."""

from __future__ import annotations

import argparse
from pathlib import Path

import grader
from grader.cli.terminal import emit
from grader.problems import known_id, problem_ids
from grader.report.clean import clean


def verify(options: argparse.Namespace) -> int:
    """Exit status 0 when nothing is wrong, else 2."""
    from grader.supervisor import Judge
    from grader.verify.package import Places
    from grader.verify.package import verify as verify_package

    root = Path(grader.__file__).resolve().parent.parent
    places = Places(
        cases=options.cases,
        solutions=options.solutions or root / "solution",
        submissions=options.submissions or root / "tests" / "submissions",
    )
    wrong = 0
    with Judge() as judge:
        for identifier in [known_id(options.problem)] if options.problem else problem_ids():
            faults = verify_package(identifier, places, judge, lambda text: emit(f"· {text}\n"))
            wrong += len(faults)
            emit("".join(f"{clean(str(each))}\n" for each in faults) or f"{identifier}: verified\n")
    if wrong:
        emit(f"{wrong} {'thing is' if wrong == 1 else 'things are'} wrong\n")
    return 2 if wrong else 0
