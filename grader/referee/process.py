"""What the referee's process does: read the job, then the tracer's frames as they come, and answer.

Runs no Python of a submission's, ever: what arrives are bytes, decoded strictly.
"""

from __future__ import annotations

import gc
import os
import resource
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.cases import load_cases
from grader.errors import Unusable
from grader.frames import Frames, TooLong, frame, read_all, write_all
from grader.problems import load
from grader.referee import messages
from grader.referee.diagram import diagram
from grader.referee.equal import Recogniser, known
from grader.referee.judge import Judging, unloaded
from grader.referee.known import Known
from grader.referee.run import run
from grader.report.model import Generated, Report
from grader.tracer.messages import Confined, Failed, Loaded, Reply, Traced, decode_reply

LARGEST_FRAME = 16 << 20
MEMORY = 16 << 30
"""Of address space; what a program may hold is bounded by its declared sizes long before."""


def main(job_descriptor: int, replies: int, programs: int) -> None:
    """Serve one job, then return."""
    limit()
    gc.disable()  # one submission's worth of memory is little, and looking for cycles takes a tenth of the time
    job = msgspec.msgpack.decode(read_all(job_descriptor), type=messages.Job)

    def say(reply: messages.Reply) -> None:
        write_all(replies, frame(msgspec.msgpack.encode(reply)))

    stream = Stream(programs)
    try:
        say(run(job, stream, say) if isinstance(job, messages.RunJob) else grade(job, stream, say))
    except Unusable as error:
        say(messages.Refused(message=str(error)))


def limit() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Stream:
    """The tracer's replies, in order; what cannot be read ends it, and `broken` says why."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.broken: str | None = None
        self.replies = self.read()

    def read(self) -> Iterator[Reply]:
        frames = Frames(LARGEST_FRAME)
        while chunk := os.read(self.descriptor, 1 << 18):
            try:
                for data in frames.feed(chunk):
                    yield decode_reply(data)
            except (TooLong, msgspec.MsgspecError, RecursionError, ValueError) as error:
                self.broken = f"{error}"
                return
        if frames.pending:
            self.broken = "it breaks off"

    def opening(self) -> Opening:
        """The first replies: the jail's layers, then which problem the submission is for, or why it is for none."""
        layers: tuple[str, ...] = ()
        for position, reply in enumerate(self.replies):
            match reply:
                case Confined() if position == 0:  # later ones may be the submission's own words
                    layers = tuple(reply.in_force)
                case Loaded() | Failed():
                    return Opening(layers, reply)
                case _:
                    break
        return Opening(layers, None)


@dataclass(frozen=True)
class Opening:
    layers: tuple[str, ...]
    reply: Loaded | Failed | None


def grade(job: messages.GradeJob, stream: Stream, say: Callable[[messages.Reply], None]) -> messages.Judged:
    opening = stream.opening()
    if isinstance(opening.reply, Failed):
        if opening.reply.kind == "several":
            raise Unusable(opening.reply.error.message)
        return messages.Judged(report=unloaded(job, opening.layers, opening.reply), complete=True)
    if opening.reply is None or job.problem not in (None, opening.reply.problem):
        return messages.Judged(report=unloaded(job, opening.layers, None), complete=False)
    problem = load(opening.reply.problem)
    cases = load_cases(problem, None if job.cases_root is None else Path(job.cases_root))
    judging = Judging(job, problem, cases, opening.layers, lambda report: say(messages.Running(report=report)))
    recogniser = Recogniser(job.known, len(judging.requests))
    for reply in stream.replies:
        for each in recogniser.pass_on(reply):
            judging.reply(each)
        if recogniser.same_as is not None:
            return recognised(judging, recogniser.first, recogniser.same_as)
        if judging.finished:
            break
    for each in recogniser.give_up():
        judging.reply(each)
    if stream.broken is not None:
        judging.unreadable(stream.broken)
    report = judging.report()
    return messages.Judged(report=report, complete=judging.complete, known=to_remember(judging, report))


def recognised(judging: Judging, first: Traced, same: Known) -> messages.Judged:
    """What is this submission's own in its report, and where its findings stand."""
    sketch = judging.sketch(first)
    flow = sketch.flow
    if judging.shown is not None:
        seen, _ = judging.shown
        flow = diagram(seen.program, judging.problem.parameters, seen.leaves, same.findings)
    generated = Generated(examples=0, shapes=0, of_shapes=0, status="skipped", never_taken=same.never_taken)
    report = msgspec.structs.replace(sketch, findings=same.findings, flow=flow, generated=generated)
    return messages.Judged(report=report, complete=True, same_as=same.marks[-1])


def to_remember(judging: Judging, report: Report) -> Known | None:
    digests = judging.recognised_by()
    if not judging.complete or digests is None:
        return None
    return known(report, digests, {each.number: each.program for each in judging.programs})
