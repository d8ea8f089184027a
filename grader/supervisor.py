"""Grades a submission: starts the tracer and the referee, keeps the deadlines, and says what came of it.

Theory of operation. A `Judge` owns a zygote (`grader.children`), which forks two children a submission:

    tracer   (jailed) gets the submission and the shapes to trace; writes frames; prints
    referee  gets the same plan and, through this process, the tracer's frames; writes a report

This process relays bytes and reads none of the submission's: what the tracer sends is bounded here and
decoded in the referee. It keeps one deadline for all of the tracer's work and one for the referee's, polls
the memory of the tracer's process tree, and kills what exceeds them. Either may die in any way; what the
death says about the submission is added to the report here. No traceback reaches the reader.
"""

from __future__ import annotations

import os
import selectors
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import msgspec

from grader.cases import CaseError, choose, load_cases, parse
from grader.children import Ended, Zygote, ZygoteDied
from grader.errors import Unusable
from grader.frames import Frames, TooLong
from grader.memory import Kind, Memory, completed, kind
from grader.problem import Problem, concrete
from grader.problems import load, problem_ids
from grader.referee import messages, plan
from grader.report.model import Finding, Report, RunReport, Verdict, verdict
from grader.request import GradeRequest, Limits, RunRequest
from grader.tracer.jail import allowed_environment
from grader.tracer.jail.watch import tree_memory
from grader.tracer.messages import Candidate, Confinement, Job, Request
from grader.zygote import REFEREE, TRACER

SECONDS = 30.0
"""Default limit of a submission's wall-clock time, loading and tracing together."""
MEMORY = 2 << 30
"""Default limit of the memory of a submission's process tree, bytes."""
REFEREE_SECONDS = 120.0
"""What judging may take after the last program has come, at least."""
REFEREE_MEMORY = 8 << 30
"""What judging may hold; the sizes of programs are bounded so that only a hostile one needs it."""
OUTPUT_KEPT = 64 << 10
"""Bytes kept of what a submission prints; the rest is read and thrown away."""
TRACED_BYTES = 256 << 20
"""Bytes that the tracer may send in all."""
POLL_SECONDS = 0.05


