"""An exception from the submission as a `TraceError`: what it was, where, and what to do about it.

The exception's own text is kept; what to do is looked up in `grader.tracer.advice`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from types import TracebackType
from typing import Literal

import jax

from grader.program.types import Source
from grader.tracer.advice import advice
from grader.tracer.errors import Leaked, TooLarge, Unsupported
from grader.tracer.messages import MESSAGE_LENGTH, NAME_LENGTH, TraceError
from grader.tracer.params import text
from grader.tracer.places import Places
from grader.tracer.versions import JAX_FOLDER

CONCRETISATIONS: tuple[type[Exception], ...] = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerBoolConversionError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)

# Plain exceptions that JAX raises when a traced array of any size is to become a Python value, a size or a slice.
PLAIN_CONCRETISATION = re.compile(
    r"The truth value of an (empty )?array"
    r"|Only (integer )?scalar arrays can be converted to"
    r"|Shapes must be 1D sequences of concrete values"
    r"|Slice entries must be static integers"
    r"|Array slice indices must have static start/stop/step"
)


TOO_LARGE = (
    "Write loops over array elements as array operations, or as jax.lax.scan or fori_loop, and make no large arrays."
)


def show_all_frames() -> None:
    """Keep JAX's own frames in tracebacks: `explain` looks at where in JAX an exception was raised."""
    update: Callable[[str, object], None] = jax.config.update
    update("jax_traceback_filtering", "off")


def explain(error: BaseException, places: Places) -> TraceError:
    """What the exception says. Never raises, whatever the exception's own methods do."""
    if isinstance(error, Unsupported):
        return TraceError(kind="unsupported", type="Unsupported", message=bounded(str(error)))
    if isinstance(error, TooLarge):
        return TraceError(kind="exception", type="TooLarge", message=bounded(str(error)), help=TOO_LARGE)
    raised_in = function_of_jax(error.__traceback__)
    message = message_of(error)
    kind: Literal["exception", "concretisation"] = "exception"
    if isinstance(error, CONCRETISATIONS) or (raised_in is not None and PLAIN_CONCRETISATION.search(message)):
        kind = "concretisation"
    place = error.place if isinstance(error, Leaked) else place_of(error, places)
    name = type_name(type(error))
    return TraceError(
        kind=kind,
        type=name,
        message=message,
        line=place.line if place is not None else None,
        column=place.column or None if place is not None else None,
        help=advice(name.rsplit(".", 1)[-1], message, raised_in),
    )


def function_of_jax(traceback: TracebackType | None) -> str | None:
    """The function that raised an exception, by name, if it is one of JAX's."""
    if traceback is None:
        return None
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    return code.co_name if os.path.abspath(code.co_filename).startswith(JAX_FOLDER) else None


def place_of(error: BaseException, places: Places) -> Source | None:
    """The innermost place in the submission's file."""
    found: Source | None = None
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == places.filename:
            found = places.in_code(code, traceback.tb_lasti) or Source(max(traceback.tb_lineno or 1, 1), 0)
        traceback = traceback.tb_next
    return found


def message_of(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        code = error.code
        return f"sys.exit({'' if code is None else bounded(safe(repr, code))})"
    return bounded(safe(str, error))


def safe(write: Callable[[object], str], value: object) -> str:
    try:
        return str(write(value))
    except BaseException as failure:
        return f"(its text cannot be had: {type(failure).__name__})"


ADDRESS = re.compile(r" at 0x[0-9a-f]+")
INSTALLED = re.compile(r"(/[^\s'\"():]+)?/(site|dist)-packages/")
IMPORTED_FROM = re.compile(r" \((/[^()]*|unknown location)\)$")
READ_MORE = re.compile(r"\n*See https?://\S+\s*$|\n*-{10,}\s*$")


def bounded(message: str) -> str:
    """A message that is short, the same on every run and machine, and can be encoded."""
    message = ADDRESS.sub("", message[: MESSAGE_LENGTH * 2])
    message = INSTALLED.sub("", IMPORTED_FROM.sub("", message))
    return text(READ_MORE.sub("", message).strip(), MESSAGE_LENGTH)


def type_name(kind: type[BaseException]) -> str:
    """Qualified by its module, unless that is no news: builtins, the submission, JAX's private modules."""
    if issubclass(kind, Leaked):
        kind = jax.errors.UnexpectedTracerError
    module = str(getattr(kind, "__module__", ""))
    name = str(kind.__qualname__)
    if module not in ("builtins", "submission") and not module.startswith("jax._src"):
        name = f"{module}.{name}"
    return text(name, NAME_LENGTH)
