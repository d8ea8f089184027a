"""Programs that were accepted before are recognised; nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import grader
from grader.memory import MOST, Memory, completed
from grader.program.digest import digest
from grader.program.prune import prune
from grader.program.wire import to_bytes
from grader.referee.equal import Recogniser, marks
from grader.report.model import Finding, Generated, Place, Report, RuleResult, Verdict
from grader.tracer.messages import Finished, Reply, Traced, TraceError, Untraceable
from tests.referee.traced import mlp, trace

SHAPES = [{"B": b, "D": 2, "H": 8, "O": 1} for b in (1, 2, 3, 4)]
FINISHED = Finished()


def replies(function: Any) -> list[Reply]:
    traced = [Traced(number, to_bytes(trace(function, shape))) for number, shape in enumerate(SHAPES)]
    return [*traced, FINISHED]


def marks_of(function: Any) -> tuple[str, ...]:
    return marks([digest(prune(trace(function, shape))) for shape in SHAPES])


def passed_on(recogniser: Recogniser, given: list[Reply]) -> list[Reply]:
    return [each for reply in given for each in recogniser.pass_on(reply)]


RIGHT = mlp()
WRONG_LATE = mlp(lambda x, w1, b1, w2, b2, hidden, out: 1.0 if x.shape[0] == 4 else 0.0)


def test_equal_programs_are_held_back_and_recognised() -> None:
    known = marks_of(RIGHT)
    recogniser = Recogniser([known], len(SHAPES))
    assert passed_on(recogniser, replies(mlp())) == []
    assert recogniser.same_as == known[-1]
    assert recogniser.first.request == 0


def test_one_other_program_among_them_and_all_are_judged() -> None:
    recogniser = Recogniser([marks_of(RIGHT)], len(SHAPES))
    given = replies(WRONG_LATE)
    assert list(recogniser.pass_on(given[0])) == given[:1]  # the added zero is an equation: told apart at once
    given = replies(RIGHT)
    other = replies(WRONG_LATE)
    recogniser = Recogniser([marks_of(RIGHT)], len(SHAPES))
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
    recogniser = Recogniser([marks_of(RIGHT)], len(SHAPES))
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


ACCEPTED = Report(verdict=Verdict.AC, problem="p", submission="a.py", rules=(RuleResult(id="r", status="pass"),))
DARK = Generated(examples=1, shapes=1, of_shapes=1, status="pass", never_taken=(Place(line=3, note="never"),))


def test_only_what_was_accepted_without_a_word_is_remembered() -> None:
    memory = Memory()
    finding = Finding(kind="rule", id="r", verdict=Verdict.RV, message="m", line=3)
    memory.keep(b"k", ("1",), msgspec.structs.replace(ACCEPTED, verdict=Verdict.RV, findings=(finding,)))
    memory.keep(b"k", ("2",), msgspec.structs.replace(ACCEPTED, generated=DARK))
    memory.keep(b"k", (), ACCEPTED)
    assert memory.known(b"k") == ()
    memory.keep(b"k", ("3",), ACCEPTED)
    assert memory.known(b"k") == (("3",),)
    assert memory.known(b"other") == ()
    assert memory.recall(b"other", "3") is None


def test_memory_is_bounded_and_forgets_what_was_longest_unused() -> None:
    memory = Memory()
    for number in range(MOST):
        memory.keep(b"k", (f"{number}",), ACCEPTED)
    memory.recall(b"k", "0")
    memory.keep(b"k", ("new",), ACCEPTED)
    assert len(memory.known(b"k")) == MOST
    assert memory.recall(b"k", "0") is not None
    assert memory.recall(b"k", "1") is None


def test_a_report_taken_over_keeps_its_own_name() -> None:
    sketch = msgspec.structs.replace(ACCEPTED, submission="b.py", rules=())
    assert completed(sketch, ACCEPTED) == msgspec.structs.replace(ACCEPTED, submission="b.py")


# ── through the judge ────────────────────────────────────────────────────────────────────────────

SOURCE = (Path(__file__).parents[2] / "solution" / "tensor_parallel_mlp.py").read_text()
RENAMED = "# by another\n\n" + SOURCE.replace("sharded", "split_up")
LATE = SOURCE.replace('"model") + b2', '"model") + b2 * (1 if x.shape[0] < 4 else 2)')


@pytest.fixture(scope="module")
def judge() -> Iterator[grader.Judge]:
    with grader.Judge() as made:
        yield made


def test_a_judge_recognises_what_it_accepted_and_nothing_else(
    judge: grader.Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    recalled: list[str] = []
    recall = Memory.recall

    def watched(self: Memory, kind: bytes, last: str) -> Report | None:
        recalled.append(last)
        return recall(self, kind, last)

    monkeypatch.setattr(Memory, "recall", watched)
    first = judge.grade_source(SOURCE.encode(), "a.py", quick=True)
    assert (first.verdict, recalled) == (Verdict.AC, [])
    again = judge.grade_source(RENAMED.encode(), "b.py", quick=True)
    assert len(recalled) == 1
    assert again.submission == "b.py"
    assert (again.verdict, again.rules, again.cases, again.generated) == (
        first.verdict,
        first.rules,
        first.cases,
        first.generated,
    )
    assert again.flow is not None
    assert first.flow is not None
    lines = [[each.line for each in report.flow.nodes if each.line] for report in (first, again) if report.flow]
    assert [line + 2 for line in lines[0]] == lines[1]

    late = judge.grade_source(LATE.encode(), "c.py", quick=True)
    assert late.verdict in (Verdict.RV, Verdict.WA)
    assert judge.grade_source(SOURCE.encode(), "a.py", quick=True, seed=1).verdict is Verdict.AC
    assert len(recalled) == 1
