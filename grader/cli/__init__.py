"""The command line: parses, calls, prints; judges nothing.

Exit status: 0 accepted (or done), 1 any other verdict on the submission, 2 wrong usage or unusable case and
problem files, 3 the judge failed. Each command is imported when it is called: ``--help`` and ``list`` import
neither JAX nor NumPy.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

from grader.cli.parser import HELP_SHOWN, parse
from grader.cli.terminal import say
from grader.errors import Unusable

USAGE = 2
FAULT = 3
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that ``arguments`` (default: the process's) name; the exit status."""
    try:
        options = parse(sys.argv[1:] if arguments is None else arguments)
        if options is HELP_SHOWN:
            return 0
        status: int = options.command(options)
        return status
    except Unusable as error:
        say(str(error))
        return USAGE
    except KeyboardInterrupt:
        say("Interrupted.")
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("GRADER_DEBUG"):
            traceback.print_exc()
        say(f"The judge failed ({type(error).__name__}: {error}). Please report it; GRADER_DEBUG=1 shows where.")
        return FAULT
