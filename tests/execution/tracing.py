"""Programs traced from functions, for the tests of execution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from grader.program.types import Leaf, Program
from grader.tracer.encode import encode


def program_of(function: Callable[..., Any], arguments: Sequence[np.ndarray]) -> Program:
    """The program; that it returns its first output only is not so, and does not matter here."""
    return encode(jax.make_jaxpr(function)(*arguments), Leaf(0), "submission.py")
