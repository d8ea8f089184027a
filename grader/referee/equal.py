"""Recognises programs that were judged before and accepted: equal programs are judged once.

In: the tracer's replies, and for each accepted set of programs its *marks*. Out: the replies that are to be
judged, and at the end whether all programs are those of an accepted set.

Theory of operation. The marks of programs are the hashes of the first 1, 4, 16, ... and of all of them, each
program standing for itself by its digest (`grader.program.digest`) and by its place among the requests. While
what has come agrees with the marks of an accepted set, replies are held back, which costs a decoding and a
digest each; at the first mark with which none agrees they are all judged after all. Only reports without any
finding are ever taken over: a finding names lines, which a digest does not tell.

What decides over a program beside its digest is in none of these: a program that receives inputs in dead code
(some rules look at those) is never recognised, and has no marks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b

from grader.program.digest import digest
from grader.program.prune import prune
from grader.program.types import Program
from grader.program.wire import Malformed, from_bytes
from grader.tracer.messages import Finished, Reply, Traced

Marks = tuple[str, ...]


def marks(digests: Sequence[str]) -> Marks:
    """The marks of programs, from the digest of each, in the order of the requests."""
    running = blake2b(digest_size=16)
    found = []
    for count, each in enumerate(digests, 1):
        running.update(each.encode())
        if is_mark(count):
            found.append(running.hexdigest())
    return (*found, blake2b(f"{len(digests)} {running.hexdigest()}".encode(), digest_size=16).hexdigest())


def is_mark(count: int) -> bool:
    """1, 4, 16, 64, ..."""
    return count & (count - 1) == 0 and count.bit_length() % 2 == 1


def received_more(whole: Program, pruned: Program) -> bool:
    """Some shard_map lost operands when dead code was taken out."""

    def operands(program: Program) -> list[int]:
        return [
            len(equation.operands)
            for body in program.bodies
            for equation in body.equations
            if equation.primitive == "shard_map"
        ]

    return operands(whole) != operands(pruned)


class Recogniser:
    """Holds replies back as long as they may all be programs of an accepted set."""

    def __init__(self, known: Collection[Marks], requests: int) -> None:
        """``known``: the marks of accepted sets; ``requests``: how many programs make a set."""
        self.known = {mark for each in known for mark in each}
        self.sets = {each[-1] for each in known}
        self.requests = requests
        self.held: list[Reply] = []
        self.digests: list[str] = []
        self.hopeful = bool(known)
        self.same_as: str | None = None
        """The last mark of the accepted set that all programs are those of."""

    def pass_on(self, reply: Reply) -> Iterable[Reply]:
        """The replies that are to be judged now that ``reply`` has come."""
        if not self.hopeful:
            return (reply,)
        self.held.append(reply)
        if isinstance(reply, Finished):
            if self.complete():
                return ()
        elif isinstance(reply, Traced) and self.agrees(reply):
            return ()
        return self.give_up()

    def give_up(self) -> Iterable[Reply]:
        """All that was held back; from now on nothing is."""
        held, self.held = self.held, []
        self.hopeful = False
        return held

    def agrees(self, reply: Traced) -> bool:
        if reply.request != len(self.digests):
            return False
        try:
            whole = from_bytes(reply.program)
        except Malformed:
            return False
        program = prune(whole)
        if received_more(whole, program):
            return False
        self.digests.append(digest(program, pruned=True))
        return not is_mark(len(self.digests)) or marks(self.digests)[-2] in self.known

    @property
    def first(self) -> Traced:
        """The first of the programs that were recognised."""
        return next(each for each in self.held if isinstance(each, Traced))

    def complete(self) -> bool:
        last = marks(self.digests)[-1]
        if len(self.digests) == self.requests and last in self.sets:
            self.same_as = last
        return self.same_as is not None
