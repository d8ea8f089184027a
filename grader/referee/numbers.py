"""Are the numbers right? Cases and generated inputs, simulated; the cases also run for real on XLA.

Every program is simulated on the cases of its shape and on its generated inputs, all at once as lanes.
What is wrong is kept; at the end it is explained (a known mistake?), made small, and reported once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grader.cases import Case
from grader.decimals import nested
from grader.execution import xla
from grader.execution.environment import DEVICES
from grader.execution.errors import SimulationError, Unsupported
from grader.execution.simulator import Outcome, simulate
from grader.problem import Answer, Mistake, Problem
from grader.program.types import Equation, Program, Source
from grader.referee import compare, inputs
from grader.referee.aim import MOST_RUNS, QUICK_RUNS, aim
from grader.referee.choices import Choice, Dark, Recorder, only_overflow_takes
from grader.referee.fuel import Tank
from grader.referee.mistakes import recognise
from grader.referee.parts import Watch, further_probes, probe
from grader.referee.real import Call, Ran, RealRun, run_all
from grader.referee.shrink import shrink
from grader.report.model import CaseResult, Counterexample, Finding, Generated, Place, Status, Verdict

AIMED = 8
"""So many kinds of program, alike but for sizes, are searched to the end for inputs that take their dark sides."""
GLANCED = 320
"""So many kinds of program are searched at all."""
EXPLAINED = 20
"""A mistake must explain the wrong numbers at so many shapes."""


COUNTEREXAMPLE = "counterexample"
"""The name of the real run of the counterexample."""


@dataclass(frozen=True, eq=False)
class Seen:
    """A program that was traced, decoded, pruned, and found to be about its request."""

    number: int
    """The request that it answers."""
    shape: Mapping[str, int]
    program: Program
    leaves: Mapping[str, int]
    """The index of each returned array among the program's outputs."""

    @property
    def size(self) -> int:
        return math.prod(self.shape.values())

    @property
    def ones(self) -> int:
        return sum(each == 1 for each in self.shape.values())


@dataclass(frozen=True, eq=False)
class Wrong:
    """One example, (1, *shape) each, on which a program's numbers are wrong."""

    seen: Seen
    arrays: Mapping[str, np.ndarray]
    outputs: Mapping[str, np.ndarray]
    mismatch: compare.Mismatch
    case: str | None


class Disagreement(Exception):
    """The simulator finds a case wrong that XLA finds right: the judge contradicts itself."""


