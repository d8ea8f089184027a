"""What comes of a submission's bytes: a module, or one sentence with the line."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import sys
from types import ModuleType
from typing import Any

import pytest

from grader.tracer.entry_point import choose
from grader.tracer.load import load
from grader.tracer.messages import Candidate, Failed
from grader.tracer.places import Places

NAME = "mine.py"


def loaded(source: str | bytes) -> ModuleType:
    module = load(source.encode() if isinstance(source, str) else source, Places(NAME))
    assert isinstance(module, ModuleType), module
    return module


def failure(source: str | bytes) -> Failed:
    failed = load(source.encode() if isinstance(source, str) else source, Places(NAME))
    assert isinstance(failed, Failed)
    assert failed.stage == "load"
    return failed


# ── loading ──────────────────────────────────────────────────────────────────────────────────────


def test_the_module_knows_itself() -> None:
    module = loaded("""
import dataclasses, inspect, pickle

@dataclasses.dataclass
class Point:
    x: "int"

def source():
    return inspect.getsource(source)

copy = pickle.loads(pickle.dumps(Point(3)))
""")
    assert module.__name__ == "submission"
    assert module.__file__ == NAME
    assert sys.modules["submission"] is module
    assert module.copy == module.Point(3)
    assert dataclasses.is_dataclass(module.Point)
    assert module.source() == "def source():\n    return inspect.getsource(source)\n"
    assert inspect.getsource(module.Point).startswith("@dataclasses.dataclass")
    assert pickle.loads(pickle.dumps(module.Point(4))).x == 4


def test_what_is_for_running_it_alone_is_not_run() -> None:
    assert not hasattr(loaded('if __name__ == "__main__":\n    ran = True\n'), "ran")


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbfword = 'gr\xc3\xbc\xc3\x9fe'\n",
        b"# -*- coding: latin-1 -*-\nword = 'gr\xfc\xdfe'\n",
        b"#!/usr/bin/env python\n# coding: cp1252\nword = 'gr\xfc\xdfe'\n",
        b"word = 'gr\xc3\xbc\xc3\x9fe'\r\n",
        b"# coding: utf-7\nword = 'gr+APwA3w-e'\n",
    ],
    ids=["mark", "latin-1", "cp1252 in line 2", "carriage returns", "utf-7"],
)
def test_python_reads_the_encoding(source: bytes) -> None:
    assert loaded(source).word == "grüße"


@pytest.mark.parametrize(
    "source",
    [
        b"x = 1\0\n",
        b"\x89PNG\r\n\x1a\n\0\0",
        b"word = 'gr\xfc\xdfe'\n",
        b"# coding: no-such-encoding\n",
        b"# coding: rot13\n",
        "x = 1\n".encode("utf-16"),
        b"# coding: undefined\n",
        b"\xef\xbb\xbf# coding: latin-1\n",
    ],
    ids=["null", "picture", "not UTF-8", "unknown cookie", "rot13", "UTF-16", "undefined", "mark against cookie"],
)
def test_what_is_no_text(source: bytes) -> None:
    failed = failure(source)
    assert failed.kind == "source"
    assert failed.error.message.startswith("The file cannot be read as Python text: ")
    assert failed.error.help == "Save the file as plain UTF-8 text."


def test_a_syntax_error_has_its_place() -> None:
    failed = failure("x = 1\ny = (2,\nz = 3 3\n")
    assert failed.kind == "syntax"
    assert failed.error.type == "SyntaxError"
    assert failed.error.line in (2, 3)
    assert failed.error.column is not None
    indented = failure("def f():\nreturn 1\n")
    assert (indented.error.type, indented.error.line) == ("IndentationError", 2)
    assert indented.error.message == "expected an indented block after function definition on line 1"
    escape = failure("x = 1\npath = 'C:\\Users'\n")
    assert (escape.kind, escape.error.line) == ("syntax", 2)
    assert failure("return 1\n").error.message == "'return' outside function"


def test_nesting_without_end() -> None:
    failed = failure("x = " + "(" * 10_000 + ")" * 10_000)
    assert failed.kind in ("syntax", "source")
    assert failure("x = " + "-" * 200_000 + "1").kind == "source"


def test_a_missing_package() -> None:
    failed = failure("import numpy\nimport no_such_package\n")
    assert failed.kind == "import"
    assert failed.error.type == "ModuleNotFoundError"
    assert failed.error.message == "No module named 'no_such_package'"
    assert failed.error.line == 2
    assert failed.error.help == (
        "A submission is one file; it can import Python's standard library, JAX, NumPy and what they need."
    )


def test_a_missing_name() -> None:
    failed = failure("from jax import no_such_name\n")
    assert failed.kind == "import"
    assert failed.error.message == "cannot import name 'no_such_name' from 'jax'"
    assert failed.error.help is not None
    assert failed.error.help.startswith("The module has no such name in the version that is installed here (JAX ")


def test_an_exception_while_loading() -> None:
    failed = failure("def f():\n    return {}['key']\n\nf()\n")
    assert failed.kind == "exception"
    assert (failed.error.type, failed.error.message) == ("KeyError", "'key'")
    assert (failed.error.line, failed.error.column) == (2, 12)


@pytest.mark.parametrize(
    ("call", "message"),
    [("sys.exit()", "sys.exit()"), ("sys.exit(3)", "sys.exit(3)"), ("raise SystemExit('no')", "sys.exit('no')")],
)
def test_leaving(call: str, message: str) -> None:
    failed = failure(f"import sys\n{call}\n")
    assert failed.kind == "exit"
    assert failed.error.message == f"The file calls {message} while it is loaded."
    assert (failed.error.type, failed.error.line) == ("SystemExit", 2)
    assert failed.error.help == "The function must return its result; it may not end the process."


def test_exceptions_that_fight_back() -> None:
    failed = failure("""
