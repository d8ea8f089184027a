"""Judges one submission from its traced programs: rules and numbers; the result is a Report.

In: the tracer's replies, one by one. Every program is decoded, pruned, analysed, checked against every
rule and simulated while the next one is being traced; the cases' programs come first, and run for real
on XLA beside all that. Out: a `Report`.
"""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b

import jax
import numpy as np

import grader
from grader.analysis.facts import Facts
from grader.analysis.flow import Undecided, analyse, returned_leaves
from grader.cases import Case, choose
from grader.execution import xla
from grader.execution.errors import Deadlock, SimulationError
from grader.execution.primitives import Call, Rule
from grader.execution.simulator import Outcome, simulate
from grader.problem import Problem, concrete
from grader.program.digest import digest
from grader.program.prune import prune
from grader.program.spoil import spoiled
from grader.program.types import Equation, Program, Source
from grader.program.wire import Malformed, TooLarge, from_bytes
from grader.referee import compare, inputs, plan, says
from grader.referee.choices import skeleton
from grader.referee.diagram import diagram
from grader.referee.equal import meshes, received_more, told
from grader.referee.holdings import holdings
from grader.referee.messages import GradeJob
from grader.referee.numbers import Disagreement, Numbers, Seen
from grader.referee.parts import probe
from grader.referee.rulebook import Rulebook
from grader.report.model import Finding, Report, Verdict, verdict
from grader.rules.base import ProvenRule, Violation
from grader.rules.program import NoCallbacks, StaysTraced
from grader.rules.reduction import ReducedByPsum
from grader.rules.results import Replicated
from grader.tracer.messages import Failed, Finished, Reply, Traced, TraceError, Untraceable

WEIGHTS = np.array([0.5, 1.5, 0.75, 1.25, 0.625, 1.375, 0.875, 1.125])
"""For the devices' parts; eight in sum, so that what all devices add alike, and is taken away again, still cancels."""
LOOSE = 500
"""Weighted results may miss by so many times the bound: nothing that follows another formula comes so near."""
MOST_PROVED = 8
"""Of programs that differ in more than sizes, so many are proved on numbers."""


