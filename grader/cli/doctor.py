"""``grader doctor``: what grading will find on this machine."""

from __future__ import annotations

import argparse

import msgspec

from grader.cli.terminal import emit, look
from grader.doctor import diagnose, render_text
from grader.report.clean import clean, cleaned


def doctor(options: argparse.Namespace) -> int:
    """Exit status 0 where grading works, with or without every layer of the sandbox; else 3."""
    diagnosis = diagnose()
    if options.format == "json":
        data = {**msgspec.to_builtins(diagnosis), "healthy": diagnosis.healthy, "jailed": diagnosis.jailed}
        emit(msgspec.json.encode(cleaned(data)) + b"\n")
    else:
        emit(clean(render_text(diagnosis), lines=True), unicode=look().unicode)
    return 0 if diagnosis.healthy else 3
