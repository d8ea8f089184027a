"""A report as one HTML page: nothing is loaded from anywhere, and there is no script.

Comes in: a report (on a submission, or on a run) and the submission's bytes. Goes out: the page, UTF-8.
"""

from __future__ import annotations

from grader.report.html.page import render

__all__ = ["render"]
