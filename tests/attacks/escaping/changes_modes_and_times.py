"""Changes a file's mode, owner, times and attributes, without opening it.

verdicts: RE
harm: changed @SECRETFILE@
"""

import os

for change in (
    lambda: os.chmod("@SECRETFILE@", 0o777),
    lambda: os.utime("@SECRETFILE@", (0, 0)),
    lambda: os.chown("@SECRETFILE@", os.getuid(), os.getgid()),
    lambda: os.setxattr("@SECRETFILE@", "user.harm", b"1"),
    lambda: os.truncate("@SECRETFILE@", 0),
    lambda: os.rename("@SECRETFILE@", "@FOLDER@/moved"),
    lambda: os.unlink("@SECRETFILE@"),
):
    try:
        change()
    except OSError:
        pass

raise RuntimeError("the attack is over")