class Judge:
    """Grades submissions one after another with JAX imported once.

    A context manager. Thread-safe: calls from several threads are served in turn. What ``memory`` holds is not
    judged again; judges may share one.
    """

    def __init__(self, memory: Memory | None = None) -> None:
        self.memory = Memory() if memory is None else memory
        self.lock = threading.Lock()
        self.zygote: Zygote | None = None

    def __enter__(self) -> Judge:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Begin importing JAX in the background; grading does it when it was not done."""
        if self.zygote is None or self.zygote.process.poll() is not None:
            self.zygote = Zygote(allowed_environment(dict(os.environ)))

    def close(self) -> None:
        if self.zygote is not None:
            self.zygote.close()
            self.zygote = None

    def grade(self, request: GradeRequest) -> Report:
        """Judge a submission. Raises `Unusable` for wrong usage and broken case or problem files."""
        with self.lock:
            self.start()
            began = time.monotonic()
            candidates = candidates_for_grading(request)
            alike = kind(request, [each.problem for each in candidates])
            job = messages.GradeJob(
                display_name=request.display_name,
                problem=request.problem,
                quick=request.quick,
                examples=request.examples,
                cases=request.cases,
                cases_root=None if request.cases_root is None else str(request.cases_root),
                seed=request.seed,
                known=self.memory.known(alike),
            )
            outcome = self.work(request.submission, request.display_name, candidates, job, request.limits,
                                request.require_sandbox)  # fmt: skip
            outcome = self.remembered(alike, outcome)
            report = graded(request, outcome, time.monotonic() - began)
            if isinstance(outcome.reply, messages.Judged) and outcome.reply.known is not None:
                self.memory.keep(alike, outcome.reply.known, report)
            return report

    def remembered(self, alike: Kind, outcome: Outcome) -> Outcome:
        """With all of the report, when the referee says that it is that on programs judged before."""
        reply = outcome.reply
        if not isinstance(reply, messages.Judged) or reply.same_as is None:
            return outcome
        known = self.memory.recall(alike, reply.same_as)
        if known is None:
            return replace(outcome, reply=None, fault="it forgot what it had judged")
        return replace(outcome, reply=msgspec.structs.replace(reply, report=completed(reply.report, known)))

    def run(self, request: RunRequest) -> RunReport:
        """Run a submission on given inputs. Raises `Unusable` when they fit no problem."""
        with self.lock:
            self.start()
            began = time.monotonic()
            candidates = candidates_for_running(request)
            job = messages.RunJob(
                display_name=request.display_name,
                problem=request.problem,
                inputs=request.inputs,
                inputs_name=request.inputs_name,
            )
            outcome = self.work(request.submission, request.display_name, candidates, job, request.limits, False)
            return ran(request, outcome, time.monotonic() - began)

    def work(
        self,
        submission: bytes,
        name: str,
        candidates: tuple[Candidate, ...],
        job: messages.Job,
        limits: Limits,
        require_sandbox: bool,
    ) -> Outcome:
        assert self.zygote is not None
        seconds = SECONDS if limits.seconds is None else limits.seconds
        memory = MEMORY if limits.bytes is None else limits.bytes
        tracer_job = Job(
            source=submission,
            display_name=name,
            candidates=candidates,
            confinement=Confinement(seconds=seconds, memory_bytes=memory, require=require_sandbox),
        )
        try:
            session = Session(
                self.zygote, msgspec.msgpack.encode(tracer_job), msgspec.msgpack.encode(job), seconds, memory
            )
            try:
                return session.run()
            finally:
                session.close()
        except ZygoteDied as death:
            self.close()
            return Outcome(fault=f"JAX could not be started: {death}")


def grade(request: GradeRequest) -> Report:
    """Judge one submission with a judge of its own; see `Judge.grade`."""
    with Judge() as judge:
        return judge.grade(request)


def run(request: RunRequest) -> RunReport:
    """Run one submission with a judge of its own; see `Judge.run`."""
    with Judge() as judge:
        return judge.run(request)


# ── what to ask the tracer for ───────────────────────────────────────────────────────────────────


def mentioned(submission: bytes) -> list[str]:
    """The problems whose function the file may define: those that it names, or all when it names none."""
    ids = problem_ids()
    return [each for each in ids if each.encode() in submission] or ids


def candidates_for_grading(request: GradeRequest) -> tuple[Candidate, ...]:
    ids = mentioned(request.submission) if request.problem is None else [request.problem]
    candidates = []
    for each in ids:
        problem = load(each)
        cases = choose(load_cases(problem, request.cases_root), request.cases)
        shapes = [dict(case.shape) for case in cases]
        shapes = plan.requests(problem, shapes, quick=request.quick, cases_only=bool(request.cases))
        candidates.append(candidate(problem, shapes))
    return tuple(candidates)


def candidates_for_running(request: RunRequest) -> tuple[Candidate, ...]:
    ids = mentioned(request.submission) if request.problem is None else [request.problem]
    candidates, errors = [], []
    for each in ids:
        problem = load(each)
        try:
            case = parse(problem, request.inputs, request.inputs_name)
        except CaseError as error:
            errors.append(error)
            continue
        candidates.append(candidate(problem, [dict(case.shape)]))
    if not candidates:
        raise errors[0]
    return tuple(candidates)


def candidate(problem: Problem, shapes: list[dict[str, int]]) -> Candidate:
    return Candidate(
        problem=problem.id,
        entry=problem.id,
        parameters=problem.arguments,
        gradient=problem.gradient is not None,
        requests=tuple(
            Request(id=number, arguments=tuple((concrete(each.shape, shape), each.dtype) for each in problem.inputs))
            for number, shape in enumerate(shapes)
        ),
    )


# ── one submission's two processes ───────────────────────────────────────────────────────────────


@dataclass
class Outcome:
    """What came of the two processes."""

    reply: messages.Reply | None = None
    running: bool = False
    """The referee had begun to run the submission's programs when it ended."""
    partial: Report | None = None
    tracer: Ended | None = None
    referee: Ended | None = None
    stopped: Verdict | None = None
    """TLE or MLE: the tracer was killed for it."""
    referee_stopped: Verdict | None = None
    printed: bytes = b""
    not_kept: int = 0
    referee_said: bytes = b""
    limits: tuple[float, int] = (SECONDS, MEMORY)
    fault: str | None = None
    flooded: bool = False


