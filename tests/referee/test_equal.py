"""Programs that were judged before are recognised; nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import grader
from grader.memory import MOST, Memory, completed
from grader.program.digest import digest, equation_digests
from grader.program.wire import to_bytes
from grader.referee.equal import Recogniser, addresses, known, marks, moved, received_more, told
from grader.referee.known import Known
from grader.report.model import Finding, Generated, Place, Report, RuleResult, Verdict
from grader.tracer.messages import Finished, Reply, Traced, TraceError, Untraceable
from tests.referee.traced import mlp, trace

SHAPES = [{"B": b, "D": 2, "H": 8, "O": 1} for b in (1, 2, 3, 4)]
FINISHED = Finished()


def replies(function: Any) -> list[Reply]:
    traced = [Traced(number, to_bytes(trace(function, shape))) for number, shape in enumerate(SHAPES)]
    return [*traced, FINISHED]


def known_of(function: Any) -> Known:
    return Known(marks=marks([digest(trace(function, shape)) for shape in SHAPES]))


def passed_on(recogniser: Recogniser, given: list[Reply]) -> list[Reply]:
    return [each for reply in given for each in recogniser.pass_on(reply)]


RIGHT = mlp()
WRONG_LATE = mlp(lambda x, w1, b1, w2, b2, hidden, out: 1.0 if x.shape[0] == 4 else 0.0)


def test_equal_programs_are_held_back_and_recognised() -> None:
    recogniser = Recogniser([known_of(RIGHT)], len(SHAPES))
    assert passed_on(recogniser, replies(mlp())) == []
    assert recogniser.same_as == known_of(RIGHT)
    assert recogniser.first.request == 0


def test_one_other_program_among_them_and_all_are_judged() -> None:
    recogniser = Recogniser([known_of(RIGHT)], len(SHAPES))
    given = replies(WRONG_LATE)
    assert list(recogniser.pass_on(given[0])) == given[:1]  # the added zero is an equation: told apart at once
    given = replies(RIGHT)
    other = replies(WRONG_LATE)
    recogniser = Recogniser([known_of(RIGHT)], len(SHAPES))
    mixed = [*given[:3], other[3], FINISHED]
    assert passed_on(recogniser, mixed) == mixed
    assert recogniser.same_as is None


@pytest.mark.parametrize(
    "change",
    [
        lambda given: given[:-1],
        lambda given: [*given[:3], FINISHED],
        lambda given: [given[1], given[0], *given[2:]],
        lambda given: [given[0], *given],
        lambda given: [*given[:3], Untraceable(3, TraceError("exception", "E", "no")), FINISHED],
        lambda given: [*given[:3], Traced(3, b"no program"), FINISHED],
    ],
    ids=["not finished", "one missing", "out of order", "twice", "one untraceable", "one unreadable"],
)
def test_anything_else_is_judged(change: Any) -> None:
    recogniser = Recogniser([known_of(RIGHT)], len(SHAPES))
    given = change(replies(RIGHT))
    assert [*passed_on(recogniser, given), *recogniser.give_up()] == given
    assert recogniser.same_as is None


def test_nothing_known_and_nothing_is_held_back() -> None:
    recogniser = Recogniser([], len(SHAPES))
    for reply in replies(RIGHT):
        assert list(recogniser.pass_on(reply)) == [reply]


def test_marks_tell_order_and_number() -> None:
    assert len(marks(["a"] * 20)) == 4
    assert marks(["a", "b"])[-1] != marks(["b", "a"])[-1]
    assert marks(["a"])[-1] != marks(["a", "a"])[-1]
    assert marks(["a"] * 5)[0] == marks(["a"])[0]


def test_inputs_that_dead_code_receives_count() -> None:
    whole, pruned = trace(RIGHT, SHAPES[0]), trace(WRONG_LATE, SHAPES[0])
    assert not received_more(whole, whole)
    assert told(whole, whole, "d") == "d"
    more = msgspec.structs.replace(whole, bodies=whole.bodies[:-1])  # a program that lost its shard_map
    assert received_more(whole, more)
    assert told(whole, more, "d") != told(pruned, more, "d") != "d"


# ── places ───────────────────────────────────────────────────────────────────────────────────────

HERE = 1000


def lines_added(function: Any) -> list[Any]:
    """The function's programs as they would be HERE lines further down."""
    moved_down = []
    for shape in SHAPES:
        program = trace(function, shape)
        bodies = tuple(
            msgspec.structs.replace(
                body,
                equations=tuple(
                    msgspec.structs.replace(
                        each,
                        source=each.source
                        and msgspec.structs.replace(
                            each.source, line=each.source.line + HERE, end_line=each.source.end_line + HERE
                        ),
                    )
                    for each in body.equations
                ),
            )
            for body in program.bodies
        )
        moved_down.append(msgspec.structs.replace(program, bodies=bodies))
    return moved_down


