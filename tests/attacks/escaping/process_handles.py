"""Signals another process, and takes its descriptors, through a process handle.

verdicts: RE
harm: victim
harm: leak LEAKED
"""

import ctypes
import os

libc = ctypes.CDLL(None)
handle = libc.syscall(434, int("@VICTIM@"), 0)
if handle >= 0:
    libc.syscall(424, handle, 9, 0, 0)
    print("LEAKED", libc.syscall(438, handle, 0, 0))

raise RuntimeError("the attack is over")