class Judging:
    """One submission's way through the judge: feed it `reply`, then ask for `report`."""

    def __init__(
        self,
        job: GradeJob,
        problem: Problem,
        cases: Sequence[Case],
        layers: tuple[str, ...],
        tell: Callable[[Report], None],
    ) -> None:
        """``layers`` of the jail are in force; ``tell`` gets what is known before programs are run for real."""
        self.job, self.problem, self.layers, self.tell = job, problem, layers, tell
        chosen = choose(cases, job.cases)
        shapes = [dict(each.shape) for each in chosen]
        self.requests = plan.requests(problem, shapes, quick=job.quick, cases_only=bool(job.cases))
        self.case_requests = len({tuple(sorted(each.items())) for each in shapes})
        self.numbers = Numbers(problem, chosen, self.generated_plans())
        self.book = Rulebook(problem.rules)
        self.found: dict[str, Finding] = {}
        self.programs: list[Seen] = []
        self.digests: dict[int, str] = {}
        self.told: dict[int, str] = {}
        """As `digests`, of all that the report depends on, dead code included."""
        self.answered: set[int] = set()
        self.sums: dict[int, list[Equation]] = {}
        """For each program the psums that add up partial products, as far as labels tell."""
        self.carriers: dict[int, list[Equation]] = {}
        """The same, and those that add up other things beside them."""
        self.finished = False
        self.shown: tuple[Seen, Facts] | None = None
        """The program that the report draws: the first one."""

    def generated_plans(self) -> dict[int, list[inputs.Plan]]:
        plans: dict[int, list[inputs.Plan]] = {}
        if not self.job.cases:
            count = self.problem.examples * len(self.requests) if self.job.examples is None else self.job.examples
            for each in inputs.plan(self.problem, self.requests, count, self.job.seed):
                plans.setdefault(each.shape, []).append(each)
        return plans

    # ── what the tracer says ─────────────────────────────────────────────────────────────────────

    def reply(self, reply: Reply) -> None:
        match reply:
            case Traced() if self.expected(reply.request):
                self.traced(reply.request, reply.program)
            case Untraceable() if self.expected(reply.request):
                self.untraceable(self.requests[reply.request], reply.error)
            case Finished():
                self.finished = True
            case _:
                pass
        if len(self.answered) >= self.case_requests:
            self.numbers.start_real()

    def expected(self, request: int) -> bool:
        if request in self.answered or not 0 <= request < len(self.requests):
            self.find(says.unreadable("it answers a question that was not asked"))
            return False
        self.answered.add(request)
        return True

    def unreadable(self, why: str) -> None:
        self.find(says.unreadable(why))

    def untraceable(self, shape: Mapping[str, int], error: TraceError) -> None:
        if error.kind == "concretisation":
            rule = next(each for each in self.problem.rules if isinstance(each, StaysTraced))
            self.book.violated(rule.id, concretised(error), shape)
        else:
            self.find(says.trace_failed(error, shape))

    def traced(self, number: int, data: bytes) -> None:
        if self.endless():  # one program without end is enough
            return
        shape = self.requests[number]
        try:
            whole = from_bytes(data)
        except TooLarge as error:
            self.find(says.too_large(f"{error}", shape))
            return
        except Malformed as error:
            self.find(says.unreadable(f"{error}"))
            return
        wanted = tuple((concrete(each.shape, shape), each.dtype) for each in self.problem.inputs)
        if tuple((each.shape, each.dtype) for each in whole.main.inputs) != wanted:
            self.find(says.unreadable("a program takes other inputs than were asked for"))
            return
        program = prune(whole)
        seen = Seen(number, shape, program, compare.leaves(self.problem, program))
        self.programs.append(seen)
        self.digests[number] = digest(program, pruned=True)
        self.told[number] = told(whole, program, self.digests[number])
        if all(each.name in seen.leaves for each in self.problem.outputs):  # else there is nothing to judge
            self.judge_rules(seen, whole)
        if self.endless():
            return
        fault = compare.fault(self.problem, shape, program)
        if fault is not None:
            self.find(says.fault_finding(fault, shape))
            return
        try:
            outcome = self.numbers.simulate(seen, self.sums.get(number, ()))
        except SimulationError as error:
            self.find(says.simulation_failed(error, shape))
            return
        if outcome is not None:
            self.unequal(seen, outcome)

    def endless(self) -> bool:
        return any(each.verdict == Verdict.TLE for each in self.found.values())

    def find(self, finding: Finding) -> None:
        """Keep the first finding of a kind; at other shapes it says nothing new."""
        self.found.setdefault(f"{finding.id} {finding.line} {finding.message}", finding)

    # ── rules ────────────────────────────────────────────────────────────────────────────────────

    def judge_rules(self, seen: Seen, whole: Program) -> None:
        try:
            facts = self.analyse(seen.program, seen)
            if received_more(whole, seen.program):
                every = self.analyse(prune(whole, keep_received=True), seen)
                facts = dataclasses.replace(facts, received=every.shard_maps)
        except Undecided as error:
            self.find(says.undecided(f"{error}"))
            return
        except SimulationError as error:
            if not isinstance(error, Deadlock):  # that is for the simulation to find
                self.find(says.simulation_failed(error, seen.shape))
            return
        if not facts.shard_maps:
            facts = dataclasses.replace(facts, dead_meshes=meshes(whole))
        self.sums[seen.number] = [each.equation for each in facts.collectives if each.reduces]
        if all(each.mesh.sizes == (len(WEIGHTS),) for each in facts.shard_maps):
            self.carriers[seen.number] = [each.equation for each in facts.collectives if each.carries]
        self.book.judge(facts, seen.shape)
        if self.shown is None:
            self.shown = (seen, facts)
        self.book.judge_program(seen.program, seen.shape)

    def analyse(self, program: Program, seen: Seen) -> Facts:
        given = [each[0] for each in probe(self.problem, seen.shape).values()]
        facts = analyse(program, self.problem.parameters, self.problem.question, given, self.numbers.tank.draw())
        if self.problem.alone is None:
            return facts
        place = {leaf: name for name, leaf in seen.leaves.items()}
        results = {place.get(leaf, name): facts.results[name] for name, leaf in returned_leaves(program).items()}
        return dataclasses.replace(facts, results=results)

    def unequal(self, seen: Seen, outcome: Outcome) -> None:
        """Devices that hold different values of what should be the same: for the rule about it to say."""
        rule = next((each for each in self.problem.rules if isinstance(each, Replicated)), None)
        if rule is None:
            return
        for each in outcome.unequal:
            self.book.violated(rule.id, dataclasses.replace(rule.unequal(None), place=each.equation.source), seen.shape)

    def prove_psum(self) -> None:
        """What flow says of the psums, proved on numbers; only for programs whose numbers are right.

        Each element that a psum adds up must have had a part from every device, and with the identity in every
        psum's place the output must change (tried once for programs that differ in sizes only).
        """
        if "fail" in self.book.status.values():  # it is rejected already, and what is broken would disturb the proof
            return
        for rule in self.problem.rules:
            if isinstance(rule, ReducedByPsum) and self.book.status.get(rule.id) == "pass":
                self.prove_reduced(rule)

    def prove_reduced(self, rule: ReducedByPsum) -> None:
        for seen, gather in self.numbers.gathers:
            self.book.violated(rule.id, dataclasses.replace(rule.gather(), place=gather.source), seen.shape)
        for seen in {skeleton(each.program): each for each in self.numbers.simulated.values()}.values():
            arrays = list(probe(self.problem, seen.shape).values())
            summed = simulate(seen.program, arrays, fuel=self.numbers.tank.draw())
            unsummed = simulate(seen.program, arrays, fuel=self.numbers.tank.draw(), replace=without_psum)
            for leaf in (seen.leaves[each] for each in rule.results):
                if np.array_equal(summed.outputs[leaf], unsummed.outputs[leaf]):
                    self.book.violated(rule.id, rule.useless(), seen.shape)
                    break
            else:
                if rule.linear is not None and not self.follows(rule, seen):
                    self.book.violated(rule.id, rule.not_the_sum(), seen.shape)

    def follows(self, rule: ReducedByPsum, seen: Seen) -> bool:
        """With each device's part weighted on its way into the psums, the results are those of weighted blocks."""
        assert rule.linear is not None
        name, axis = rule.linear
        given = signed_probe(self.problem, seen.shape)
        sums = {id(each) for each in self.carriers.get(seen.number, ())}
        if not sums:
            return True
        weighted = simulate(
            seen.program, list(given.values()), fuel=self.numbers.tank.draw(), replace=weighted_psum(sums)
        )
        array = given[name]
        weights = np.repeat(WEIGHTS, array.shape[axis + 1] // len(WEIGHTS)).astype(array.dtype)
        shape = [-1 if each == axis + 1 else 1 for each in range(array.ndim)]
        right = compare.answers(self.problem, {**given, name: array * weights.reshape(shape)})
        return all(
            bool((np.abs(weighted.outputs[seen.leaves[each]] - right[each].value) <= LOOSE * right[each].bound).all())
            for each in rule.results
        )

    def prove_rules(self) -> None:
        """That the results are made of the equations that a rule asks for: other values there must show.

        Tried at the largest shape of each kind of program, and where no axis has a single entry.
        """
        rules = [each for each in self.problem.rules if isinstance(each, ProvenRule)]
        seen = sorted(self.numbers.simulated.values(), key=lambda each: each.size)
        kinds = {skeleton(each.program): each for each in seen if not each.ones} if rules else {}
        for each in list(kinds.values())[-MOST_PROVED:]:
            given = probe(self.problem, each.shape)
            right, arrays = compare.answers(self.problem, given), list(given.values())
            true = simulate(each.program, arrays, fuel=self.numbers.tank.draw()).outputs
            for rule in rules:
                equations = {id(equation) for equation in rule.must_matter(each.program, each.shape)}
                if not equations:
                    continue
                spoilt = spoiled(each.program, equations)
                changed = simulate(spoilt, arrays, fuel=self.numbers.tank.draw()).outputs
                for name in rule.outputs:
                    leaf = each.leaves[name]
                    apart = np.abs(true[leaf].astype(np.float64) - changed[leaf].astype(np.float64))
                    if 2 * np.count_nonzero(apart <= 2 * right[name].bound) > apart.size:
                        self.book.violated(rule.id, rule.useless(), each.shape)
                        break

    # ── the report ───────────────────────────────────────────────────────────────────────────────

    @property
    def complete(self) -> bool:
        """The tracer answered every request, or gave up after the first few all failed."""
        gave_up = not self.programs and bool(self.answered)
        return self.finished and (gave_up or len(self.answered) == len(self.requests))

    def report(self) -> Report:
        self.book.judge_all([(each.shape, each.program) for each in self.programs])
        if not self.numbers.wrong and not self.found:
            self.prove_psum()
            self.prove_rules()
            for seen, outcome in self.numbers.look_into_the_dark():
                self.unequal(seen, outcome)
            if self.numbers.unrunnable is not None:
                seen, error = self.numbers.unrunnable
                self.find(says.simulation_failed(error, seen.shape))
        self.numbers.make_small()
        self.tell(self.assemble())
        try:
            for seen, ran in self.numbers.finish_real():
                if isinstance(ran.error, xla.XlaError):
                    self.find(says.run_failed(f"{ran.error}", seen.shape))
                elif not any(isinstance(each, NoCallbacks) and self.book.status.get(each.id) == "fail"
                             for each in self.problem.rules):  # fmt: skip
                    self.find(says.undecided(f"the program cannot be run for real ({ran.error})"))
        except Disagreement as error:
            self.find(says.undecided(f"{error}"))
        for seen, results in self.numbers.placed:
            for name, result in results.items():
                self.book.judge_shards(name, result.value.shape, [each.index for each in result.shards], seen.shape)
        return self.assemble()

    def sketch(self, first: Traced) -> Report:
        """What a report says that equal programs do not share: how the first one looks, line by line."""
        self.traced(first.request, first.program)
        return self.assemble()

    def assemble(self) -> Report:
        numbers = self.numbers.finding()
        findings = (*self.found.values(), *self.book.findings(), *((numbers,) if numbers is not None else ()))
        devices = flow = None
        if self.shown is not None:
            seen, facts = self.shown
            devices = holdings(facts)
            flow = diagram(seen.program, self.problem.parameters, seen.leaves, findings)
        return Report(
            verdict=verdict(findings),
            problem=self.problem.id,
            submission=self.job.display_name,
            devices=devices,
            flow=flow,
            rules=self.book.results(),
            findings=tuple(sorted(findings, key=lambda each: ORDER.index(each.kind))),
            cases=self.numbers.case_results(),
            generated=self.numbers.generated(),
            versions=versions(),
            sandbox=self.layers,
            programs=self.digest_of_all(),
        )

    def recognised_by(self) -> list[str] | None:
        """The digest of every program, in order; None when there is one that was not judged."""
        if len(self.told) != len(self.requests):
            return None
        return [self.told[number] for number in range(len(self.requests))]

    def digest_of_all(self) -> str | None:
        """Equal for submissions whose programs are all equal; None when none was traced."""
        if not self.digests:
            return None
        return blake2b(repr(sorted(self.digests.items())).encode(), digest_size=16).hexdigest()


ORDER = ("error", "rule", "numbers")


def unloaded(job: GradeJob, layers: tuple[str, ...], failed: Failed | None) -> Report:
    """The report on a file that gives no function to trace (or, without ``failed``, on a tracer that said nothing)."""
    findings = () if failed is None else (says.not_loaded(failed),)
    return Report(
        verdict=verdict(findings) if findings else Verdict.IE,
        problem=job.problem,
        submission=job.display_name,
        findings=findings,
        versions=versions(),
        sandbox=layers,
    )


def concretised(error: TraceError) -> Violation:
    place = Source(error.line, error.column or 1) if error.line is not None else None
    return Violation(says.raised(error), error.help or says.CONCRETE, place)


def without_psum(equation: Equation) -> Rule | None:
    """The identity in a psum's place: each device keeps its own part."""
    return (lambda call, *arrays: list(arrays)) if equation.primitive == "psum" else None


def weighted_psum(chosen: set[int]) -> Callable[[Equation], Rule | None]:
    """The chosen psums, with each device's part multiplied by its weight."""

    def rule(call: Call, *arrays: np.ndarray) -> list[np.ndarray]:
        axes = call.params.get("axes")
        positional = tuple(each + 1 for each in axes if isinstance(each, int)) if isinstance(axes, tuple) else ()
        results = []
        for each in arrays:
            parts = each.reshape((-1, len(WEIGHTS), *each.shape[1:]))
            total = np.tensordot(WEIGHTS.astype(each.dtype), parts, (0, 1))
            results.append(np.repeat(total, len(WEIGHTS), axis=0).sum(axis=positional).astype(each.dtype))
        return results

    return lambda equation: rule if id(equation) in chosen else None


def signed_probe(problem: Problem, shape: Mapping[str, int]) -> dict[str, np.ndarray]:
    """The probe, and the same again with half of its values negative."""
    random = np.random.default_rng(21)
    return {
        name: np.concatenate([each, each * random.choice((-1, 1), each.shape).astype(each.dtype)])
        for name, each in probe(problem, shape).items()
    }


def versions() -> dict[str, str]:
    return {
        "grader": grader.__version__,
        "python": platform.python_version(),
        "jax": jax.__version__,
        "numpy": np.__version__,
    }
