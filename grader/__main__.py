"""``python -m grader``: the same as the command ``grader``."""

import sys

from grader.cli import main

sys.exit(main())
