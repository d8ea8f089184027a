"""Replaces itself by another program, which would not know of the rules.

verdicts: RE
harm: file @FOLDER@/by_exec
"""

import os
import sys

for path in ("/usr/bin/touch", "/bin/busybox", sys.executable):
    try:
        os.execv(path, ["touch", "@FOLDER@/by_exec"])
    except OSError:
        pass

raise RuntimeError("the attack is over")
