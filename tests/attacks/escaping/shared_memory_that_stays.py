"""Leaves System V shared memory and a POSIX object behind, for the next submission to find.

verdicts: RE
harm: shared-memory @KEY@
harm: file /dev/shm/@TOKEN@
"""

import ctypes

ctypes.CDLL(None).shmget(int("@KEY@"), 1 << 20, 0o1000 | 0o666)
try:
    open("/dev/shm/@TOKEN@", "w").write("a message")
except OSError:
    pass

raise RuntimeError("the attack is over")
