"""Reads the kernel's log, the machine's memory and its disks.

verdicts: RE
harm: leak LEAKED
"""

import ctypes
import glob

for path in [
    "/dev/kmsg",
    "/dev/mem",
    "/dev/kvm",
    "/proc/kcore",
    "/proc/kallsyms",
    "/sys/kernel/debug",
    *glob.glob("/dev/[svnhx]*"),
]:
    try:
        print("LEAKED", path, open(path, "rb").read(16))
    except OSError:
        pass
log = ctypes.create_string_buffer(4096)
if ctypes.CDLL(None).klogctl(3, log, 4096) > 0:
    print("LEAKED the kernel's log")

raise RuntimeError("the attack is over")