def test_findings_move_with_the_lines_of_equal_programs() -> None:
    programs = [trace(RIGHT, shape) for shape in SHAPES]
    sources = [each.source for each, _ in equation_digests(programs[0]) if each.source is not None]
    first, last = sources[0], sources[-1]
    note = Place(
        line=last.line, column=last.column, end_line=last.end_line, end_column=last.end_column, note="and here"
    )
    finding = Finding(
        kind="rule",
        id="r",
        verdict=Verdict.RV,
        message="m",
        line=first.line,
        column=first.column,
        end_line=first.end_line,
        end_column=first.end_column,
        also=(note,),
    )
    nowhere = Finding(kind="numbers", id="n", verdict=Verdict.WA, message="m")
    dark = Place(line=last.line, column=last.column, note="never")
    report = msgspec.structs.replace(
        ACCEPTED,
        verdict=Verdict.RV,
        findings=(finding, nowhere),
        generated=Generated(examples=1, shapes=1, of_shapes=1, status="pass", never_taken=(dark,)),
    )
    remembered = known(report, [digest(each) for each in programs], dict(enumerate(programs)))
    assert remembered is not None
    assert moved(remembered, programs) == remembered
    below = moved(remembered, lines_added(RIGHT))
    assert below is not None
    assert (below.findings[0].line, below.findings[0].end_line) == (first.line + HERE, first.end_line + HERE)
    assert (below.findings[0].column, below.findings[0].end_column) == (first.column, first.end_column)
    assert below.findings[0].also[0].line == last.line + HERE
    assert below.findings[1] == nowhere
    assert (below.never_taken[0].line, below.never_taken[0].end_line) == (last.line + HERE, None)


def test_a_finding_at_no_equation_is_not_taken_over() -> None:
    programs = dict(enumerate(trace(RIGHT, shape) for shape in SHAPES))
    assert addresses({(99_999, 1, 0, 0)}, programs) is None
    assert addresses(set(), programs) == ()


def test_errors_and_faults_are_not_taken_over() -> None:
    error = Finding(kind="error", id="e", verdict=Verdict.RE, message="m")
    for verdict, findings in ((Verdict.RE, (error,)), (Verdict.RV, (error,)), (Verdict.IE, ())):
        report = msgspec.structs.replace(ACCEPTED, verdict=verdict, findings=findings)
        assert known(report, ["d"], {}) is None


# ── what is remembered ───────────────────────────────────────────────────────────────────────────

ACCEPTED = Report(verdict=Verdict.AC, problem="p", submission="a.py", rules=(RuleResult(id="r", status="pass"),))


def test_memory_is_by_kind_and_only_of_what_follows_from_the_programs() -> None:
    memory = Memory()
    memory.keep(b"k", Known(marks=("1",)), ACCEPTED)
    assert memory.known(b"k") == (Known(marks=("1",)),)
    assert memory.known(b"other") == ()
    assert memory.recall(b"other", "1") is None
    late = Finding(kind="error", id="process-ended", verdict=Verdict.RE, message="m")
    memory.keep(b"k", Known(marks=("2",)), msgspec.structs.replace(ACCEPTED, findings=(late,)))
    assert memory.recall(b"k", "2") is None


def test_memory_is_bounded_and_forgets_what_was_longest_unused() -> None:
    memory = Memory()
    for number in range(MOST):
        memory.keep(b"k", Known(marks=(f"{number}",)), ACCEPTED)
    memory.recall(b"k", "0")
    memory.keep(b"k", Known(marks=("new",)), ACCEPTED)
    assert len(memory.known(b"k")) == MOST
    assert memory.recall(b"k", "0") is not None
    assert memory.recall(b"k", "1") is None


def test_a_report_taken_over_keeps_its_own_name() -> None:
    sketch = msgspec.structs.replace(ACCEPTED, submission="b.py", rules=())
    assert completed(sketch, ACCEPTED) == msgspec.structs.replace(ACCEPTED, submission="b.py")


# ── through the judge ────────────────────────────────────────────────────────────────────────────

SOURCE = (Path(__file__).parents[2] / "solution" / "tensor_parallel_mlp.py").read_text()


@pytest.fixture(scope="module")
def judge() -> Iterator[grader.Judge]:
    with grader.Judge() as made:
        yield made


@pytest.fixture
def recalled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was recognised, as it is."""
    found: list[str] = []
    recall = Memory.recall

    def watched(self: Memory, kind: bytes, last: str) -> Report | None:
        found.append(last)
        return recall(self, kind, last)

    monkeypatch.setattr(Memory, "recall", watched)
    return found


TWICE = SOURCE.replace('"model") + b2', '"model") + b2 + b2')
UNUSED = SOURCE.replace('"model") + b2', '"model")')
NOT_ADDED_LATE = SOURCE.replace('"model") + b2', '"model") + b2 * (1 if x.shape[0] < 4 else 2)')


@pytest.mark.parametrize("source", [SOURCE, TWICE, UNUSED], ids=["accepted", "rule broken", "b2 received and not used"])
def test_a_judge_recognises_equal_programs(source: str, recalled: list[str]) -> None:
    """And the report is what it would have been."""
    renamed = "# by another\n\n" + source.replace("sharded", "split_up")
    with grader.Judge() as judge:
        alone = judge.grade_source(renamed.encode(), "b.py", quick=True)
    with grader.Judge() as judge:
        first = judge.grade_source(source.encode(), "a.py", quick=True)
        assert recalled == []
        again = judge.grade_source(renamed.encode(), "b.py", quick=True)
    assert len(recalled) == 1
    assert first != again
    assert msgspec.structs.replace(again, seconds=0) == msgspec.structs.replace(alone, seconds=0)


def test_a_judge_recognises_nothing_else(judge: grader.Judge, recalled: list[str]) -> None:
    assert judge.grade_source(SOURCE.encode(), quick=True).verdict is Verdict.AC
    assert judge.grade_source(NOT_ADDED_LATE.encode(), quick=True).verdict in (Verdict.RV, Verdict.WA)
    assert judge.grade_source(SOURCE.encode(), quick=True, seed=1).verdict is Verdict.AC
    assert recalled == []
