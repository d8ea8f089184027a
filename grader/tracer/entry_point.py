"""Which problem a loaded submission is for, and whether its function takes what the problem gives.

A problem asks for a function by name, with parameters by name. In: the module and the candidates. Out: the
candidate and its function, or `Failed`.
"""

from __future__ import annotations

import difflib
import inspect
import linecache
import re
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

from grader.tracer.explain import bounded
from grader.tracer.messages import HELP_LENGTH, Candidate, Failed, TraceError
from grader.tracer.params import text

Entry = Callable[..., Any]


def choose(module: ModuleType, candidates: Sequence[Candidate], filename: str) -> tuple[Candidate, Entry] | Failed:
    """The one candidate whose function the module defines, and the function."""
    defined = vars(module)
    found = [each for each in candidates if callable(defined.get(each.entry))]
    if len(found) > 1:
        names = ", ".join(each.entry for each in found)
        return failed(
            "choose",
            "several",
            f"The file defines the functions of several problems ({names}); say which one is meant with --problem.",
        )
    if not found:
        return missing(defined, candidates)
    [candidate] = found
    entry: Entry = defined[candidate.entry]
    wrong = wrong_parameters(entry, candidate.parameters)
    if wrong is not None:
        wanted = f"{candidate.entry}({', '.join(candidate.parameters)})"
        return failed(
            "entry",
            "parameters",
            f"{candidate.entry} {wrong}; the problem calls {wanted}.",
            "Give the function these parameters, by these names and in this order.",
            definition_line(entry, candidate.entry, filename),
        )
    return candidate, entry


def missing(defined: dict[str, Any], candidates: Sequence[Candidate]) -> Failed:
    wanted = [each.entry for each in candidates]
    for name in wanted:
        if name in defined:
            kind = type(defined[name]).__name__
            return failed(
                "entry",
                "not-callable",
                f"{name} is not a function but an object of type {kind}.",
                f"Define it with def {name}(...).",
            )
    functions = [name for name, value in defined.items() if isinstance(value, FunctionType) and name.isprintable()]
    if len(wanted) == 1:
        message = f"The file defines no function {wanted[0]}."
    else:
        message = "The file defines no function that a problem asks for."
    near = [(name, close) for name in wanted for close in difflib.get_close_matches(name, functions, 1, 0.75)]
    if near:
        name, close = near[0]
        help = f"It defines {close}: rename it to {name}."
    else:
        help = f"Define {wanted[0]}." if len(wanted) == 1 else f"A problem's function is one of: {', '.join(wanted)}."
    return failed("choose", "missing", message, help)


def failed(stage: Any, kind: Any, message: str, help: str | None = None, line: int | None = None) -> Failed:
    return Failed(
        stage,
        kind,
        TraceError(
            kind="exception",
            type="TypeError" if stage == "entry" else "NameError",
            message=bounded(message),
            line=line,
            help=None if help is None else text(help, HELP_LENGTH),
        ),
    )


def wrong_parameters(entry: Entry, wanted: Sequence[str]) -> str | None:
    """Why the function cannot be called with just these parameters by position, as "takes ..."; None: it can.

    A function whose signature cannot be read is given the benefit of the doubt: calling it will tell.
    """
    try:
        signature = inspect.signature(entry)
    except (ValueError, TypeError, AttributeError, RecursionError, NameError):
        return None
    reason = misfit(list(signature.parameters.values()), wanted)
    if reason is not None and isinstance(entry, FunctionType):
        own = own_parameters(entry.__code__)  # what decorators say of a function may be out of date
        if own is not None and misfit(own, wanted) is None:
            return None
    return reason


def misfit(parameters: Sequence[inspect.Parameter], wanted: Sequence[str]) -> str | None:
    taken = f"takes ({', '.join(text(str(each.replace(annotation=inspect.Parameter.empty))) for each in parameters)})"
    by_position = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    names = [each.name for each in by_position]
    rest = any(each.kind == each.VAR_POSITIONAL for each in parameters)
    if names[: len(wanted)] != list(wanted)[: len(names)] or (len(names) < len(wanted) and not rest):
        return taken
    extra = by_position[len(wanted) :] + [each for each in parameters if each.kind == each.KEYWORD_ONLY]
    if any(each.default is each.empty for each in extra):
        return taken
    return None


def own_parameters(code: CodeType) -> list[inspect.Parameter] | None:
    """The parameters in a function's code; None where it takes more than named ones by position."""
    if code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        return None
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [inspect.Parameter(name, kind) for name in code.co_varnames[: code.co_argcount] if name.isidentifier()]


def definition_line(entry: Entry, name: str, filename: str) -> int | None:
    """The line of the function's ``def``, where it can be found."""
    try:
        code = inspect.unwrap(entry).__code__
    except (ValueError, AttributeError):
        return None
    if not isinstance(code, CodeType) or code.co_filename != filename:
        return None
    definition = re.compile(rf"\s*(async\s+)?def\s+{re.escape(name)}\b")
    for line in range(code.co_firstlineno, code.co_firstlineno + 50):  # decorators come first
        if definition.match(linecache.getline(filename, line)):
            return line
    return max(code.co_firstlineno, 1)
