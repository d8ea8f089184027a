"""Sends a datagram to a service on this machine, as a name lookup would.

verdicts: RE
harm: connection udp
"""

import socket

try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"harm", ("127.0.0.1", int("@UDP@")))
    socket.getaddrinfo("localhost", 80)
except OSError:
    pass

raise RuntimeError("the attack is over")
