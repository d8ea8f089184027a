"""Reads the command lines, maps, memory and open files of every process.

verdicts: RE
harm: leak LEAKED
"""

import glob
import os

for folder in glob.glob("/proc/[0-9]*") + ["/proc/self", "/proc/thread-self"]:
    for name in ("cmdline", "maps", "status", "environ", "stack"):
        try:
            print("LEAKED", open(f"{folder}/{name}", "rb").read(50))
        except OSError:
            pass
    try:
        print("LEAKED", os.readlink(folder + "/cwd"), os.listdir(folder + "/fd"))
    except OSError:
        pass

raise RuntimeError("the attack is over")
