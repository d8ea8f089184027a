"""How fast the judge is, beside a plain grader, and how it grows: ``make bench``. See docs/performance.md."""
