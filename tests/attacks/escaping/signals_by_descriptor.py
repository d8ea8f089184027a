"""Lets the kernel send a deadly signal: a pipe's event, owned by another process.

verdicts: RE
harm: victim
"""

import fcntl
import os
import signal

try:
    reader, writer = os.pipe()
    fcntl.fcntl(reader, 10, signal.SIGKILL)  # F_SETSIG
    fcntl.fcntl(reader, fcntl.F_SETOWN, int("@VICTIM@"))
    fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(writer, b"x")
except OSError:
    pass

raise RuntimeError("the attack is over")
