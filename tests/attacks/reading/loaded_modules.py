"""Looks through the modules already loaded for anything that knows an answer.

verdicts: RE
harm: leak LEAKED
"""

import sys

for name in list(sys.modules):
    if name.startswith("grader") and name.split(".")[1:2] in (
        ["problems"],
        ["problem"],
        ["cases"],
        ["referee"],
        ["rules"],
        ["supervisor"],
    ):
        print("LEAKED", name)

raise RuntimeError("the attack is over")
