"""What can be typed: the commands, their options, and what is said about a mistyped one."""

from __future__ import annotations

import argparse
import importlib
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NoReturn

from grader.cli.terminal import emit
from grader.errors import Unusable
from grader.report.formats import FORMATS, RUN_FORMATS
from grader.suggest import did_you_mean

HELP_SHOWN: Final = argparse.Namespace()
"""What `parse` returns when it has printed what was asked for and there is nothing left to do."""

_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"K": 1 << 10, "M": 1 << 20, "": 1 << 20, "G": 1 << 30, "T": 1 << 40}

Commands = dict[str, argparse.ArgumentParser]


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options, with ``command`` the function to call on them. Raises `Unusable` for wrong usage."""
    parser, commands, case_commands = _parsers()
    chosen: argparse.ArgumentParser = parser
    name = _first_word(arguments)
    if name is not None:
        chosen = _named(name, commands, "command")
        if name == "cases":
            inner = _first_word(arguments[arguments.index(name) + 1 :])
            if inner is not None:
                chosen = _named(inner, case_commands, "command cases")
    try:
        options, left = parser.parse_known_args(arguments)
    except SystemExit:  # --help and --version print and exit
        return HELP_SHOWN
    if left:
        raise Unusable(f"{_unknown(left[0], chosen)} See {chosen.prog} --help.")
    if not hasattr(options, "command"):
        raise Unusable(f"Name a command. {did_you_mean('', case_commands if chosen is not parser else commands)}")
    return options


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, and where to read on."""

    def error(self, message: str) -> NoReturn:
        raise Unusable(f"{message[:1].upper()}{message[1:].rstrip('.')}. See {self.prog} --help.")

    def _print_message(self, message: str, file: object = None) -> None:
        emit(message)


def _first_word(arguments: Sequence[str]) -> str | None:
    return next((each for each in arguments if not each.startswith("-")), None)


def _named(name: str, known: Commands, what: str) -> argparse.ArgumentParser:
    if name not in known:
        raise Unusable(f"There is no {what} {name}. {did_you_mean(name, known)}")
    return known[name]


def _unknown(word: str, parser: argparse.ArgumentParser) -> str:
    if not word.startswith("-") or word == "-":
        return f"{word} is one argument too many."
    options = [each for each in parser._option_string_actions if each.startswith("--")]
    return f"There is no option {word}. {did_you_mean(word.split('=')[0], options)}"


def _call(module: str, function: str) -> Callable[[argparse.Namespace], int]:
    """A command that is imported when it is called."""

    def command(options: argparse.Namespace) -> int:
        status: int = getattr(importlib.import_module(f"grader.cli.{module}"), function)(options)
        return status

    return command


