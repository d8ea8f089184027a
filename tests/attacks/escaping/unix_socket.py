"""Connects to a socket file, as to a container daemon's.

verdicts: RE
harm: connection unix
"""

import socket

try:
    socket.socket(socket.AF_UNIX).connect("@UNIX@")
except OSError:
    pass

raise RuntimeError("the attack is over")
