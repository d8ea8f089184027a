"""Walks the stack and the whole heap for cases, expected values and requests.

verdicts: RE
harm: leak LEAKED
"""

import gc
import sys

WORDS = {"expected", "oracle", "reference"}
frame = sys._getframe()
while frame is not None:
    if WORDS & set(frame.f_locals):
        print("LEAKED", frame.f_code.co_filename)
    frame = frame.f_back
for thing in gc.get_objects():
    try:
        if type(thing).__module__.startswith(("grader.problem", "grader.cases", "grader.referee")):
            print("LEAKED", type(thing))
        if type(thing) is dict and "expected" in thing and "inputs" in thing:
            print("LEAKED", list(thing))
    except BaseException:
        continue

raise RuntimeError("the attack is over")
