"""Writes a program into anonymous memory and runs it from there.

verdicts: RE
harm: file @FOLDER@/by_memfd
"""

import os

try:
    descriptor = os.memfd_create("x")
    os.write(descriptor, b"#!/bin/sh\ntouch @FOLDER@/by_memfd\n")
    os.execve(descriptor, ["x"], {})
except OSError:
    pass

raise RuntimeError("the attack is over")
