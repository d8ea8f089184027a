"""How time and memory grow: with shapes, equations, submissions and workers.

Each measurement is a process of its own (``python -m bench.growth WHAT SIZE``) that prints seconds and bytes.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.processes import GRADER, PYTHON, measure
from bench.submissions import SOLUTION, fill

SIZES = {
    "shapes": (10, 20, 40, 80, 160, 320),
    "equations": (10, 100, 1_000, 10_000, 99_900),
    "submissions": (10, 100, 1_000, 10_000),
    "workers": (1, 2, 4),
}
LABELS = {
    "shapes": "shapes of one submission: tracing and judging, processor time",
    "equations": "equations of one program at one shape: cold grade",
    "submissions": "submissions, the judge itself simulated: the batch around it",
    "workers": "workers on a batch of 24: seconds a submission",
}
TITLES = {
    "shapes": "Shapes of one submission (processor time)",
    "equations": "Equations of one program (cold)",
    "submissions": "Submissions, judge simulated",
    "workers": "Workers: seconds a submission",
}
"""The same for the picture, where there is less room."""


@dataclass(frozen=True)
class Point:
    size: int
    seconds: float
    memory: int
    """Bytes at the peak."""


def grow(say: Callable[[str], None]) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for what, sizes in SIZES.items():
        for size in sizes:
            made = measure([PYTHON, "-m", "bench.growth", what, str(size)])
            seconds, memory = json.loads(made.output.splitlines()[-1])
            found.setdefault(what, []).append(Point(size, seconds, memory))
            say(f"{what} {size}: {seconds:.3f} s, {memory / 2**20:.0f} MiB")
    return found


def peak() -> int:
    """Of this process so far, bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def shapes(size: int) -> tuple[float, int]:
    """Trace so many shapes and judge the programs, in this one process; importing JAX is not counted."""
    os.environ |= {"XLA_FLAGS": "--xla_force_host_platform_device_count=8", "JAX_PLATFORMS": "cpu"}
    import msgspec

    from grader.cases import load_cases
    from grader.problems import load
    from grader.referee.judge import Judging
    from grader.referee.messages import GradeJob
    from grader.request import GradeRequest
    from grader.supervisor import candidates_for_grading
    from grader.tracer import process
    from grader.tracer.messages import Confinement, Job

    source = SOLUTION.read_bytes()
    [candidate] = candidates_for_grading(GradeRequest(submission=source, display_name="s.py"))
    candidate = msgspec.structs.replace(candidate, requests=candidate.requests[:size])
    confinement = Confinement(seconds=100, memory_bytes=1 << 32, require=False)
    job = Job(source=source, display_name="s.py", candidates=(candidate,), confinement=confinement)
    graded = GradeJob(
        display_name="s.py", problem=None, quick=False, examples=4 * size, cases=(), cases_root=None, seed=0
    )
    problem = load(candidate.problem)
    process.prepare()
    began = time.process_time()
    judging = Judging(graded, problem, load_cases(problem), (), lambda report: None)
    judging.requests = judging.requests[:size]
    for reply in process.answers(job):
        judging.reply(reply)
    judging.report()
    return time.process_time() - began, peak()


def equations(size: int) -> tuple[float, int]:
    """A right program with so many more equations than it needs."""
    source = SOLUTION.read_text().replace(
        "    hidden = jax.nn.relu(x @ w1 + b1)\n",
        f"    for _ in range({size // 2}):\n        x = -(-x)\n    hidden = jax.nn.relu(x @ w1 + b1)\n",
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "many.py")
        path.write_text(source)
        made = measure([*GRADER, "grade", "--case", "example_1", "--time-limit", "600", str(path)])
    return made.seconds, made.memory


def submissions(size: int) -> tuple[float, int]:
    """A batch in this process, with workers that answer at once."""
    from grader.batch.key import Keys, Settings
    from grader.batch.results import Results
    from grader.batch.run import judge_all, list_submissions
    from grader.batch.summary import summarise

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "class")
        folder.mkdir()
        for number in range(size):
            (folder / f"{number:05d}.py").write_text(f"x = {number}\n")
        with Results(Path(name, "r.sqlite")) as results:
            keys = Keys(Settings())
            began = time.perf_counter()
            list_submissions([folder], keys, results)
            judge_all(results, keys, Simulated())
            summarise(results)
            return time.perf_counter() - began, peak()


class Simulated:
    """Workers that find every submission right, in no time."""

    room = 3

    def __init__(self) -> None:
        from grader.batch.workers import Task

        self.tasks: list[Task] = []

    def give(self, task):  # type: ignore[no-untyped-def]
        self.tasks.append(task)

    def next(self, seconds: float):  # type: ignore[no-untyped-def]
        from grader.batch.workers import Done
        from grader.report.model import CaseResult, Report, RuleResult, Verdict

        task = self.tasks.pop()
        report = Report(
            verdict=Verdict.AC,
            problem="tensor_parallel_mlp",
            submission=task.name,
            rules=tuple(RuleResult(id=f"rule-{number}", status="pass", title="t" * 60) for number in range(9)),
            cases=tuple(CaseResult(name=f"case_{number}", status="pass") for number in range(20)),
            programs=task.key,
        )
        return Done(task, report)

    def stop(self) -> None:
        pass


def workers(size: int) -> tuple[float, int]:
    """Seconds a submission with so many workers."""
    with tempfile.TemporaryDirectory() as name:
        fill(Path(name, "class"), 24)
        made = measure([*GRADER, "batch", "class", "--workers", str(size)], Path(name))
    return made.seconds / 24, made.memory


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](int(sys.argv[2]))))