@dataclass
class Writer:
    """Bytes on their way into a pipe."""

    descriptor: int
    pending: bytearray = field(default_factory=bytearray)
    ended: bool = False
    """Nothing more will come: close when all is written."""


class Session:
    def __init__(self, zygote: Zygote, tracer_job: bytes, referee_job: bytes, seconds: float, memory: int) -> None:
        self.zygote = zygote
        self.seconds, self.memory = seconds, memory
        self.open: set[int] = set()
        self.selector = selectors.DefaultSelector()
        self.outcome = Outcome(limits=(seconds, memory))
        self.readers: dict[int, Callable[[bytes], None]] = {}
        self.writers: dict[int, Writer] = {}
        self.replies = Frames(limit=256 << 20)
        self.sent = 0

        job_read, job_write = self.pipe()
        traced_read, traced_write = self.pipe()
        printed_read, printed_write = self.pipe()
        nothing, _ = self.pipe()
        self.tracer = zygote.fork(TRACER, [job_read, traced_write, nothing, printed_write])
        self.began = time.monotonic()
        self.shut(job_read, traced_write, printed_write)
        plan_read, plan_write = self.pipe()
        programs_read, programs_write = self.pipe()
        said_read, said_write = self.pipe()
        report_read, report_write = self.pipe()
        self.referee = zygote.fork(REFEREE, [plan_read, report_write, programs_read, said_write])
        self.shut(plan_read, report_write, programs_read, said_write)

        self.programs = self.write_to(programs_write)
        self.programs_descriptor = programs_write
        for descriptor, data in ((job_write, tracer_job), (plan_write, referee_job)):
            writer = self.write_to(descriptor)
            writer.pending += data
            writer.ended = True
        self.traced = traced_read
        self.read_from(traced_read, self.relay)
        self.read_from(printed_read, self.keep)
        self.read_from(report_read, self.take_reply)
        self.read_from(said_read, self.keep_referee_words)
        self.selector.register(zygote.control, selectors.EVENT_READ)

    def pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self.open.update(ends)
        return ends

    def shut(self, *descriptors: int) -> None:
        for each in descriptors:
            if each in self.open:
                self.open.discard(each)
                os.close(each)

    def write_to(self, descriptor: int) -> Writer:
        os.set_blocking(descriptor, False)
        writer = self.writers[descriptor] = Writer(descriptor)
        return writer

    def read_from(self, descriptor: int, take: Callable[[bytes], None]) -> None:
        os.set_blocking(descriptor, False)
        self.readers[descriptor] = take
        self.selector.register(descriptor, selectors.EVENT_READ)

    # ── what is read ─────────────────────────────────────────────────────────────────────────────

    def relay(self, chunk: bytes) -> None:
        self.sent += len(chunk)
        if self.sent > TRACED_BYTES:
            self.outcome.flooded = True
            self.tracer.kill()
            return
        if self.programs_descriptor in self.writers:
            self.programs.pending += chunk

    def keep(self, chunk: bytes) -> None:
        room = OUTPUT_KEPT - len(self.outcome.printed)
        self.outcome.printed += chunk[:room]
        self.outcome.not_kept += max(len(chunk) - room, 0)

    def keep_referee_words(self, chunk: bytes) -> None:
        self.outcome.referee_said = (self.outcome.referee_said + chunk)[-OUTPUT_KEPT:]

    def take_reply(self, chunk: bytes) -> None:
        try:
            for data in self.replies.feed(chunk):
                reply = msgspec.msgpack.decode(data, type=messages.Reply)
                if isinstance(reply, messages.Running):
                    self.outcome.running = True
                    self.outcome.partial = reply.report
                else:
                    self.outcome.reply = reply
        except (TooLong, msgspec.MsgspecError) as error:
            self.outcome.fault = f"the referee's answer cannot be read: {error}"
            self.referee.kill()

    # ── the loop ─────────────────────────────────────────────────────────────────────────────────

    def run(self) -> Outcome:
        polled = 0.0
        traced_at: float | None = None
        while self.referee.ended is None:
            now = time.monotonic()
            if self.tracer.ended is None:
                if now - self.began > self.seconds and self.outcome.stopped is None:
                    self.stop_tracer(Verdict.TLE)
                elif now - polled > POLL_SECONDS and self.outcome.stopped is None:
                    polled = now
                    if tree_memory(self.tracer.pid) > self.memory:
                        self.stop_tracer(Verdict.MLE)
            elif traced_at is None:
                traced_at = now
                self.drain(self.traced)
                self.end_programs()
            if traced_at is not None and now - traced_at > max(REFEREE_SECONDS, self.seconds):
                self.outcome.referee_stopped = self.outcome.referee_stopped or Verdict.TLE
                self.referee.kill()
            elif traced_at is not None and now - polled > POLL_SECONDS:
                polled = now
                if tree_memory(self.referee.pid) > REFEREE_MEMORY:
                    self.outcome.referee_stopped = self.outcome.referee_stopped or Verdict.MLE
                    self.referee.kill()
            self.step(POLL_SECONDS)
        self.outcome.tracer = self.tracer.ended  # what it does after its work is done says nothing
        self.tracer.kill()
        until = time.monotonic() + 5.0
        while self.tracer.ended is None and time.monotonic() < until:
            self.step(POLL_SECONDS)
        for descriptor in list(self.readers):
            self.drain(descriptor)
        self.outcome.referee = self.referee.ended
        return self.outcome

    def stop_tracer(self, why: Verdict) -> None:
        self.outcome.stopped = why
        self.tracer.kill()

    def end_programs(self) -> None:
        """The tracer is gone: the referee gets what there is, and the end of it."""
        self.programs.ended = True

    def step(self, timeout: float) -> None:
        """Move bytes where they can be moved; wait at most ``timeout`` seconds for something to happen."""
        for writer in list(self.writers.values()):
            self.push(writer)
        for key, _ in self.selector.select(timeout):
            if key.fileobj is self.zygote.control:
                self.zygote.take_event()
            elif key.fd in self.writers:
                self.push(self.writers[key.fd])
            elif key.fd in self.readers:
                self.pull(key.fd)

    def pull(self, descriptor: int) -> bool:
        try:
            chunk = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if chunk:
            self.readers[descriptor](chunk)
            return True
        self.selector.unregister(descriptor)
        del self.readers[descriptor]
        self.shut(descriptor)
        return False

    def drain(self, descriptor: int) -> None:
        """Read what is there now, and no more: whoever holds the other end may go on writing."""
        for _ in range(64):
            if descriptor not in self.readers or not self.pull(descriptor):
                return

    def push(self, writer: Writer) -> None:
        descriptor = writer.descriptor
        waiting = descriptor in self.selector.get_map()
        try:
            while writer.pending:
                written = os.write(descriptor, writer.pending[: 1 << 20])
                del writer.pending[:written]
        except BlockingIOError:
            if not waiting:
                self.selector.register(descriptor, selectors.EVENT_WRITE)
            return
        except OSError:  # its reader is gone; how it ended will tell why
            writer.pending.clear()
            writer.ended = True
        if waiting:
            self.selector.unregister(descriptor)
        if writer.ended:
            del self.writers[descriptor]
            self.shut(descriptor)

    def close(self) -> None:
        self.tracer.kill()
        self.referee.kill()
        self.selector.close()
        self.shut(*self.open.copy())


