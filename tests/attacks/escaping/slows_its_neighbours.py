"""Takes away another process's priority, processors and limits.

verdicts: RE
harm: victim
harm: leak LEAKED
"""

import os
import resource

for change in (
    lambda: os.setpriority(os.PRIO_PROCESS, int("@VICTIM@"), 19),
    lambda: os.sched_setaffinity(int("@VICTIM@"), {0}),
    lambda: os.sched_setscheduler(int("@VICTIM@"), os.SCHED_IDLE, os.sched_param(0)),
    lambda: resource.prlimit(int("@VICTIM@"), resource.RLIMIT_CPU, (1, 1)),
):
    try:
        change()
        print("LEAKED")
    except OSError:
        pass

raise RuntimeError("the attack is over")
