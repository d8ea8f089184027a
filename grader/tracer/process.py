"""What the tracer's process does with a job: load the submission, trace each request, send what comes of it.

No number is computed, and none is known here: a job holds the submission's bytes and shapes. Everything that
the submission may raise becomes a reply; what it prints goes where this process's output goes.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator

import jax
import msgspec

from grader.frames import frame, write_all
from grader.program.wire import DEFAULT_LIMITS, to_bytes
from grader.tracer.entry_point import Entry, choose
from grader.tracer.errors import TooLarge, Unsupported
from grader.tracer.explain import explain, show_all_frames
from grader.tracer.load import load
from grader.tracer.messages import (
    Candidate,
    Failed,
    Finished,
    Job,
    Loaded,
    Reply,
    Request,
    Traced,
    TraceError,
    Untraceable,
)
from grader.tracer.places import Places
from grader.tracer.trace import trace

DEVICES = 8
GIVE_UP_AFTER = 8
"""When so many requests have failed, all in the same way, the others will as well."""


def serve(job: Job, replies: int) -> None:
    """Serve a job, writing frames to the descriptor ``replies``.

    Works in a process that was forked after ``import jax``, as long as no backend had been started. Returns
    when all is said; stops in silence when nobody reads any more.
    """
    prepare()
    with contextlib.suppress(BrokenPipeError):
        for reply in answers(job):
            write_all(replies, frame(msgspec.msgpack.encode(reply)))
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):
            stream.flush()


def prepare() -> None:
    """Make JAX have eight CPU devices, and whole tracebacks."""
    flags = os.environ.get("XLA_FLAGS", "")
    if "xla_force_host_platform_device_count" not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count={DEVICES}".strip()
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    update: Callable[[str, object], None] = jax.config.update
    update("jax_platforms", os.environ["JAX_PLATFORMS"])
    show_all_frames()


def answers(job: Job) -> Iterator[Reply]:
    """The replies to a job, in order."""
    places = Places(job.display_name.replace("\0", "?"))
    module = load(job.source, places)
    chosen = module if isinstance(module, Failed) else choose(module, job.candidates, places.filename)
    if isinstance(chosen, Failed):
        yield chosen
    else:
        candidate, entry = chosen
        yield Loaded(candidate.problem)
        yield from traced(candidate, entry, places)
    yield Finished()


def traced(candidate: Candidate, entry: Entry, places: Places) -> Iterator[Reply]:
    """An answer to each request, until it is plain that all will fail alike."""
    failures: set[tuple[str, str, int | None]] = set()
    for count, request in enumerate(candidate.requests, 1):
        reply = answer(request, entry, places, candidate.gradient)
        yield reply
        if isinstance(reply, Untraceable):
            failures.add((reply.error.kind, reply.error.type, reply.error.line))
        else:
            failures.add(("", "", count))  # equal to no other
        if count >= GIVE_UP_AFTER and len(failures) == 1:
            return


def answer(request: Request, entry: Entry, places: Places, gradient: bool = False) -> Traced | Untraceable:
    program = trace(entry, request.arguments, places, gradient)
    if isinstance(program, TraceError):
        return Untraceable(request.id, program)
    try:
        data = to_bytes(program)
    except (ValueError, OverflowError, TypeError) as error:
        reason = Unsupported(f"a value that cannot be written down ({type(error).__name__})")
        return Untraceable(request.id, explain(reason, places))
    if len(data) > DEFAULT_LIMITS.bytes:
        large = TooLarge(f"the program takes {len(data):,} bytes; at most {DEFAULT_LIMITS.bytes:,} are read")
        return Untraceable(request.id, explain(large, places))
    return Traced(request.id, data)