def _parsers() -> tuple[argparse.ArgumentParser, Commands, Commands]:
    parser = _Parser(
        prog="grader",
        description="A judge for JAX programs: is the traced program built right, and are its numbers right?",
        epilog="Exit status: 0 accepted, 1 not accepted, 2 wrong usage or unusable case and problem files, "
        "3 the judge failed.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, help="print the version and exit")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    commands: Commands = {}

    listing = _add(subparsers, commands, "list", "list the problems", "problems", "list_problems")
    _format(listing)
    show = _add(subparsers, commands, "show", "show a problem's statement", "problems", "show")
    show.add_argument("problem", metavar="PROBLEM")

    grade = _add(subparsers, commands, "grade", "judge a submission", "grade", "grade")
    grade.add_argument("file", metavar="FILE", help="the Python file")
    _problem(grade)
    _grading(grade)
    _format(grade, FORMATS)
    _output(grade)
    grade.add_argument(
        "--save-counterexample",
        type=Path,
        metavar="FILE.json",
        help="write the smallest wrong input as a case, for `grader run --input`",
    )

    watch = _add(subparsers, commands, "watch", "judge a submission again whenever it is saved", "watch", "watch")
    watch.add_argument("file", metavar="FILE", help="the Python file")
    _problem(watch)
    _grading(watch)

    run = _add(subparsers, commands, "run", "run a submission on inputs of your own", "run", "run")
    run.add_argument("file", metavar="FILE", help="the Python file")
    run.add_argument(
        "--input",
        required=True,
        metavar="FILE.json",
        help='such as {"inputs": {"x": [[1.0]], ...}}; - for standard input',
    )
    _problem(run)
    _limits(run)
    _format(run, RUN_FORMATS)
    _output(run)

    batch = _add(subparsers, commands, "batch", "judge many submissions", "batch", "batch")
    batch.add_argument("paths", metavar="PATH", nargs="+", help="Python files, folders of them, or patterns")
    _problem(batch)
    _grading(batch)
    batch.add_argument(
        "--results",
        type=Path,
        default=Path("grader-results.sqlite"),
        metavar="FILE",
        help="keep what is found there, and judge nothing again that is in it (default: %(default)s)",
    )
    batch.add_argument("--again", action="store_true", help="judge all of these again")
    batch.add_argument("--workers", type=_count, metavar="N", help="how many to judge at a time (default: one a core)")
    batch.add_argument("--dask", metavar="ADDRESS", help="judge on a Dask cluster, such as tcp://host:8786")
    batch.add_argument("--csv", type=Path, metavar="FILE", help="write a table for spreadsheets")
    batch.add_argument("--jsonl", type=Path, metavar="FILE", help="write the JSON reports, one a line")
    batch.add_argument("--html", type=Path, metavar="FOLDER", help="write a page with a table, and one a report")
    batch.add_argument("--gradescope", type=Path, metavar="FOLDER", help="write Gradescope's results for each")
    _format(batch)

    verify = _add(subparsers, commands, "verify", "prove that a problem's package is whole", "verify", "verify")
    verify.add_argument("problem", metavar="PROBLEM", nargs="?", help="default: all problems")
    _cases_root(verify)
    verify.add_argument("--solutions", type=Path, metavar="DIR", help="the folder of reference solutions")
    verify.add_argument("--submissions", type=Path, metavar="DIR", help="the folder of known submissions")

    cases = _add(subparsers, commands, "cases", "check, add and describe the cases of a problem")
    doctor = _add(subparsers, commands, "doctor", "say what grading will find on this machine", "doctor", "doctor")
    _format(doctor)
    return parser, commands, _case_commands(cases)


def _case_commands(cases: argparse.ArgumentParser) -> Commands:
    subparsers = cases.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    commands: Commands = {}
    check = _add(subparsers, commands, "check", "say everything that is wrong with the cases", "cases", "check")
    check.add_argument("problem", metavar="PROBLEM", nargs="?", help="default: all problems")
    _cases_root(check)

    add = _add(subparsers, commands, "add", "write a new case", "cases", "add")
    add.add_argument("problem", metavar="PROBLEM")
    add.add_argument("--name", required=True, help="the new case's name")
    add.add_argument(
        "--from",
        dest="source",
        required=True,
        metavar="FILE",
        help='JSON such as {"inputs": {"x": [[1.0]], ...}}; - for standard input',
    )
    add.add_argument("--description", metavar="TEXT", help="what the case is there for")
    add.add_argument(
        "--hidden", dest="visibility", action="store_const", const="hidden", help="do not show it to learners"
    )
    _cases_root(add)

    schema = _add(subparsers, commands, "schema", "print a JSON Schema of cases, for editors", "cases", "schema")
    schema.add_argument("problem", metavar="PROBLEM")
    return commands


def _add(
    subparsers: argparse._SubParsersAction[_Parser],
    commands: Commands,
    name: str,
    summary: str,
    module: str | None = None,
    function: str = "",
) -> argparse.ArgumentParser:
    """A command; without ``module`` it has commands of its own."""
    description = f"{summary[:1].upper()}{summary[1:]}."
    made = subparsers.add_parser(name, help=summary, description=description, allow_abbrev=False)
    if module is not None:
        made.set_defaults(command=_call(module, function))
    commands[name] = made
    return made


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        emit(f"grader {version('grader')}\n")
        parser.exit()


def _problem(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--problem", metavar="ID", help="which problem it solves (default: told by the function that it defines)"
    )


def _grading(parser: argparse.ArgumentParser) -> None:
    """How to judge."""
    parser.add_argument("--quick", action="store_true", help="judge a sample of the shapes only")
    parser.add_argument("--examples", type=_count, metavar="N", help="how many generated inputs to try")
    parser.add_argument(
        "--case", action="append", default=[], metavar="NAME", help="judge on this case only (may be repeated)"
    )
    _cases_root(parser)
    _limits(parser)
    parser.add_argument("--seed", type=_count, default=0, metavar="N", help="of the generated inputs (default: 0)")
    parser.add_argument(
        "--require-sandbox", action="store_true", help="refuse to judge when a layer of the sandbox is missing"
    )


def _cases_root(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cases",
        type=Path,
        metavar="DIR",
        help="the folder that holds a folder of cases for each problem (default: $GRADER_CASES, else the checkout's)",
    )


def _limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--time-limit", type=_seconds, metavar="SECONDS", help="for loading and tracing")
    parser.add_argument("--memory-limit", type=_bytes, metavar="SIZE", help="such as 512M or 2G (no unit: MiB)")


def _format(parser: argparse.ArgumentParser, formats: Sequence[str] = ("text", "json")) -> None:
    parser.add_argument(
        "--format", choices=formats, default="text", metavar="FORMAT", help=f"{', '.join(formats)} (default: text)"
    )


def _output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the report there")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, found {text}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 86_400:
        raise argparse.ArgumentTypeError(f"expected seconds, more than 0 and at most a day, found {text}")
    return seconds


def _bytes(text: str) -> int:
    match = _MEMORY.fullmatch(text.strip())
    size = int(float(match[1]) * _UNITS[match[2].upper()]) if match else 0
    if not 0 < size < 1 << 50:
        raise argparse.ArgumentTypeError(f"expected a size such as 512M or 2G, found {text}")
    return size
