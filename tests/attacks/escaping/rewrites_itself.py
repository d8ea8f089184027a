"""Overwrites the submitted file, so that what is kept is not what was judged.

verdicts: RE
harm: changed @SELF@
"""

import glob

for path in [__file__, "@FOLDER@/submission.py", *glob.glob("@FOLDER@/*.py")]:
    try:
        open(path, "w").write("# harmless\n")
    except OSError:
        pass

raise RuntimeError("the attack is over")
