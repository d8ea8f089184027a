"""Opens every other family of socket: netlink, packet, vsock, raw, Bluetooth, SCTP.

verdicts: RE
harm: leak LEAKED
"""

import socket

for family in range(1, 46):
    for kind in (1, 2, 3, 5, 10):
        try:
            socket.socket(family, kind)
            print("LEAKED", family, kind)
        except OSError:
            pass

raise RuntimeError("the attack is over")
