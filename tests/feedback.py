"""What is said to learners, collected in docs/feedback.md from the known submissions.

    make feedback

grades them all and writes the page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "feedback.md"

HEADING = """# Messages

Everything that the judge says of a submission, each with one that it is said of. Made by `make feedback` from the
known submissions. Messages that Python or JAX wrote are left out: they are passed on as they are.
"""
FOREIGN = ("exception", "syntax", "import", "stays-traced")
"""Findings whose message is Python's or JAX's own."""

_VARIES = re.compile(r"\\(|\\)|[-+]?[0-9][0-9.,e+-]*|nan|inf|'[^']*'|\"[^\"]*\"")


def template(message: str) -> str:
    """A message without what differs from program to program: numbers, shapes, quoted names."""
    return re.sub(r"\W+", " ", _VARIES.sub("#", message)).strip()


def said(findings: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The findings whose messages are the judge's own words."""
    return [each for each in findings if each["id"] not in FOREIGN]


def page(reports: Iterable[tuple[str, dict[str, Any]]]) -> str:
    """The page, from (submission, report) pairs."""
    sections: dict[str, dict[str, tuple[str, str | None, str]]] = {}
    for name, report in reports:
        for each in said(report["findings"]):
            message = " ".join(each["message"].split())
            sections.setdefault(each["id"], {}).setdefault(template(message), (message, each["help"], name))
    lines = [HEADING]
    for identifier in sorted(sections):
        lines.append(f"## {identifier}\n")
        for message, help, name in sections[identifier].values():
            lines.append(f"> {message}\n")
            if help:
                lines.append(f"{' '.join(help.split())}\n")
            lines.append(f"Said of `{name}`.\n")
    return "\n".join(lines)


def main() -> None:
    from grader.report.json import render
    from grader.request import GradeRequest, Limits
    from grader.submission_file import read_submission
    from grader.supervisor import Judge
    from tests.known import known_submissions

    def reports() -> Iterable[tuple[str, dict[str, Any]]]:
        import json

        with Judge() as judge:
            for known in known_submissions():
                source = read_submission(known.path)
                if known.verdicts[0] == "AC" or not isinstance(source, bytes):
                    continue
                name = str(known.path.relative_to(ROOT / "tests" / "submissions"))
                limits = Limits(seconds=4.0) if known.verdicts[0] == "TLE" else Limits()
                for quick in (True, False):
                    report = judge.grade(GradeRequest(submission=source, display_name=name, quick=quick, limits=limits))
                    if report.verdict.value in known.verdicts:
                        break
                yield name, json.loads(render(report))

    PAGE.write_text(page(reports()))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
