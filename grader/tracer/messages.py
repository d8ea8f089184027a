"""What the tracer is told and what it answers: one `Job` in, `Reply` frames out.

A job is MessagePack; a reply is a frame (four bytes of length, big-endian) around MessagePack. The order of
replies: `Confined` (what the jail has in force), `Loaded` or `Failed`, then for each request `Traced` or
`Untraceable`, then `Finished`. Everything but the first may have been written by the submission itself, so
whoever reads must take any of it for a claim: `decode_reply` guarantees types and bounds, nothing else.

Imports no JAX: the supervisor and the referee use these too.
"""

from __future__ import annotations

from typing import Annotated, Literal, Union

import msgspec
from msgspec import Meta

MESSAGE_LENGTH = 4_000
"""Characters kept of an exception's text."""
NAME_LENGTH = 200
"""Characters kept of a name: an exception's type, a function, a dict key."""
HELP_LENGTH = 1_000

Name = Annotated[str, Meta(max_length=NAME_LENGTH)]
Message = Annotated[str, Meta(max_length=MESSAGE_LENGTH)]
Help = Annotated[str, Meta(max_length=HELP_LENGTH)]
Place = Annotated[int, Meta(ge=1, le=1 << 31)]
Number = Annotated[int, Meta(ge=0, le=1 << 31)]


# ── to the tracer ────────────────────────────────────────────────────────────────────────────────


class Request(msgspec.Struct, frozen=True, array_like=True):
    """Trace once: for each parameter, in order, the shape and NumPy dtype name of its array."""

    id: int
    arguments: tuple[tuple[tuple[int, ...], str], ...]


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A problem that the submission may be for, told by the function it must define."""

    problem: str
    entry: str
    parameters: tuple[str, ...]
    requests: tuple[Request, ...]
    gradient: bool = False
    """Trace, beside what the function returns, the gradient of its sum with the last argument of each request."""


class Confinement(msgspec.Struct, frozen=True, kw_only=True):
    """The limits to put on the process before the submission is loaded."""

    seconds: float
    memory_bytes: int
    require: bool
    """Run nothing when a layer of the jail is missing."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One submission: its file's bytes, the name to call it by, and what may be asked of it."""

    source: bytes
    display_name: str
    candidates: tuple[Candidate, ...]
    confinement: Confinement


# ── from the tracer ──────────────────────────────────────────────────────────────────────────────


class TraceError(msgspec.Struct, frozen=True, array_like=True):
    """Why a submission could not be loaded or traced.

    ``kind`` is ``concretisation`` when a traced value was to become a Python or NumPy value,
    ``unsupported`` when the program was traced but cannot be written down as data (a limit of the judge's,
    not a fault of the submission's), else ``exception``. ``type`` is the exception's class, qualified by its
    module unless it is a builtin. The place is the innermost one in the submission; None: nowhere in it.
    ``help`` says what to do, where that is known.
    """

    kind: Literal["exception", "concretisation", "unsupported"]
    type: Name
    message: Message
    line: Place | None = None
    column: Place | None = None
    help: Help | None = None


class Confined(msgspec.Struct, frozen=True, array_like=True, tag="confined"):
    """The jail's layers in force, and for each missing one its name and why."""

    in_force: Annotated[tuple[Name, ...], Meta(max_length=64)]
    missing: Annotated[tuple[tuple[Name, Message], ...], Meta(max_length=64)]


class Loaded(msgspec.Struct, frozen=True, array_like=True, tag="loaded"):
    """The file was loaded and is for this problem."""

    problem: Name


class Failed(msgspec.Struct, frozen=True, array_like=True, tag="failed"):
    """The file gives no function to trace; nothing but `Finished` follows.

    ``kind`` by ``stage``:

    * load: ``source`` (no Python text), ``syntax``, ``import``, ``exception``, ``exit`` (it called sys.exit)
    * choose: ``missing`` (it defines no problem's function), ``several`` (it defines more than one)
    * entry: ``parameters`` (the function takes others), ``not-callable``
    """

    stage: Literal["load", "choose", "entry"]
    kind: Literal["source", "syntax", "import", "exception", "exit", "missing", "several", "parameters", "not-callable"]
    error: TraceError


class Traced(msgspec.Struct, frozen=True, array_like=True, tag="traced"):
    """A `grader.program.types.Program`, encoded."""

    request: Number
    program: bytes


class Untraceable(msgspec.Struct, frozen=True, array_like=True, tag="untraceable"):
    request: Number
    error: TraceError


class Finished(msgspec.Struct, frozen=True, array_like=True, tag="finished"):
    """Nothing more will be said; requests that got no answer were given up after the others all failed alike."""


Reply = Union[Confined, Loaded, Failed, Traced, Untraceable, Finished]

_decoder = msgspec.msgpack.Decoder(Reply)


def decode_reply(data: bytes) -> Reply:
    """One frame's content. Raises `msgspec.MsgspecError` (or RecursionError, ValueError) on anything else."""
    return _decoder.decode(data)
