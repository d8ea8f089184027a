"""Loads a submission from its bytes, as a module of its own.

In: the file's bytes and the name to call it by. Out: the module, or why there is none, as `Failed`. The file
is compiled from its bytes, so that Python itself reads its encoding; nothing is read from disk. The module is
called ``submission`` (so that what stands under ``if __name__ == "__main__"`` is not run) and is known to
`sys.modules` and `linecache`: dataclasses, pickling and `inspect.getsource` work in it.
"""

from __future__ import annotations

import importlib.util
import linecache
import sys
from types import CodeType, ModuleType

import msgspec

from grader.tracer.explain import bounded, explain
from grader.tracer.messages import Failed, TraceError
from grader.tracer.places import Places

MODULE = "submission"


def load(source: bytes, places: Places) -> ModuleType | Failed:
    """The module that the bytes define, run; its code's filename is ``places.filename``."""
    code = compiled(source, places.filename)
    if isinstance(code, Failed):
        return code
    remember_lines(source, places.filename)
    module = ModuleType(MODULE)
    module.__file__ = places.filename
    sys.modules[MODULE] = module
    sys.argv = [places.filename]  # argparse finds no arguments
    try:
        exec(code, module.__dict__)
    except BaseException as error:
        return not_run(error, places)
    return module


def compiled(source: bytes, filename: str) -> CodeType | Failed:
    try:
        return compile(source, filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        if unreadable(error):
            return no_text(f"The file cannot be read as Python text: {error.msg}.")
        return Failed(
            "load",
            "syntax",
            TraceError(
                kind="exception",
                type=type(error).__name__,
                message=bounded(error.msg or "invalid syntax"),
                line=error.lineno if error.lineno and error.lineno > 0 else None,
                column=error.offset if error.offset and error.offset > 0 else None,
            ),
        )
    except (ValueError, UnicodeError, LookupError) as error:
        return no_text(f"The file cannot be read as Python text: {error}.")
    except (RecursionError, MemoryError, OverflowError):
        return no_text("The file is nested too deeply to be read as Python.", "Write shorter expressions.")


def unreadable(error: SyntaxError) -> bool:
    """Whether it is the bytes that Python cannot read, rather than what is written in them."""
    message = error.msg or ""
    if "unicodeescape" in message:  # such as "\U" in a string
        return False
    signs = ("codec can't decode", "encoding problem", "unknown encoding", "null byte", "Non-UTF-8", "with BOM")
    return not error.lineno or any(sign in message for sign in signs)


def no_text(message: str, help: str = "Save the file as plain UTF-8 text.") -> Failed:
    return Failed(
        "load", "source", TraceError(kind="exception", type="SyntaxError", message=bounded(message), help=help)
    )


def remember_lines(source: bytes, filename: str) -> None:
    """Let tracebacks and `inspect` find the lines although there may be no such file."""
    try:
        text = importlib.util.decode_source(source)
    except (SyntaxError, ValueError, LookupError):
        return
    linecache.cache[filename] = (len(source), None, text.splitlines(keepends=True), filename)


def not_run(error: BaseException, places: Places) -> Failed:
    found = explain(error, places)
    if isinstance(error, SystemExit):
        message = bounded(f"The file calls {found.message} while it is loaded.")
        return Failed("load", "exit", msgspec.structs.replace(found, message=message))
    if isinstance(error, ImportError):
        return Failed("load", "import", found)
    return Failed("load", "exception", found)
