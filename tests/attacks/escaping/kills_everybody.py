"""Kills its parent and a process of the same user.

(Not every process there is: this machine must survive a jail that failed.)

verdicts: RE
harm: victim
"""

import os
import signal

for pid in (int("@VICTIM@"), os.getppid()):
    if pid not in (os.getpid(),):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass

raise RuntimeError("the attack is over")
