"""A report as GitHub workflow commands: an annotation at the line of each finding.

Comes in: a report and the submission's bytes. Goes out: lines for a workflow step's standard output,
``::error file=…,line=…,title=…::message``. A finding is one line whatever its texts hold: what would end a
command or start another is escaped as the runner undoes it (``%0A``).
"""

from __future__ import annotations

from grader.report.clean import clean
from grader.report.learner import for_learners
from grader.report.model import Finding, Report, Verdict
from grader.report.region import region
from grader.report.text import names, sizes


def render(report: Report, source: bytes | None = None) -> bytes:
    report = for_learners(report)
    verdict = f"{report.verdict.words} ({report.verdict.value})"
    lines = [_annotation(each, report.submission, source) for each in report.findings]
    if report.verdict is Verdict.AC:
        lines.append(
            _command(
                "notice", {"file": report.submission, "title": verdict}, "Every rule holds, and every number is right."
            )
        )
    elif not lines:
        lines.append(_command("error", {"file": report.submission, "title": verdict}, verdict))
    return "".join(f"{line}\n" for line in lines).encode()


def _annotation(finding: Finding, submission: str, source: bytes | None) -> str:
    where: dict[str, str] = {"file": submission}
    at = region(finding, source)
    if at is not None:
        where["line"] = str(at.line)
        if at.end_line is not None and at.end_line > at.line:
            where["endLine"] = str(at.end_line)  # columns are for one line only
        elif at.column is not None:
            where["col"] = str(at.column)
            if at.end_column is not None:
                where["endColumn"] = str(at.end_column)
    where["title"] = f"{finding.verdict.words} ({finding.verdict.value}): {finding.id}"
    parts = [finding.message]
    if finding.shape:
        parts.append(f"Found at {sizes(finding.shape)}.")
    if finding.cases:
        parts.append(f"Cases that show it: {names(finding.cases)}")
    parts += [f"Line {each.line}: {each.note}" for each in finding.also]
    if finding.help:
        parts.append(f"→ {finding.help}")
    return _command("error", where, "\n".join(parts))


def _command(name: str, properties: dict[str, str], message: str) -> str:
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(clean(message, lines=True))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(clean(text)).replace(":", "%3A").replace(",", "%2C")
