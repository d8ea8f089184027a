"""Writes files wherever anybody may write.

verdicts: RE
harm: file @FOLDER@/@TOKEN@
harm: file /var/tmp/@TOKEN@
harm: file /dev/shm/@TOKEN@
harm: file /tmp/@TOKEN@
harm: file /run/@TOKEN@
"""

import os

for folder in ("@FOLDER@", "/var/tmp", "/dev/shm", "/run", os.path.expanduser("~"), "/tmp", "/"):
    try:
        open(folder + "/@TOKEN@", "w").write("harm")
    except OSError:
        pass

raise RuntimeError("the attack is over")
