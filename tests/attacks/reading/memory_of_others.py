"""Reads the memory of its parents with process_vm_readv and ptrace.

verdicts: RE
harm: leak LEAKED
"""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


here = ctypes.create_string_buffer(4096)
for pid in {os.getppid(), 1, *range(max(1, os.getpid() - 50), os.getpid())}:
    local, remote = Vector(ctypes.addressof(here), 4096), Vector(id(here), 4096)
    if libc.process_vm_readv(pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) > 0:
        print("LEAKED", pid)
    if libc.ptrace(16, pid, 0, 0) == 0:
        print("LEAKED", pid)

raise RuntimeError("the attack is over")
