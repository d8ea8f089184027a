"""Dumps core, hoping that the dump lands where it can be read, with the judge's memory in it.

verdicts: RE
harm: file @FOLDER@/core
harm: file /tmp/core
"""

import faulthandler
import os
import resource
import signal

try:
    resource.setrlimit(resource.RLIMIT_CORE, (1 << 30, 1 << 30))
except (OSError, ValueError):
    pass
os.chdir("/tmp")
os.kill(os.getpid(), signal.SIGSEGV)

raise RuntimeError("the attack is over")
