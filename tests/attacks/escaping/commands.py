"""Runs commands: a shell, a subprocess, a spawn, an exec.

verdicts: RE
harm: file @FOLDER@/by_system
harm: file @FOLDER@/by_subprocess
harm: file @FOLDER@/by_spawn
harm: file @FOLDER@/by_popen
"""

import os
import subprocess

for run in (
    lambda: os.system("touch @FOLDER@/by_system"),
    lambda: subprocess.run(["/usr/bin/touch", "@FOLDER@/by_subprocess"], check=False),
    lambda: os.posix_spawn("/usr/bin/touch", ["touch", "@FOLDER@/by_spawn"], {}),
    lambda: os.popen("touch @FOLDER@/by_popen").read(),
):
    try:
        run()
    except OSError:
        pass

raise RuntimeError("the attack is over")