class Odd(BaseException):
    def __str__(self):
        raise Odd
raise Odd
""")
    assert failed.kind == "exception"
    assert failed.error.type == "Odd"
    assert failed.error.message == "(its text cannot be had: Odd)"
    long = failure("raise ValueError('x' * 10**6 + chr(0xd800))")
    assert len(long.error.message) == 4_000


# ── the entry function ───────────────────────────────────────────────────────────────────────────


def candidate(entry: str, *parameters: str) -> Candidate:
    return Candidate(problem=entry, entry=entry, parameters=parameters, requests=())


SCALE = candidate("scale", "x", "factor")


def chosen(source: str, *candidates: Candidate) -> Any:
    return choose(loaded(source), candidates or (SCALE,), NAME)


@pytest.mark.parametrize(
    "source",
    [
        "def scale(x, factor): ...",
        "def scale(x, factor, axis=0, *, key=None): ...",
        "def scale(x, factor, /): ...",
        "def scale(*arrays): ...",
        "def scale(x, *rest): ...",
        "def scale(x, factor, **more): ...",
        "scale = lambda x, factor: x",
        "import jax\n@jax.jit\ndef scale(x, factor): ...",
        "import functools\nscale = functools.partial(lambda y, x, factor: x, 3)",
        "import functools\nscale = functools.partial(lambda x, factor, y: x, y=3)",
        "import functools\ndef timed(f):\n    @functools.wraps(f)\n    def inner(*a, **k): return f(*a, **k)\n"
        "    return inner\n@timed\ndef scale(x, factor): ...",
        "import functools\ndef other(a): ...\n@functools.wraps(other)\ndef scale(x, factor): ...",
        "class Scale:\n    def __call__(self, x, factor): ...\nscale = Scale()",
        "class Scale:\n    def both(self, x, factor): ...\nscale = Scale().both",
        "class Scale:\n    @staticmethod\n    def both(x, factor): ...\nscale = Scale.both",
        "def scale(x, factor): ...\nscale.__signature__ = 'a lie'",
        "import inspect\ndef scale(x, factor): ...\nscale.__signature__ = inspect.Signature()",
        "scale = max",
        "def scale(x: 'no such type', factor: 3 = 4): ...",
    ],
)
def test_functions_that_take_the_parameters(source: str) -> None:
    found, entry = chosen(source)
    assert found is SCALE
    assert callable(entry)


@pytest.mark.parametrize(
    ("source", "message", "line"),
    [
        ("def scale(factor, x): ...", "scale takes (factor, x); the problem calls scale(x, factor).", 1),
        ("def scale(x): ...", "scale takes (x); the problem calls scale(x, factor).", 1),
        ("def scale(x, k): ...", "scale takes (x, k); the problem calls scale(x, factor).", 1),
        ("def scale(x, factor, k): ...", "scale takes (x, factor, k); the problem calls scale(x, factor).", 1),
        ("def scale(x, *, factor): ...", "scale takes (x, factor); the problem calls scale(x, factor).", 1),
        ("def scale(k, *rest): ...", "scale takes (k, *rest); the problem calls scale(x, factor).", 1),
        ("def scale(): ...", "scale takes (); the problem calls scale(x, factor).", 1),
        ("import jax\n\n@jax.jit\ndef scale(a, b): ...", "scale takes (a, b); the problem calls scale(x, factor).", 4),
    ],
)
def test_functions_that_take_others(source: str, message: str, line: int | None) -> None:
    failed = chosen(source)
    assert isinstance(failed, Failed)
    assert (failed.stage, failed.kind) == ("entry", "parameters")
    assert failed.error.message == message
    assert failed.error.line == line
    assert failed.error.help == "Give the function these parameters, by these names and in this order."


def test_no_function() -> None:
    failed = chosen("x = 1")
    assert (failed.stage, failed.kind) == ("choose", "missing")
    assert failed.error.message == "The file defines no function scale."
    assert failed.error.help == "Define scale."
    near = chosen("def scales(x, factor): ...")
    assert near.error.help == "It defines scales: rename it to scale."
    many = chosen("", SCALE, candidate("shift", "x"))
    assert many.error.message == "The file defines no function that a problem asks for."
    assert many.error.help == "A problem's function is one of: scale, shift."


def test_not_a_function() -> None:
    failed = chosen("scale = 3")
    assert (failed.stage, failed.kind) == ("entry", "not-callable")
    assert failed.error.message == "scale is not a function but an object of type int."


def test_several_functions() -> None:
    failed = chosen("def scale(x, factor): ...\ndef shift(x): ...", SCALE, candidate("shift", "x"))
    assert (failed.stage, failed.kind) == ("choose", "several")
    assert failed.error.message == (
        "The file defines the functions of several problems (scale, shift); say which one is meant with --problem."
    )
    found, _ = chosen("def scale(x, factor): ...\ndef shift(x): ...", candidate("shift", "x"))
    assert found.problem == "shift"
