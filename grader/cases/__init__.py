"""The inputs that authors wrote down: ``cases/<problem>/<name>.json``, one file a case.

    {"description": "…", "visibility": "public" | "hidden",
     "inputs": {"x": [[…]], …}, "expected": {"out": [[…]], …}}

Only ``inputs`` is needed. What is wrong with a file is said with its name, the place in it and what belongs
there; no submission is judged while anything is wrong with any case.
"""

from grader.cases.case import Case, CaseError, Issue
from grader.cases.folder import cases_root, choose, load_cases
from grader.cases.parse import parse

__all__ = ["Case", "CaseError", "Issue", "cases_root", "choose", "load_cases", "parse"]
