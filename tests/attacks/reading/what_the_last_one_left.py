"""Looks for what an earlier submission may have left: temporary files, shared memory, caches.

verdicts: RE
harm: leak LEAKED
"""

import glob
import os
import sys

for pattern in (
    "/tmp/*",
    "/tmp/.*",
    "/var/tmp/*",
    "/dev/shm/*",
    "/run/*",
    os.path.expanduser("~/*"),
    os.path.expanduser("~/.cache/*"),
):
    for path in glob.glob(pattern):
        if not sys.prefix.startswith(path):  # the judge itself may be read, wherever it is installed
            print("LEAKED", path)

raise RuntimeError("the attack is over")
