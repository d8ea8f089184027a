"""Links a secret into its own scratch directory, symbolically and hard, and reads it there.

verdicts: RE
harm: leak @SECRET@
"""

import os
import tempfile

for make in (os.symlink, os.link):
    for target in ("@SECRETFILE@", "/proc/1/root@SECRETFILE@", "/proc/self/root/@SECRETFILE@", "/../..@SECRETFILE@"):
        try:
            name = tempfile.mktemp()
            make(target, name)
            print(open(name).read())
        except OSError:
            pass

raise RuntimeError("the attack is over")
