"""Gradescope's ``results.json`` for each submission, under the path that the submission has."""

from __future__ import annotations

import os
from pathlib import Path

from grader.batch.exports.judged import Judged, judged, source_of
from grader.batch.exports.writing import folder, written
from grader.batch.results import Results
from grader.report.gradescope import render


def export(results: Results, target: Path) -> None:
    folder(target)
    for each in judged(results):
        if each.report is not None:
            path = target / place(each)
            folder(path.parent)
            with written(path) as file:
                file.write(render(each.report, source_of(each)))


def place(each: Judged) -> Path:
    """``course/ada/mine.py`` for the submission of that name; nothing leads out of the folder."""
    parts = [part for part in os.fsdecode(each.entry.name).split("/") if part not in ("", ".", "..")]
    return Path(*parts[:-1], f"{parts[-1]}.json")
