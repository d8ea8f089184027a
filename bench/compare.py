"""Ours beside the plain grader: the same submissions, in one run, one after the other.

Each round takes every submission through every way of judging, so that whatever slows the machine down for a
while slows all of them down; ratios are formed within a round, pair by pair, and their median is reported.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import grader
from bench.processes import GRADER, PLAIN, measure
from bench.submissions import KNOWN, SOLUTION, fill
from grader.memory import Memory

SUBMISSIONS = (
    SOLUTION,
    KNOWN / "accepted" / "class_with_methods.py",
    KNOWN / "wrong_answer" / "wrong_at_one_shape.py",
)
"""Two that are right, and one that is wrong at one shape of 320: no grader can stop early."""


@dataclass(frozen=True)
class Took:
    seconds: float
    cpu: float
    """Processor seconds of all processes."""


@dataclass
class Way:
    """A way of judging, and what it took in each round for each submission."""

    name: str
    judge: Callable[[Path], Took]
    took: dict[tuple[int, str], Took] = field(default_factory=dict)

    @property
    def seconds(self) -> list[float]:
        return [each.seconds for each in self.took.values()]

    @property
    def cpu(self) -> list[float]:
        return [each.cpu for each in self.took.values()]


@dataclass(frozen=True)
class Ratio:
    """How many times faster ``fast`` is than ``slow``, and what is aimed at."""

    slow: str
    fast: str
    goal: float


GOALS = (
    Ratio("plain", "grade", 1 / 0.65),
    Ratio("plain --all-shapes", "grade", 12),
    Ratio("plain --all-shapes", "warm, unchanged", 25),
    Ratio("plain --all-shapes", "warm, changed", 25),
    Ratio("plain", "warm --quick, unchanged", 12),
    Ratio("plain", "warm --quick, changed", 12),
)


def command(*words: str) -> Callable[[Path], Took]:
    def run(path: Path) -> Took:
        made = measure([*words, str(path)])
        return Took(made.seconds, made.cpu)

    return run


def warm(judge: grader.Judge, *, quick: bool, known: bool) -> Callable[[Path], Took]:
    """A later verdict of an open judge, as `watch` and platforms get it. Not ``known``: it recognises nothing."""

    def run(path: Path) -> Took:
        if known:
            judge.grade(path, quick=quick)
        else:
            judge._judge.memory = Memory()
        zygote = judge._judge.zygote
        assert zygote is not None
        before, began = used(zygote.process.pid), time.perf_counter()
        judge.grade(path, quick=quick)
        seconds = time.perf_counter() - began
        time.sleep(0.1)  # until it has been told of the last child's end
        return Took(seconds, used(zygote.process.pid) - before)

    return run


def used(pid: int) -> float:
    """Processor seconds of a process and of the children that have ended (0 where there is no /proc)."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def compare(rounds: int, say: Callable[[str], None]) -> dict[str, Way]:
    """All ways on all submissions; the plain grader on all shapes once in ``rounds``, since it takes so long."""
    with grader.Judge() as judge:
        judge.grade(SOLUTION, quick=True)
        ways = [
            Way("import jax", command(PLAIN[0], "-c", "import jax")),
            Way("plain", command(*PLAIN)),
            Way("grade", command(*GRADER, "grade")),
            Way("grade --quick", command(*GRADER, "grade", "--quick")),
            Way("warm, changed", warm(judge, quick=False, known=False)),
            Way("warm, unchanged", warm(judge, quick=False, known=True)),
            Way("warm --quick, changed", warm(judge, quick=True, known=False)),
            Way("warm --quick, unchanged", warm(judge, quick=True, known=True)),
            Way("plain --all-shapes", command(*PLAIN, "--all-shapes")),
        ]
        for number in range(rounds):
            for path in SUBMISSIONS:
                for way in ways:
                    if way.name == "plain --all-shapes" and number > 0:
                        continue
                    took = way.took[number, path.name] = way.judge(path)
                    say(f"round {number + 1}, {path.name}: {way.name} {took.seconds:.2f} s, processor {took.cpu:.2f} s")
    return {way.name: way for way in ways}


def ratios(slow: Way, fast: Way) -> tuple[list[float], list[float]]:
    """Of time and of processor time, pair by pair: the same submission, the same round (or the only one)."""
    pairs = [(slow.took.get((number, name), slow.took[0, name]), took) for (number, name), took in fast.took.items()]
    return [one.seconds / other.seconds for one, other in pairs], [one.cpu / (other.cpu or 1) for one, other in pairs]


@dataclass(frozen=True)
class Batch:
    submissions: int
    seconds: float
    again: float
    """The same command once more: everything is known."""
    plain: tuple[float, ...]
    """The plain grader on every so manyth of the same submissions, one after another."""
    plain_all_shapes: tuple[float, ...]
    """As ``plain``, on fewer still."""
    workers: int
    cpu: float
    """Processor seconds of the batch, all its processes together."""
    memory: int
    """Bytes that all its processes held at once."""
    file: int
    """Bytes of the results file."""

    @property
    def each(self) -> float:
        return self.seconds / self.submissions


def compare_batch(count: int, workers: int, every: int, say: Callable[[str], None]) -> Batch:
    """A batch of ``count`` submissions, and the plain grader on every ``every``-th of them before and after it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = fill(folder / "class", count)
        sample = paths[::every]
        half = len(sample) // 2
        plain = list(timed(sample[:half], PLAIN, say))
        batch = [*GRADER, "batch", "class", "--workers", str(workers)]
        first = measure(batch, folder, whole_tree=True)
        say(first.output)
        again = measure(batch, folder)
        plain += timed(sample[half:], PLAIN, say)
        whole = timed(sample[:: max(len(sample) // 6, 1)], (*PLAIN, "--all-shapes"), say)
        size = (folder / "grader-results.sqlite").stat().st_size
        return Batch(
            count, first.seconds, again.seconds, tuple(plain), tuple(whole), workers, first.cpu, first.memory, size
        )


def timed(paths: list[Path], words: tuple[str, ...], say: Callable[[str], None]) -> Iterator[float]:
    for path in paths:
        seconds = measure([*words, str(path)]).seconds
        say(f"{' '.join(words[2:]) or 'plain'} {path.name}: {seconds:.2f} s")
        yield seconds
