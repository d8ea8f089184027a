"""Makes namespaces of its own, in which it would be root, and mounts.

verdicts: RE
harm: leak LEAKED
"""

import ctypes

libc = ctypes.CDLL(None)
for flags in (0x10000000, 0x10020000, 0x20000000, 0x7E020000):
    if libc.unshare(flags) == 0:
        print("LEAKED", hex(flags))
for arguments in (
    (b"none", b"/tmp", b"tmpfs", 0, None),
    (b"/", b"/tmp", None, 4096, None),
    (b"proc", b"/tmp", b"proc", 0, None),
):
    if libc.mount(*arguments) == 0:
        print("LEAKED a mount")

raise RuntimeError("the attack is over")
