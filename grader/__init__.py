"""A judge for JAX programs: is the traced program built right, and are its numbers right?

As a library: `grade` and `Judge`, which return a `Report`; see docs/library.md. They are imported when they are
first used, so that the command line starts quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.errors import Unusable
    from grader.library import Judge, grade
    from grader.report.model import Report, Verdict

__version__ = "0.1.0"
__all__ = ["Judge", "Report", "Unusable", "Verdict", "grade"]

_HOMES = {
    "Judge": "grader.library",
    "grade": "grader.library",
    "Report": "grader.report.model",
    "Verdict": "grader.report.model",
    "Unusable": "grader.errors",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
