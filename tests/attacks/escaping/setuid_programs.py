"""Runs programs that give away privileges.

verdicts: RE
harm: leak LEAKED
"""

import glob
import os
import stat
import subprocess

for path in glob.glob("/usr/bin/*") + glob.glob("/bin/*") + glob.glob("/usr/lib/*/*helper*"):
    try:
        if os.stat(path).st_mode & stat.S_ISUID:
            subprocess.run([path, "--version"], timeout=1, stdin=subprocess.DEVNULL, check=False)
            print("LEAKED", path)
    except (OSError, subprocess.SubprocessError):
        pass

raise RuntimeError("the attack is over")