# ── what it means ────────────────────────────────────────────────────────────────────────────────


def graded(request: GradeRequest, outcome: Outcome, seconds: float) -> Report:
    """The report: the referee's, with what the two processes' ends add to it."""
    if isinstance(outcome.reply, messages.Refused):
        raise Unusable(outcome.reply.message)
    base = outcome.reply.report if isinstance(outcome.reply, messages.Judged) else outcome.partial
    if base is None:
        base = Report(verdict=Verdict.IE, problem=request.problem, submission=request.display_name)
    findings = (*base.findings, *deaths(outcome, isinstance(outcome.reply, messages.Judged), base.findings))
    return msgspec.structs.replace(
        base, findings=findings, verdict=verdict(findings), output=printed(outcome), seconds=round(seconds, 3)
    )


def ran(request: RunRequest, outcome: Outcome, seconds: float) -> RunReport:
    if isinstance(outcome.reply, messages.Refused):
        raise Unusable(outcome.reply.message)
    base = outcome.reply.report if isinstance(outcome.reply, messages.Ran) else None
    if base is None:
        base = RunReport(problem=request.problem, submission=request.display_name)
    findings = (*base.findings, *deaths(outcome, isinstance(outcome.reply, messages.Ran), base.findings))
    return msgspec.structs.replace(base, findings=findings, output=printed(outcome), seconds=round(seconds, 3))


