"""Reads a file that everybody on the machine may read.

verdicts: RE
harm: leak @SECRET@
"""

try:
    print(open("@SECRETFILE@").read())
except OSError:
    pass

raise RuntimeError("the attack is over")
