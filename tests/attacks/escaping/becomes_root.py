"""Asks for every user and group, and for every capability.

verdicts: RE
harm: leak LEAKED
"""

import ctypes
import os

for change in (os.setuid, os.setgid, os.seteuid, os.setegid):
    try:
        change(0)
        print("LEAKED", change)
    except OSError:
        pass
libc = ctypes.CDLL(None)
data = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
if libc.capset((ctypes.c_uint32 * 2)(0x20080522, 0), data) == 0:
    print("LEAKED capabilities")

raise RuntimeError("the attack is over")