def printed(outcome: Outcome) -> str:
    text = outcome.printed.decode("utf-8", "replace")
    return text + (f"\n… ({outcome.not_kept:,} more bytes)" if outcome.not_kept else "")


def deaths(outcome: Outcome, judged: bool, known: tuple[Finding, ...]) -> list[Finding]:
    """What the ends of the two processes say about the submission, or about the judge."""
    seconds, memory = outcome.limits
    found = []
    if outcome.fault is not None:
        found.append(error("judge", Verdict.IE, f"The judge failed: {outcome.fault}.", REPORT_IT))
    elif outcome.stopped == Verdict.TLE:
        found.append(
            error(
                "time-limit",
                Verdict.TLE,
                f"Loading and tracing the submission took longer than {seconds:g} s.",
                "Look for a loop that does not end, for waiting or reading input, and for work done in Python that "
                "belongs into the program.",
            )
        )
    elif outcome.stopped == Verdict.MLE:
        found.append(memory_limit(memory))
    elif outcome.flooded:
        found.append(
            error("too-much-data", Verdict.RE, "The submission's programs are too large to be judged.", SMALLER)
        )
    elif not complete(outcome) and (judged or (outcome.tracer is not None and outcome.tracer.status)):
        found.append(tracer_death(outcome.tracer or Ended(0), seconds))
    if not judged and outcome.fault is None:
        found.extend(referee_death(outcome, seconds))
    return found


def complete(outcome: Outcome) -> bool:
    """The tracer said all that it was asked; how its process then ended is of no interest."""
    reply = outcome.reply
    return isinstance(reply, messages.Judged | messages.Ran | messages.Refused) and reply.complete


REPORT_IT = "Nothing is said about the submission. Please report this with the file."
SMALLER = "Write loops over array elements as array operations, or as lax.scan or fori_loop."


def error(id: str, verdict: Verdict, message: str, help: str) -> Finding:
    return Finding(kind="error", id=id, verdict=verdict, message=message, help=help)


def memory_limit(memory: int) -> Finding:
    return error(
        "memory-limit",
        Verdict.MLE,
        f"Loading and tracing the submission used more than {memory / (1 << 20):,.0f} MiB of memory.",
        "Tracing needs no large arrays: look for arrays made at import, and for lists that grow without end.",
    )


def tracer_death(ended: Ended, seconds: float) -> Finding:
    if ended.status == -24:  # SIGXCPU
        return error(
            "time-limit",
            Verdict.TLE,
            f"Loading and tracing the submission used more processor time than {seconds:g} s allow.",
            "Look for a loop that does not end, and for threads that spin.",
        )
    if ended.status == 77:
        return error(
            "sandbox",
            Verdict.IE,
            "A layer of the sandbox that was required is missing on this machine; the submission was not run.",
            "`grader doctor` names the layers and why one is missing.",
        )
    return error(
        "process-ended",
        Verdict.RE,
        f"The submission ended its process ({ended.words}) before it was traced.",
        "Do not call sys.exit or os._exit, and do not send signals: the function is to return its result.",
    )


def referee_death(outcome: Outcome, seconds: float) -> list[Finding]:
    how = outcome.referee.words if outcome.referee is not None else "no answer"
    if outcome.referee_stopped == Verdict.MLE:
        return [
            error(
                "memory-limit",
                Verdict.MLE,
                "Judging and running the submission's programs took too much memory.",
                "Look for values much larger than the inputs.",
            )
        ]
    if outcome.referee_stopped is not None:
        return [
            error(
                "time-limit",
                Verdict.TLE,
                "Judging and running the submission's programs took too long.",
                "Look for loops in the program that run very long, and for very large values.",
            )
        ]
    if outcome.running:
        return [
            error(
                "run-died",
                Verdict.RE,
                f"Running the program on 8 devices ended the process ({how}).",
                "A collective that only some devices reach does that: call psum and its like on every device.",
            )
        ]
    said = outcome.referee_said.decode("utf-8", "replace").strip().splitlines()
    last = f": {said[-1]}" if said else ""
    return [error("judge", Verdict.IE, f"The judge's referee ended without an answer ({how}){last}", REPORT_IT)]
