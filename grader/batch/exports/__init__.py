"""Results in the forms that other programs and people read, one module a form.

Comes in: a results file. Goes out: one file (``csv``, ``jsonl``) or a folder (``html``, ``gradescope``),
written submission by submission, so that memory does not grow with their number.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from grader.batch.results import Results

EXPORTS: Final = {"csv": "FILE", "jsonl": "FILE", "html": "FOLDER", "gradescope": "FOLDER"}
"""The forms by name, and what each writes."""


def export(form: str, results: Results, target: Path) -> None:
    """Write all results in one of `EXPORTS`. Raises `Unusable` when ``target`` cannot be written."""
    write: Callable[[Results, Path], None] = importlib.import_module(f"{__name__}.{form}").export
    write(results, target)
