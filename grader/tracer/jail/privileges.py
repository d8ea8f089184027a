"""Privileges: gives up every capability for good.

In: nothing. Out: nothing; afterwards no execve can gain a privilege, no capability is held, and the memory of this
process is closed to others of the same user. Raises OSError.
"""

from __future__ import annotations

import ctypes
from typing import Final

from grader.tracer.jail.kernel import (
    PR_CAP_AMBIENT,
    PR_CAP_AMBIENT_CLEAR_ALL,
    PR_CAPBSET_DROP,
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    call,
    prctl,
)

_CAPABILITY_VERSION_3: Final = 0x20080522
_LAST_CAPABILITY: Final = 40


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int32))


class _Data(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint32) for name in ("e0", "p0", "i0", "e1", "p1", "i1"))


def forbid_new_privileges() -> None:
    """Set "no new privileges": setuid programs give none, and Landlock and seccomp may be used without root."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def drop_privileges() -> None:
    """Give up every capability and close this process's memory."""
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break  # without CAP_SETPCAP there is nothing in the bounding set that execve could give back
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    call("capset", _Header(_CAPABILITY_VERSION_3, 0), _Data(0, 0, 0, 0, 0, 0))
    prctl(PR_SET_DUMPABLE, 0)
