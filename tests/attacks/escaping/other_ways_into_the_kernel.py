"""Reaches for the parts of the kernel where the holes were: io_uring, bpf, userfaultfd, keyrings, perf, ...

verdicts: RE
harm: leak LEAKED
"""

import ctypes

libc = ctypes.CDLL(None)
NUMBERS = {"io_uring_setup": 425, "bpf": 321, "userfaultfd": 323, "perf_event_open": 298, "add_key": 248, "keyctl": 250}
for name, number in NUMBERS.items():
    arguments = {"add_key": (b"user", b"@TOKEN@", b"x", 1, -4), "keyctl": (0, -4, 1)}.get(
        name, (1, ctypes.create_string_buffer(200), 120, 0, 0)
    )
    if libc.syscall(number, *arguments) >= 0:
        print("LEAKED", name)

raise RuntimeError("the attack is over")
