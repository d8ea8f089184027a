"""Workers that judge by rule of thumb: what the batch does around the judge is tested with these."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from grader.batch.workers import Done, Task
from grader.report.model import Finding, Report, RuleResult, Verdict


def report(task: Task) -> Report:
    """The verdict that the file asks for in its first line, such as ``# RV b2-once`` or ``# AC``."""
    words = task.submission.split(b"\n")[0].decode().removeprefix("# ").split()
    verdict = Verdict(words[0])
    programs = words[-1] if words[-1].startswith("p") else None
    broken = [each for each in words[1:] if each != programs]
    return Report(
        verdict=verdict,
        problem="tensor_parallel_mlp",
        submission=task.name,
        rules=tuple(RuleResult(id=each, status="fail", title=f"what {each} asks") for each in broken),
        findings=tuple(Finding(kind="rule", id=each, verdict=verdict, message=f"breaks {each}.") for each in broken),
        programs=programs,
    )


class FakeWorkers:
    """Judges in the order in which it was given the tasks; ``room`` of them are under way at a time."""

    def __init__(self, room: int = 2, judge: Callable[[Task], Report | str] = report) -> None:
        self.room = room
        self.judge = judge
        self.waiting: deque[Task] = deque()
        self.judged: list[str] = []
        self.most = 0

    def give(self, task: Task) -> None:
        self.waiting.append(task)
        self.most = max(self.most, len(self.waiting))

    def next(self, seconds: float) -> Done | None:
        task = self.waiting.popleft()
        self.judged.append(task.name)
        answer = self.judge(task)
        return Done(task, None, answer) if isinstance(answer, str) else Done(task, answer)

    def stop(self) -> None:
        self.waiting.clear()
