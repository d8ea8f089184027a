"""What ``grade`` and ``run`` have in common: reading the file, and delivering the report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from grader.cli.terminal import check_writable, emit, look, say, write_whole
from grader.errors import Unusable
from grader.regular_file import Unreadable, read_regular_file
from grader.report import formats
from grader.report.model import Report, RunReport
from grader.report.page import Look
from grader.request import Limits

MOST_INPUT_BYTES = 4 << 20


def prepare(options: argparse.Namespace) -> None:
    """Find out before the work whether its report can be delivered. Raises `Unusable`."""
    if options.output is not None:
        check_writable(options.output)


def limits(options: argparse.Namespace) -> Limits:
    return Limits(seconds=options.time_limit, bytes=options.memory_limit)


def read_input(name: str) -> bytes:
    """The bytes of a JSON file, or of standard input for ``-``. Raises `Unusable`."""
    if name == "-":
        data = sys.stdin.buffer.read(MOST_INPUT_BYTES + 1) if sys.stdin is not None else b""
        if len(data) > MOST_INPUT_BYTES:
            raise Unusable("Standard input is larger than 4 MiB.")
        return data
    try:
        return read_regular_file(name, MOST_INPUT_BYTES)
    except Unreadable as error:
        raise Unusable(f"{name} cannot be read: {error.reason}.") from error


def deliver(
    options: argparse.Namespace,
    report: Report | RunReport,
    source: bytes | None,
    headline: str,
    as_text: Callable[[Look], str],
) -> None:
    """Write the report where it was asked for and as it was asked for."""
    if options.output is not None:
        write_whole(options.output, formats.render(options.format, report, source))
        say(f"{headline}. The report is in {options.output}.")
    elif options.format == "text":
        seen = look()
        emit(as_text(seen), unicode=seen.unicode)
    else:
        emit(formats.render(options.format, report, source))
