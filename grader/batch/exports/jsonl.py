"""One JSON report a line; a line with ``reason`` for what was not judged."""

from __future__ import annotations

from pathlib import Path

import msgspec

from grader.batch.exports.judged import judged
from grader.batch.exports.writing import written
from grader.batch.results import Results
from grader.report.json import render


def export(results: Results, target: Path) -> None:
    with written(target) as file:
        for each in judged(results):
            if each.report is not None:
                file.write(render(each.report))
            else:
                row = {"version": 1, "verdict": None, "submission": each.name, "reason": each.reason}
                file.write(msgspec.json.encode(row) + b"\n")