class Numbers:
    """The number side of judging one submission."""

    def __init__(self, problem: Problem, cases: Sequence[Case], plans: Mapping[int, Sequence[inputs.Plan]]) -> None:
        """``plans``: the generated inputs of each request, by its number."""
        self.problem, self.cases, self.plans = problem, cases, plans
        self.recorder = Recorder()
        self.tank = Tank()
        self.simulated: dict[int, Seen] = {}
        self.tried = 0
        self.wrong: list[Wrong] = []
        self.case_right: dict[str, bool] = {}
        self.calls: list[tuple[Call, Seen]] = []
        self.real: RealRun | None = None
        self.placed: list[tuple[Seen, Mapping[str, xla.Result]]] = []
        """What came of each real run."""
        self.gathers: list[tuple[Seen, Equation]] = []
        """Psums that should add up and did not: some element never had a part from every device."""
        self.counterexample: Counterexample | None = None
        self.smallest: Wrong | None = None
        """The counterexample again, as arrays."""
        self.never_taken: tuple[Place, ...] = ()
        self.unrunnable: tuple[Seen, SimulationError] | None = None

    # ── simulation ───────────────────────────────────────────────────────────────────────────────

    def simulate(self, seen: Seen, sums: Sequence[Equation]) -> Outcome | None:
        """Run a program on all inputs of its shape, and keep what is wrong.

        ``sums`` are the psums that are to add up partial products. None is returned when the simulator cannot
        run the program (XLA will then). Raises `SimulationError` when it cannot be run to its end.
        """
        cases = [each for each in self.cases if each.shape == seen.shape]
        plans = self.plans.get(seen.number, ())
        parts = [{name: array[None] for name, array in each.inputs.items()} for each in cases]
        if plans:
            parts.append(inputs.arrays(self.problem, seen.shape, plans, inputs.literals(seen.program)))
        parts.append(probe(self.problem, seen.shape))
        lanes = together(parts)
        watch = Watch(self.recorder, DEVICES) if sums else self.recorder
        right = compare.answers(self.problem, lanes)
        self.recorder.heed(compare.telling(right))
        try:
            outcome = self.run(seen, lanes, watch)
        except Unsupported:
            self.leave_to_xla(seen, lanes, cases)
            return None
        for case in cases:
            self.calls.append((self.call(case.name, seen, case.inputs), seen))
        self.tried += len(plans) + 1
        if isinstance(watch, Watch):
            gather = watch.gathers(sums)
            if gather is not None:  # it may be in a branch that the probe does not take
                watch.other = None
                self.run(seen, together(further_probes(self.problem, seen.shape)), watch)
                gather = watch.gathers(sums)
            if gather is not None:
                self.gathers.append((seen, gather))
        self.simulated[seen.number] = seen
        wrong = self.note_wrong(seen, lanes, outcome, right, [each.name for each in cases])
        for lane, case in enumerate(cases):
            self.case_right[case.name] = lane not in wrong
        return outcome

    def run(self, seen: Seen, arrays: Mapping[str, np.ndarray], observer: object | None = None) -> Outcome:
        ordered = [arrays[name] for name in self.problem.parameters]
        return simulate(seen.program, ordered, fuel=self.tank.draw(), observer=observer)

    def named(self, seen: Seen, outcome: Outcome) -> dict[str, np.ndarray]:
        return {name: outcome.outputs[leaf] for name, leaf in seen.leaves.items()}

    def note_wrong(
        self,
        seen: Seen,
        lanes: Mapping[str, np.ndarray],
        outcome: Outcome,
        right: Mapping[str, Answer],
        cases: Sequence[str] = (),
    ) -> set[int]:
        """Keep the lanes whose outputs are wrong (the first lanes are the cases'); their numbers."""
        outputs = self.named(seen, outcome)
        found = compare.mismatches(self.problem, lanes, outputs, right)
        for each in found:
            lane = slice(each.example, each.example + 1)
            case = cases[each.example] if each.example < len(cases) else None
            self.wrong.append(Wrong(seen, sliced(lanes, lane), sliced(outputs, lane), each, case))
        return {each.example for each in found}

    def look_into_the_dark(self) -> list[tuple[Seen, Outcome]]:
        """Aim inputs at the sides of choices that no input has taken yet, and judge on those too.

        An input on which a program cannot be run ends up in `unrunnable`.
        """
        seen = sorted(self.simulated.values(), key=lambda each: each.size)
        outcomes = []
        still: list[Choice] = []
        searched: set[tuple[Source | None, str, int, tuple[float, ...]]] = set()
        kinds = self.recorder.dark([each.program for each in seen])[:GLANCED]
        if seen and not kinds:
            # A smooth step is no choice, and still may be wrong beyond some value.
            kinds = [Dark(tuple(range(len(seen))), ())]
        for number, dark in enumerate(kinds):
            # The smallest without an axis of 1, along which two elements are never unlike.
            at = min((seen[index] for index in dark.programs), key=lambda each: (each.ones, each.size))
            literals = inputs.literals(at.program)
            sides = {(each.source, each.primitive, each.side, literals) for each in dark.choices}
            # What was looked for at another size in vain, or finite inputs hardly take, is only glanced at.
            known = bool(dark.choices) and sides <= searched
            hardly = bool(dark.choices) and all(only_overflow_takes(at.program, each) for each in dark.choices)
            searched |= sides
            glance = number >= AIMED or ((known or hardly) and not dark.pairs)
            runs = QUICK_RUNS if glance else MOST_RUNS
            found = aim(self.problem, at.shape, at.program, dark, literals, self.tank.draw, self.recorder, runs)
            if found.error is not None:
                self.unrunnable = (at, found.error)
                break
            if found.wrong is not None:
                outcome = self.run(at, found.wrong)
                self.note_wrong(at, found.wrong, outcome, compare.answers(self.problem, found.wrong))
                outcomes.append((at, outcome))
                break
            still += found.dark
        places = (
            Place(line=each.source.line, note=each.note, column=each.source.column or None)
            for each in still
            if each.source is not None and each.source.line
        )
        self.never_taken = tuple(dict.fromkeys(places))
        return outcomes

    # ── for real ─────────────────────────────────────────────────────────────────────────────────

    def call(self, name: str, seen: Seen, arrays: Mapping[str, np.ndarray]) -> Call:
        return Call(name, seen.program, [arrays[each] for each in self.problem.parameters])

    def leave_to_xla(self, seen: Seen, lanes: Mapping[str, np.ndarray], cases: Sequence[Case]) -> None:
        """The simulator has no rule for some primitive: XLA runs this program on its cases and one more input."""
        for lane in range(len(cases) + 1):
            name = cases[lane].name if lane < len(cases) else f"shape {seen.number}, example {lane}"
            self.calls.append((self.call(name, seen, {key: array[lane] for key, array in lanes.items()}), seen))

    def start_real(self) -> None:
        """Begin compiling and running in the background; what is added later runs at the end."""
        if self.real is None and self.calls:
            self.real = RealRun([call for call, _ in self.calls])

    def finish_real(self) -> list[tuple[Seen, Ran]]:
        """Wait for the real runs, and compare. Returns those that failed. Raises `Disagreement`."""
        if not self.calls:
            return []
        self.start_real()
        assert self.real is not None
        ran = dict(self.real.results())
        late = [call for call, _ in self.calls if call.name not in ran]
        if late:
            ran |= run_all(late)
        failed = []
        for call, seen in self.calls:
            if ran[call.name].results is None:
                failed.append((seen, ran[call.name]))
            else:
                self.compare_real(call, seen, ran[call.name].results or ())
        return failed

    def compare_real(self, call: Call, seen: Seen, results: Sequence[xla.Result]) -> None:
        """Every shard of every output against the oracle. Where XLA and the simulator differ, XLA decides."""
        arrays = {
            name: np.asarray(array)[None] for name, array in zip(self.problem.parameters, call.arrays, strict=True)
        }
        self.placed.append((seen, {name: results[leaf] for name, leaf in seen.leaves.items()}))
        known = {each.name for each in self.cases}
        case = call.name if call.name in known else None
        for outputs in views({name: results[leaf] for name, leaf in seen.leaves.items()}):
            found = compare.mismatches(self.problem, arrays, outputs)
            if found and call.name == COUNTEREXAMPLE:
                return
            if found:
                if self.case_right.get(call.name) is not False:
                    self.wrong.append(Wrong(seen, arrays, outputs, found[0], case))
                if case is not None:
                    self.case_right[case] = False
                return
        if call.name == COUNTEREXAMPLE:
            raise Disagreement("the simulator finds an input wrong, and XLA finds it right")
        if self.case_right.get(call.name) is False:
            raise Disagreement(f"the simulator finds case {call.name} wrong, and XLA finds it right")
        if case is not None:
            self.case_right[case] = True

    # ── what it comes to ─────────────────────────────────────────────────────────────────────────

    def finding(self) -> Finding | None:
        """What the wrong numbers come to; the smallest shape speaks for all. Hidden cases are not shown."""
        if not self.wrong:
            return None
        hidden = {each.name for each in self.cases if each.visibility == "hidden"}
        telling = [each for each in self.wrong if each.case not in hidden]
        mistake = self.mistake()
        message, shape = "The numbers are wrong on a hidden case.", None
        if telling:
            first = self.smallest or min(telling, key=lambda each: each.seen.size)
            message, shape = f"{compare.message(first.mismatch)}.", dict(first.seen.shape)
        return Finding(
            kind="numbers",
            id=mistake.id if mistake is not None else "wrong-numbers",
            verdict=Verdict.WA,
            message=message,
            help=mistake.says if mistake is not None else None,
            shape=shape,
            cases=tuple(sorted({each.case for each in self.wrong if each.case is not None})),
        )

    def mistake(self) -> Mistake | None:
        """The one wrong formula that explains all the wrong numbers."""
        groups: dict[int, list[Wrong]] = {}
        for each in self.wrong:
            groups.setdefault(each.seen.number, []).append(each)
        found: Mistake | None = None
        for group in list(groups.values())[:EXPLAINED]:
            arrays, outputs = together([each.arrays for each in group]), together([each.outputs for each in group])
            explained = recognise(self.problem, arrays, outputs)
            if explained is None or (found is not None and explained.id != found.id):
                return None
            found = explained
        return found

    def make_small(self) -> None:
        """Shrink the first failure on a generated input; it is the report's counterexample."""
        generated = [each for each in self.wrong if each.case is None]
        if not generated:
            return
        first = min(generated, key=lambda each: each.seen.size)

        def fails(arrays: dict[str, np.ndarray]) -> np.ndarray:
            try:
                outcome = self.run(first.seen, arrays)
            except SimulationError:
                return np.zeros(len(next(iter(arrays.values()))), bool)
            return compare.wrong_lanes(self.problem, arrays, self.named(first.seen, outcome))

        small: Mapping[str, np.ndarray] = first.arrays
        outputs: Mapping[str, np.ndarray] = first.outputs
        if first.seen.number in self.simulated and fails(dict(small)).all():
            small = shrink(self.problem, first.seen.shape, small, fails)
            outputs = self.named(first.seen, self.run(first.seen, small))
        [mismatch, *_] = compare.mismatches(self.problem, small, outputs)
        self.smallest = Wrong(first.seen, small, outputs, mismatch, None)
        if first.seen.number in self.simulated and all(each.case is None for each in self.wrong):
            # No case shows it: XLA is to confirm what so far only the simulator says.
            one = {name: array[0] for name, array in small.items()}
            self.calls.append((self.call(COUNTEREXAMPLE, first.seen, one), first.seen))
        answers = compare.answers(self.problem, small)
        self.counterexample = Counterexample(
            shape=dict(first.seen.shape),
            inputs={name: nested(array[0]) for name, array in small.items()},
            expected={each.name: nested(answers[each.name].value[0]) for each in self.problem.outputs},
            got={each.name: nested(outputs[each.name][0]) for each in self.problem.outputs},
        )

    def case_results(self) -> tuple[CaseResult, ...]:
        def status(case: Case) -> Status:
            right = self.case_right.get(case.name)
            return "skipped" if right is None else "pass" if right else "fail"

        return tuple(CaseResult(name=each.name, status=status(each), visibility=each.visibility) for each in self.cases)

    def generated(self) -> Generated:
        wrong = any(each.case is None for each in self.wrong)
        return Generated(
            examples=self.tried,
            shapes=len(self.simulated) if self.tried else 0,
            of_shapes=math.prod(len(each.sizes) for each in self.problem.dimensions),
            status="fail" if wrong else "pass" if self.tried else "skipped",
            counterexample=self.counterexample,
            never_taken=self.never_taken,
        )


def views(results: Mapping[str, xla.Result]) -> list[dict[str, np.ndarray]]:
    """The outputs, (1, *shape) each, as every device sees them: where it holds a part, that; elsewhere the whole."""
    seen = [{name: each.value[None] for name, each in results.items()}]
    for name, result in results.items():
        for shard in result.shards:
            place = tuple(slice(start, stop) for start, stop in shard.index)
            if not np.array_equal(result.value[place], shard.data, equal_nan=result.value.dtype.kind in "fc"):
                whole = result.value.copy()
                whole[place] = shard.data
                seen.append({**seen[0], name: whole[None]})
    return seen


def together(parts: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([each[name] for each in parts]) for name in parts[0]}


def sliced(arrays: Mapping[str, np.ndarray], lanes: slice) -> dict[str, np.ndarray]:
    return {name: array[lanes] for name, array in arrays.items()}
