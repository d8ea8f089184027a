"""Runs the cases' programs for real: XLA, eight CPU devices, every shard of every output.

All of them are compiled together, in a thread, while the referee goes on simulating (XLA compiles
without holding the interpreter).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grader.execution import xla
from grader.program.types import Program

TOGETHER = 24
"""How many programs are compiled as one: more of them share what a compilation costs, up to a point."""


@dataclass(frozen=True)
class Call:
    """A program and the inputs to run it on, in the order of its parameters, each of its input's shape."""

    name: str
    program: Program
    arrays: Sequence[np.ndarray]


@dataclass(frozen=True)
class Ran:
    """What came of a call: the results, or why there are none."""

    results: tuple[xla.Result, ...] | None
    error: xla.XlaError | xla.Unsupported | None = None


class RealRun:
    """Calls under way; `results` waits for them."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self.calls = list(calls)
        self.ran: dict[str, Ran] = {}
        self.failed: BaseException | None = None
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self) -> None:
        try:
            self.ran = run_all(self.calls)
        except BaseException as error:
            self.failed = error

    def results(self) -> Mapping[str, Ran]:
        self.thread.join()
        if self.failed is not None:
            raise self.failed
        return self.ran


def run_all(calls: Sequence[Call]) -> dict[str, Ran]:
    """Run all calls, so many at a time together; those that fail are left out one by one."""
    ran: dict[str, Ran] = {}
    for start in range(0, len(calls), TOGETHER):
        remaining = list(calls[start : start + TOGETHER])
        while remaining:
            try:
                results = xla.run([(each.program, each.arrays) for each in remaining])
            except (xla.XlaError, xla.Unsupported) as error:
                culprit = remaining.pop(error.index)
                ran[culprit.name] = Ran(None, error)
                continue
            for call, result in zip(remaining, results, strict=True):
                ran[call.name] = Ran(result)
            break
    return ran
