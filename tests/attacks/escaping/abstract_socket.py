"""Connects to an abstract socket, which no file guards.

verdicts: RE
harm: connection abstract
"""

import socket

try:
    socket.socket(socket.AF_UNIX).connect("\0@TOKEN@")
except OSError:
    pass

raise RuntimeError("the attack is over")
