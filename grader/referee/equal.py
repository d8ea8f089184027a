"""Recognises programs that were judged before: equal programs are judged once.

In: the tracer's replies, and what is known of sets of programs that were judged under the same job (`Known`).
Out: the replies that are to be judged, and at the end whether all programs are those of a known set, and what was
found of them, with the lines of this submission.

Theory of operation. The *marks* of programs are the hashes of the first 1, 4, 16, ... and of all of them, each
program standing for itself by its digest (`grader.program.digest`) and by its place among the requests. While
what has come agrees with the marks of a known set, replies are held back, which costs a decoding and a digest
each; at the first mark with which none agrees they are all judged after all.

A digest tells no lines. So a place that a finding names is known by its *address*: which program, and the digest
of an equation that stands there. In an equal program the same equation is found by its digest, and where it stands
there is the place.

Only what follows from the programs alone is ever known: no errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TypeAlias, TypeVar

import msgspec

from grader.program.digest import digest, equation_digests
from grader.program.prune import prune
from grader.program.types import Mesh, Program, Source
from grader.program.wire import Malformed, from_bytes
from grader.referee.known import Address, Known, Marks
from grader.report.model import Finding, Place, Report, Verdict
from grader.tracer.messages import Finished, Reply, Traced

KEPT = (Verdict.AC, Verdict.RV, Verdict.WA)
"""Verdicts that follow from the programs."""


# ── what is to be known ──────────────────────────────────────────────────────────────────────────


def known(report: Report, digests: Sequence[str], programs: Mapping[int, Program]) -> Known | None:
    """What to remember of a judgement; None when it is not to be taken over.

    ``digests``: of every program that was asked for, in order; ``programs``: the pruned ones, by request.
    """
    dark = () if report.generated is None else report.generated.never_taken
    if report.verdict not in KEPT or any(each.kind == "error" for each in report.findings):
        return None
    found = addresses({spot(each) for each in places(report.findings, dark)}, programs)
    if found is None:
        return None
    return Known(marks=marks(digests), findings=report.findings, never_taken=dark, addresses=found)


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


def places(findings: Iterable[Finding], dark: Iterable[Place]) -> Iterator[Finding | Place]:
    """Everything that names a line."""
    for each in findings:
        if each.line is not None:
            yield each
        yield from each.also
    yield from dark


Spot: TypeAlias = tuple[int, int, int, int]


def spot(place: Finding | Place) -> Spot:
    return place.line or 0, place.column or 0, place.end_line or 0, place.end_column or 0


def addresses(spots: set[Spot], programs: Mapping[int, Program]) -> tuple[Address, ...] | None:
    """An address for each spot; None when no equation of any program stands at one."""
    found: list[Address] = []
    for request, program in programs.items():
        if not spots:
            break
        standing: dict[Spot, list[Address]] = {}
        for (made, nth), source in standing_at(program).items():
            whole = (source.line, source.column, source.end_line, source.end_column)
            for each in spots & {whole, (*whole[:2], 0, 0)}:
                standing.setdefault(each, []).append(Address(each, request, made, nth))
        alike = Counter(made for made, _ in standing_at(program))
        # Best an equation that is like no other: which is which of several is a matter of their order.
        found += [min(there, key=lambda each: alike[each.equation]) for there in standing.values()]
        spots = spots - standing.keys()
    return None if spots else tuple(found)


def standing_at(program: Program) -> dict[tuple[str, int], Source]:
    """Where the equations stand, by their digest and which of those that have it they are."""
    seen: Counter[str] = Counter()
    found = {}
    for equation, made in equation_digests(program):
        if equation.source is not None and equation.source.line:
            found[made, seen[made]] = equation.source
        seen[made] += 1
    return found


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


def meshes(whole: Program) -> tuple[tuple[Source | None, Mesh], ...]:
    """The shard_maps of a program, dead ones too."""
    found = [
        (equation.source, equation.params.get("mesh"))
        for body in whole.bodies
        for equation in body.equations
        if equation.primitive == "shard_map"
    ]
    return tuple((place, mesh) for place, mesh in found if isinstance(mesh, Mesh))


def told(whole: Program, pruned: Program, own: str) -> str:
    """A digest of all of a program that a report depends on. ``own``: that of the pruned program.

    Dead code counts in two ways: what bodies receive without using it, and the meshes of a program that has no
    live shard_map.
    """
    if received_more(whole, pruned):
        own = f"{own} {digest(prune(whole, keep_received=True), pruned=True)}"
        own = f"{own} {[each for _, each in meshes(whole)]}"
    return own


# ── recognising it ───────────────────────────────────────────────────────────────────────────────


class Recogniser:
    """Holds replies back as long as they may all be programs of a known set."""

    def __init__(self, known: Collection[Known], requests: int) -> None:
        """``requests``: how many programs make a set."""
        self.marks = {mark for each in known for mark in each.marks}
        self.sets = {each.marks[-1]: each for each in known}
        self.requests = requests
        self.held: list[Reply] = []
        self.digests: list[str] = []
        self.programs: list[Program] = []
        self.hopeful = bool(known)
        self.same_as: Known | None = None
        """The known set that all programs are those of; its places are those of this submission."""

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

    @property
    def first(self) -> Traced:
        """The first of the programs that were recognised."""
        return next(each for each in self.held if isinstance(each, Traced))

    def agrees(self, reply: Traced) -> bool:
        if reply.request != len(self.digests):
            return False
        try:
            whole = from_bytes(reply.program)
        except Malformed:
            return False
        program = prune(whole)
        self.programs.append(program)
        self.digests.append(told(whole, program, digest(program, pruned=True)))
        return not is_mark(len(self.digests)) or marks(self.digests)[-2] in self.marks

    def complete(self) -> bool:
        same = self.sets.get(marks(self.digests)[-1])
        if len(self.digests) == self.requests and same is not None:
            self.same_as = moved(same, self.programs)
        return self.same_as is not None


def moved(same: Known, programs: Sequence[Program]) -> Known | None:
    """With the places of equal programs; None when one has none there."""
    here: dict[Spot, Source] = {}
    for request in {each.request for each in same.addresses}:
        sources = standing_at(programs[request])
        for each in same.addresses:
            if each.request == request:
                source = sources.get((each.equation, each.nth))
                if source is None:
                    return None
                here[each.spot] = source
    findings = tuple(
        msgspec.structs.replace(
            at(each, here) if each.line is not None else each, also=tuple(at(place, here) for place in each.also)
        )
        for each in same.findings
    )
    return msgspec.structs.replace(
        same, findings=findings, never_taken=tuple(at(each, here) for each in same.never_taken)
    )


Named = TypeVar("Named", Finding, Place)


def at(place: Named, here: Mapping[Spot, Source]) -> Named:
    """The same, where it stands in this submission; ends are told where they were."""
    source = here[spot(place)]
    return msgspec.structs.replace(
        place,
        line=source.line,
        column=source.column or None,
        end_line=(source.end_line or None) if place.end_line is not None else None,
        end_column=(source.end_column or None) if place.end_column is not None else None,
    )
