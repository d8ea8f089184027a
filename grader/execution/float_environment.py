"""Make the processor compute floats as XLA's CPU code does.

XLA runs with subnormal numbers off: a subnormal operand counts as zero and a subnormal result becomes zero
(moves, negation and absolute values keep the bits). NumPy uses the same instructions, so setting the same two
bits of the processor's control register gives the same numbers. Python has no call for that; the C library's
``fesetenv`` has. Where it is missing, subnormals stay, and only numbers below 1.2e-38 differ.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

_X86_MXCSR_WORD = 7
_X86_FLUSH = 0x8040  # flush results to zero, and treat operands as zero
_ARM_FLUSH = 1 << 24  # FPCR.FZ does both


def _environments() -> tuple[ctypes.CDLL, ctypes.Array[ctypes.c_uint32], ctypes.Array[ctypes.c_uint32]] | None:
    """The C library and the float environments without and with subnormals flushed, or None."""
    machine = platform.machine().lower()
    word, bits = {
        "x86_64": (_X86_MXCSR_WORD, _X86_FLUSH),
        "amd64": (_X86_MXCSR_WORD, _X86_FLUSH),
        "aarch64": (0, _ARM_FLUSH),
    }.get(machine, (0, 0))
    if not bits or platform.system() != "Linux":
        return None
    try:
        library = ctypes.CDLL("libm.so.6")
        usual = (ctypes.c_uint32 * 8)()
        if library.fegetenv(usual) != 0:
            return None
    except (OSError, AttributeError):
        return None
    usual[word] &= ~bits & 0xFFFFFFFF
    flushing = (ctypes.c_uint32 * 8)(*usual)
    flushing[word] |= bits
    return library, usual, flushing


_FOUND = _environments()


@contextmanager
def xla_floats() -> Iterator[None]:
    """Inside, this thread's float arithmetic flushes subnormals as XLA's does, and NumPy gives no warnings."""
    with np.errstate(all="ignore"):
        if _FOUND is None:
            yield
            return
        library, _, flushing = _FOUND
        before = (ctypes.c_uint32 * 8)()
        library.fegetenv(before)
        library.fesetenv(flushing)
        try:
            yield
        finally:
            library.fesetenv(before)


@contextmanager
def plain_floats() -> Iterator[None]:
    """Inside, subnormals count: for the functions that XLA takes from the C library, which looks at their bits."""
    if _FOUND is None:
        yield
        return
    library, usual, _ = _FOUND
    before = (ctypes.c_uint32 * 8)()
    library.fegetenv(before)
    library.fesetenv(usual)
    try:
        yield
    finally:
        library.fesetenv(before)
