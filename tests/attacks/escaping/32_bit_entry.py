"""Enters the kernel by its 32-bit door, where call numbers mean something else: creates a file there.

verdicts: RE
harm: file @FOLDER@/by_int_0x80
"""

import ctypes
import mmap
import platform
import struct
import sys

if platform.machine() == "x86_64":
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    low = libc.mmap(
        ctypes.c_void_p(0), ctypes.c_size_t(4096), 7, 0x62, -1, 0
    )  # MAP_32BIT | MAP_PRIVATE | MAP_ANONYMOUS
    path = b"@FOLDER@/by_int_0x80\0"
    ctypes.memmove(low + 256, path, len(path))
    code = b"\x53\xb8\x08\0\0\0\xbb" + struct.pack("<I", low + 256) + b"\xb9\xb6\x01\0\0\xcd\x80\x5b\xc3"
    ctypes.memmove(low, code, len(code))
    ctypes.CFUNCTYPE(ctypes.c_int)(low)()

raise RuntimeError("the attack is over")
