"""Goes the long way to a secret: dots, directory descriptors, /proc, a changed root.

verdicts: RE
harm: leak @SECRET@
"""

import os

for root in (
    "/proc/1/root",
    "/proc/self/root",
    "/proc/self/cwd",
    "/proc/self/fd/0",
    "/dev/fd/3",
    "/usr/lib/../..",
    "//",
    "/tmp/..",
):
    try:
        print(open(root + "@SECRETFILE@").read())
    except OSError:
        pass
for change in (os.chroot, os.chdir):
    for folder in ("/", "/proc/1/root", "..", "/tmp"):
        try:
            change(folder)
            for _ in range(20):
                os.chdir("..")
            print(open("." + "@SECRETFILE@").read())
        except OSError:
            pass
for descriptor in range(64):
    try:
        print(os.read(os.open("@SECRETFILE@".lstrip("/"), os.O_RDONLY, dir_fd=descriptor), 100))
    except OSError:
        pass

raise RuntimeError("the attack is over")
