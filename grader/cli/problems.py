"""``grader list`` and ``grader show``."""

from __future__ import annotations

import argparse
import sys

from grader.cli.terminal import emit, look, shows_unicode
from grader.problems import front_matter, known_id, problem_ids, statement


def list_problems(options: argparse.Namespace) -> int:
    import os

    problems = {each: front_matter(each) for each in problem_ids()}
    if options.format == "json":
        import msgspec

        rows = [{"id": each, **msgspec.structs.asdict(head)} for each, head in problems.items()]
        emit(msgspec.json.encode(rows) + b"\n")
        return 0
    widest = max(map(len, problems), default=0)
    difficulty = max((len(head.difficulty) for head in problems.values()), default=0)
    text = "".join(
        f"{each:<{widest}}  {head.difficulty:<{difficulty}}  {head.title}\n" for each, head in problems.items()
    )
    emit(text, unicode=shows_unicode(os.environ, getattr(sys.stdout, "encoding", None)))
    return 0


def show(options: argparse.Namespace) -> int:
    """The statement: set for a terminal, or as Markdown when it goes elsewhere."""
    identifier = known_id(options.problem)
    head = front_matter(identifier)
    text = f"# {head.title}\n\n{identifier} · {head.difficulty} · {head.topic}\n\n{statement(identifier)}"
    if sys.stdout is None or not sys.stdout.isatty():
        emit(text)
        return 0
    import io

    from rich.console import Console
    from rich.markdown import Markdown

    seen = look()
    file = io.StringIO()
    console = Console(
        file=file,
        width=seen.width,
        force_terminal=True,
        color_system="standard" if seen.color else None,
        no_color=not seen.color,
        legacy_windows=False,
        force_jupyter=False,
    )
    console.print(Markdown(text))
    emit(file.getvalue(), unicode=seen.unicode)
    return 0
