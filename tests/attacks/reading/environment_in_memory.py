"""Reads the environment from where exec laid it in this process's memory: above the stack.

verdicts: RE
harm: leak @SECRET@
"""

import ctypes

environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
index = 0
while environ[index]:
    print(environ[index])
    index += 1

raise RuntimeError("the attack is over")
