"""Find inputs that take the sides of choices that no input has taken yet.

In: a program, its dark sides (see `grader.referee.choices`), the literals written in it. Out: inputs on which the
program is wrong, if any were found; else the sides that stay dark.

Theory of operation. Many candidates are run at once, as lanes. First come inputs of every regime, then inputs
sized after the literals: elements, sums, averages and products that meet a literal or just miss it. What is still
dark is searched for: of the nearest input so far (by `grader.referee.distances`) every element and every array is
moved a little, and from how the distance answers the step follows that would bring it to zero, as in Newton's
method; beside that, arrays are scaled, negated, zeroed, and elements set to literals. A branch taken for the first
time may hold further choices: they are searched for next. Last, sides found one by one are searched for together,
since a wrong answer may need several. Inputs that take a side are varied, and stripped of all that it does not
need: a wrong number shows best among small ones. Every input that is run is compared with the oracle, and the first
wrong one ends the search. The number of runs is bounded, and nothing depends on chance.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.execution.errors import OutOfFuel, OutOfMemory, SimulationError, Unsupported
from grader.execution.simulator import Fuel, Outcome, Unequal, simulate
from grader.problem import Arrays, Problem, Shape
from grader.program.types import Program
from grader.referee.choices import MOST_PAIRED, Choice, Dark, Entry, Key, Recorder, independent
from grader.referee.compare import named, wrong_lanes
from grader.referee.distances import Gauge
from grader.referee.inputs import Layout, Plan, Regime, arrays, near, valid
from grader.referee.shrink import strip

MOST_RUNS = 200
QUICK_RUNS = 5
MOST_LANES = 256
MOST_TARGETS = 12
"""Sides searched for in one program."""
LEVELS = 3
"""How deep choices within branches are followed."""
LITERAL_LANES = 1_024
LONGER = 20
"""A run that takes so many times the steps of those before is looked into."""
STEPS = 8
"""Newton steps for one side, from each of `STARTS` inputs."""
STARTS = 2
PROBED = 200
"""Elements moved one by one in a step; of larger inputs these are chosen anew in each step."""
KEPT = 24
"""Inputs kept of those that take one side, to start from when more is asked of them."""
MOST_GROUPS = 24
"""Pairs of sides that are searched for."""
SELDOM = 0.25
"""A side that fewer of the inputs of all regimes take is one to be combined with others."""
MOST_WRONG = 8
"""Wrong inputs returned."""
KEPT_TOGETHER = 8
"""Inputs kept of those that take several sides."""


@dataclass(frozen=True)
class Found:
    """What came of the search."""

    wrong: dict[str, np.ndarray] | None
    """Inputs (lanes, *shape) on which outputs are wrong or devices disagree that must not; None: none were found."""
    dark: tuple[Choice, ...]
    """The sides that are still dark, those newly met in branches included."""
    error: SimulationError | None = None
    """Why the program cannot be run on ``failing``; the search ends there."""
    failing: dict[str, np.ndarray] | None = None
    """One input: (1, *shape)."""


def aim(
    problem: Problem,
    shape: Shape,
    program: Program,
    dark: Dark,
    literals: Sequence[float],
    fuel: Callable[[], Fuel],
    recorder: Recorder | None = None,
    runs: int = MOST_RUNS,
    seed: int = 0,
) -> Found:
    """Search for inputs of one shape that show what ``program`` has not shown yet.

    When nothing is dark, inputs of every regime and around the literals are tried, and that is all.

    ``fuel`` gives the fuel of one run; ``recorder`` knows the choices that were met before, dark or not. With few
    ``runs`` only the first candidates are tried: `QUICK_RUNS` are enough for most of what there is to find.
    """
    hunt = _Hunt(problem, shape, program, literals, fuel, runs, seed)
    known = set(recorder.entries) if recorder is not None else set()
    try:
        hunt.all(dark, known)
    except _Wrong as found:
        hunt.wrong = found.vectors[:MOST_WRONG]
    except _Trouble as trouble:
        hunt.trouble = trouble
    except (Unsupported, OutOfMemory):
        pass
    return hunt.found()


class _Trouble(Exception):
    """The program cannot be run on one input."""

    def __init__(self, vector: np.ndarray, error: SimulationError) -> None:
        super().__init__(str(error))
        self.vector, self.error = vector, error


class _Wrong(Exception):
    """The program is wrong on some inputs: the end of the search."""

    def __init__(self, vectors: np.ndarray) -> None:
        super().__init__()
        self.vectors = vectors


class _Spent(Exception):
    """No runs are left."""


@dataclass
class _Batch:
    """Inputs that were run: (lanes, total), and for each target whether and how nearly: (targets, lanes)."""

    vectors: np.ndarray
    taken: np.ndarray
    distance: np.ndarray

    def loss(self, targets: Sequence[int]) -> np.ndarray:
        """How far each lane is from all these targets at once; 0 when it takes them all."""
        away = np.where(self.taken[targets], 0.0, np.maximum(self.distance[targets], 1e-300))
        loss: np.ndarray = np.log1p(np.minimum(away, 1e30)).sum(axis=0)
        # log1p loses what is below 1e-16; any order will do there, but never a tie with 0.
        return np.where(self.taken[targets].all(axis=0), 0.0, loss + 1e-300)


class _Hunt:
    def __init__(
        self,
        problem: Problem,
        shape: Shape,
        program: Program,
        literals: Sequence[float],
        fuel: Callable[[], Fuel],
        runs: int,
        seed: int,
    ) -> None:
        self.problem, self.shape, self.program, self.fuel = problem, shape, program, fuel
        self.literals = list(literals)
        self.layout = Layout(problem, shape)
        self.random = np.random.Generator(np.random.PCG64(seed))
        self.runs = runs
        self.usual = 0
        """The most steps that a run took so far."""
        self.entries: dict[Key, Entry] = {}
        self.wanted: list[Choice] = []
        self.targets: list[Choice] = []
        self.batches: list[_Batch] = []
        self.results: list[np.ndarray] = []
        self.lit: set[Choice] = set()
        self.trouble: _Trouble | None = None
        self.wrong: np.ndarray | None = None
        self.base = self.bases()

    def found(self) -> Found:
        return Found(
            wrong=self.layout.arrays(self.wrong) if self.wrong is not None else None,
            dark=tuple(each for each in self.wanted if each not in self.lit),
            error=self.trouble.error if self.trouble is not None else None,
            failing=self.layout.arrays(self.trouble.vector[None]) if self.trouble is not None else None,
        )

    # ── the order of things ──────────────────────────────────────────────────────────────────────

    def all(self, dark: Dark, known: set[Key]) -> None:
        self.simulate(self.layout.arrays(self.base[:1]), self.fuel())
        if not dark.choices and not dark.pairs:
            with contextlib.suppress(_Spent):
                for vectors in (self.base, *self.around_literals()):
                    self.run(vectors)
            return
        rare: list[Choice] = []
        choices = list(dark.choices)
        for _ in range(LEVELS):
            self.wanted += choices
            first = len(self.targets)
            self.targets += choices[: MOST_TARGETS - first]
            places = range(first, len(self.targets))
            self.batches = []
            with contextlib.suppress(_Spent):
                self.hunt(places)
            for place in places:
                self.keep([place], KEPT)
            rare += [each for each in choices if each in self.lit]
            choices = self.newly_met(known)
            if not choices or len(self.targets) >= MOST_TARGETS:
                break
        with contextlib.suppress(_Spent):
            self.together(rare, list(dark.pairs))

    def hunt(self, targets: Sequence[int]) -> None:
        for vectors in (self.base, *self.results):
            self.run(vectors)
        for vectors in self.around_literals():
            self.run(vectors)
            if all(self.is_lit([each]) for each in targets):
                break
        for each in targets:
            self.search([each])
        for each in targets:
            self.vary([each])
        for each in targets:
            self.bare([each])

    def newly_met(self, known: set[Key]) -> list[Choice]:
        """Dark sides of choices that were first met in this search."""
        recorder = Recorder()
        recorder.entries = {key: entry for key, entry in self.entries.items() if key not in known}
        found = [choice for each in recorder.dark([self.program]) for choice in each.choices]
        return [each for each in found if each not in self.wanted]

    def together(self, rare: list[Choice], pairs: list[tuple[Choice, Choice]]) -> None:
        """All sides that are seldom taken in one example; then two and two."""
        recorder = Recorder()
        recorder.entries = self.entries
        others = recorder.choices(self.program)
        if len({each.place for each in others}) > MOST_PAIRED:
            others = rare
        pairs += [(one, other) for one in rare for other in others]
        pairs = [pair for pair, free in zip(pairs, independent(self.program, pairs), strict=True) if free]
        pairs = list({frozenset(pair): pair for pair in pairs}.values())
        if not pairs:
            return
        self.targets = list(dict.fromkeys(each for pair in pairs for each in pair))
        place = {each: index for index, each in enumerate(self.targets)}
        self.batches = []
        self.run(self.base)
        usual = self.batches[0].taken.mean(axis=1)
        for vectors in self.results or self.around_literals():
            self.run(vectors)
        seldom = {index for index in range(len(self.targets)) if usual[index] < SELDOM}
        groups = [[place[one], place[other]] for one, other in pairs]
        groups.sort(key=lambda group: sum(each in seldom for each in group), reverse=True)
        if len(seldom) > 2:
            self.group(sorted(seldom), seldom=True)
        for group in groups[:MOST_GROUPS]:
            self.group(group, seldom=seldom.issuperset(group))

    def group(self, targets: list[int], *, seldom: bool) -> None:
        """Inputs that take all of these sides; where there are some already, more only of what is ``seldom``."""
        if not self.is_lit(targets):
            self.cross(targets)
            self.search(targets, starts=1)
        elif not seldom:
            return
        self.vary(targets)
        self.bare(targets)
        self.keep(targets, KEPT_TOGETHER)

    # ── running ──────────────────────────────────────────────────────────────────────────────────

    def run(self, vectors: np.ndarray) -> None:
        """Run candidates, those that are valid inputs, and remember how they did."""
        for start in range(0, len(vectors), MOST_LANES):
            inputs = self.layout.arrays(vectors[start : start + MOST_LANES])
            fine = valid(self.problem, inputs)
            if fine.any():
                exact = self.layout.vectors({name: array[fine] for name, array in inputs.items()})
                self.batches.append(_Batch(exact, *self.measure(exact)))

    def measure(self, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not self.runs:
            raise _Spent
        self.runs -= 1
        inputs = self.layout.arrays(vectors)
        wanted = [(self.key(each), each.side) for each in self.targets]
        gauge = Gauge(self.program, wanted, len(vectors))
        gauge.entries = self.entries
        try:
            outcome = self.simulate(inputs, self.short(), gauge)
        except (Unsupported, OutOfMemory):
            raise
        except OutOfFuel:
            return self.too_long(vectors)
        except SimulationError as error:
            if len(vectors) == 1:
                raise _Trouble(vectors[0], error) from None
            return self.halves(vectors)
        wrong = wrong_lanes(self.problem, inputs, named(self.program, outcome.outputs, self.problem))
        for each in outcome.unequal:
            if len(each.devices) == len(wrong):
                wrong |= _disagree(each)
        if wrong.any():
            raise _Wrong(vectors[wrong])
        return gauge.taken, gauge.distance

    def simulate(self, inputs: Arrays, fuel: Fuel, observer: Gauge | None = None) -> Outcome:
        before = fuel.steps
        outcome = simulate(
            self.program, [inputs[name] for name in self.problem.parameters], fuel=fuel, observer=observer
        )
        self.usual = max(self.usual, before - fuel.steps)
        return outcome

    def short(self) -> Fuel:
        """Fuel for many times what was enough so far: a loop without end shall not take all there is, each time."""
        fuel = self.fuel()
        return Fuel(min(fuel.steps, LONGER * self.usual + 2_000), fuel.elements)

    def halves(self, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        half = len(vectors) // 2
        parts = [self.measure(vectors[:half]), self.measure(vectors[half:])]
        return np.concatenate([part[0] for part in parts], 1), np.concatenate([part[1] for part in parts], 1)

    def too_long(self, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What to make of inputs that together take more fuel than there is: is it one of them?"""
        suspects = vectors
        while len(suspects) > 1:
            half = len(suspects) // 2
            for part in (suspects[:half], suspects[half:]):
                try:
                    self.simulate(self.layout.arrays(part), self.short())
                except OutOfFuel:
                    suspects = part
                    break
            else:
                return self.halves(suspects) if len(suspects) == len(vectors) else self.unknown(len(vectors))
        try:
            self.simulate(self.layout.arrays(suspects), self.fuel())
        except OutOfFuel as error:
            raise _Trouble(suspects[0], error) from None
        return self.unknown(len(vectors))

    def unknown(self, lanes: int) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((len(self.targets), lanes), np.bool_), np.full((len(self.targets), lanes), np.inf)

    def key(self, choice: Choice) -> Key:
        return tuple(id(self.program.bodies[body].equations[index]) for body, index in choice.place)

    def is_lit(self, targets: list[int]) -> bool:
        return any(batch.taken[targets].all(axis=0).any() for batch in self.batches)

    def taking(self, targets: list[int]) -> np.ndarray:
        """The inputs so far that take all these sides."""
        return np.concatenate(
            [np.zeros((0, self.layout.total))]
            + [batch.vectors[batch.taken[targets].all(axis=0)] for batch in self.batches]
        )

    def nearest(self, targets: list[int], count: int) -> np.ndarray:
        """The best inputs so far, no two from the same neighbourhood of a search."""
        vectors = np.concatenate([batch.vectors for batch in self.batches])
        loss = np.concatenate([batch.loss(targets) for batch in self.batches])
        return vectors[np.argsort(loss, kind="stable")[:count]]

    def keep(self, targets: list[int], most: int) -> None:
        """Keep some of the inputs that take these sides, evenly chosen among those found."""
        if not targets:
            return
        vectors = self.taking(targets)
        if len(vectors):
            self.lit |= {self.targets[each] for each in targets}
            self.results.append(vectors[np.unique(np.linspace(0, len(vectors) - 1, most).astype(int))])

    # ── candidates ───────────────────────────────────────────────────────────────────────────────

    def bases(self) -> np.ndarray:
        """Inputs of every regime: throughout, and in one input with the others normal."""
        count = len(self.layout.inputs)
        rows = [(regime,) * count for regime in Regime]
        for place in range(count):
            for regime in Regime:
                row = [Regime.NORMAL] * count
                row[place] = regime
                rows.append(tuple(row))
        plans = [Plan(0, row, index % 4, index) for index, row in enumerate(rows)]
        return self.layout.vectors(arrays(self.problem, self.shape, plans, self.literals))

    def around_literals(self) -> Iterator[np.ndarray]:
        """Batches of inputs in which something, element, sum, average, product, is about a literal."""
        aims = self.aims()
        found: list[np.ndarray] = []
        normal = self.base[: len(Regime) + 1]
        for number, (value, part) in enumerate(itertools.product(aims, self.layout.parts)):
            size = part.stop - part.start
            if not size:
                continue
            for form in range(7):
                vector = normal[0 if form else number % len(normal)].copy()
                match form:
                    case 0:
                        vector[part] = value
                    case 1:
                        vector[part.start] = value
                    case 2:
                        vector[part.start + number * 7919 % size] = value
                    case 3:
                        vector[part] = value / size
                    case 4:
                        vector[part] = 0.0
                        vector[part.start + number % size] = value
                    case 5:
                        vector[part] = math.copysign(math.sqrt(abs(value) / size), value)
                    case _:
                        vector[part] *= value / max(abs(float(vector[part].sum())), 1e-30)
                found.append(vector)
        for value in aims:
            for power in range(1, len(self.layout.parts) + 1):
                found.append(np.full(self.layout.total, math.copysign(abs(value) ** (1 / power), value)))
        for start in range(0, min(len(found), LITERAL_LANES), MOST_LANES):
            yield np.stack(found[start : start + MOST_LANES])

    def aims(self) -> list[float]:
        """The literals, what lies about and between them, and both signs of all that."""
        values = [value for literal in self.literals for value in near(literal)[:3]]
        ordered = sorted(self.literals)
        values += [(low + high) / 2 for low, high in itertools.pairwise(ordered)]
        values += [value for literal in self.literals for value in near(literal)[3:]]
        return list(dict.fromkeys(sign * value for value in values for sign in (1.0, -1.0)))

    # ── search ───────────────────────────────────────────────────────────────────────────────────

    def search(self, targets: list[int], starts: int = STARTS) -> None:
        """Newton steps towards inputs that take all of these sides."""
        for start in range(starts):
            if self.is_lit(targets):
                return
            vector = self.nearest(targets, 4 * start + 1)[-1]
            for step in range(STEPS):
                before = len(self.batches)
                found = self.probe(vector, targets, (0.125, 8.0, 1e3, 1e-3)[step % 4])
                if self.is_lit(targets):
                    return
                self.run(np.concatenate([found, self.mutants(vector)]))
                if self.is_lit(targets):
                    return
                recent, self.batches = self.batches, self.batches[before:]
                vector = self.nearest(targets, 1)[0]
                self.batches = recent

    def probe(self, vector: np.ndarray, targets: list[int], width: float) -> np.ndarray:
        """Move every element and array a little; from that, the steps that should end at the target."""
        total = self.layout.total
        columns = np.arange(total)
        if total > PROBED:
            columns = np.sort(self.random.choice(total, PROBED, replace=False))
        widths = np.maximum(np.abs(vector[columns]), 1.0) * width
        moved = np.repeat(vector[None], len(columns), axis=0)
        moved[np.arange(len(columns)), columns] += widths
        parts = [part for part in (*self.layout.parts, slice(0, total)) if part.stop > part.start]
        scaled = np.repeat(vector[None], len(parts), axis=0)
        for row, part in zip(scaled, parts, strict=True):
            row[part] *= 1 + width
        candidates = np.concatenate([vector[None], moved, scaled])
        fine = valid(self.problem, self.layout.arrays(candidates))
        if not fine[0]:
            return np.zeros((0, total))
        self.run(candidates[:MOST_LANES])
        batch = self.batches[-1]
        rows = np.flatnonzero(fine[:MOST_LANES])
        away = batch.distance[targets].copy()
        away[batch.taken[targets]] = 0.0
        steps = [np.zeros((0, total))]
        for here in away:
            if not np.isfinite(here[0]) or here[0] == 0:
                continue
            change = np.zeros(len(candidates))
            change[rows] = np.where(np.isfinite(here), here - here[0], 0.0)
            steps.append(self.steps(vector, here[0], change, columns, widths, parts, width))
        return np.concatenate(steps)

    def steps(
        self,
        vector: np.ndarray,
        distance: float,
        change: np.ndarray,
        columns: np.ndarray,
        widths: np.ndarray,
        parts: list[slice],
        width: float,
    ) -> np.ndarray:
        """Where the distance would be zero if it went on as it began."""
        slopes = change[1 : 1 + len(columns)] / widths
        order = np.argsort(-np.abs(slopes), kind="stable")[:16]
        order = order[slopes[order] != 0]
        found: list[np.ndarray] = []
        for place in order:
            column = columns[place]
            goal = vector[column] - distance / slopes[place]
            exact = np.float32(goal)
            below, above = np.nextafter(exact, np.float32(-np.inf)), np.nextafter(exact, np.float32(np.inf))
            ways = [goal, float(below), float(above)]
            ways += [vector[column] - distance / slopes[place] * factor for factor in (1.01, 2.0, 0.5)]
            for value in ways:
                row = vector.copy()
                row[column] = value
                found.append(row)
        for part, away in zip(parts, change[1 + len(columns) :], strict=True):
            if away:
                for factor in (1.0, 1.01, 2.0, 0.5):
                    row = vector.copy()
                    row[part] *= 1 - distance / (away / width) * factor
                    found.append(row)
        length = float((slopes**2).sum())
        if length:
            for factor in (1.0, 1.01, 2.0, 0.5):
                row = vector.copy()
                row[columns] -= distance * slopes / length * factor
                found.append(row)
        return np.stack(found) if found else np.zeros((0, self.layout.total))

    def mutants(self, vector: np.ndarray, count: int = 96) -> np.ndarray:
        """The input with an array scaled or replaced, or an element set to something telling."""
        found = np.repeat(vector[None], count, axis=0)
        values = [0.0, 1.0, -1.0, 1e3, -1e3, 1e6, -1e6, *self.aims()[:32]]
        factors = (0.0, -1.0, 2.0, -2.0, 10.0, 0.1, 100.0, 0.01, 1e3, 1e-3)
        for number, row in enumerate(found):
            part = self.layout.parts[self.pick(len(self.layout.parts))]
            size = part.stop - part.start
            if not size:
                continue
            match number % 6:
                case 0:
                    row[part] *= factors[self.pick(len(factors))]
                case 1:
                    row[part.start + self.pick(size)] = values[self.pick(len(values))]
                case 2:
                    row[part] = self.base[self.pick(len(self.base))][part]
                case 3:
                    row[part.start + self.pick(size)] *= factors[self.pick(len(factors))]
                case 4:
                    row[part] = np.sort(row[part])[:: 1 - 2 * self.pick(2)]
                case _:
                    row[part] = row[part][self.random.permutation(size)]
        return found

    def pick(self, count: int) -> int:
        return int(self.random.integers(count))

    def vary(self, targets: list[int]) -> None:
        """Other inputs that take the same sides: parts and elements replaced by others."""
        taking = self.taking(targets)
        if not len(taking):
            return
        chosen = taking[np.unique(np.linspace(0, len(taking) - 1, 5).astype(int))]
        varied = np.repeat(chosen, 24, axis=0)
        for number, row in enumerate(varied):
            other = np.zeros(self.layout.total)
            if number % 4:
                other = self.base[self.pick(len(self.base))] if number % 4 == 1 else self.base[0]
            if number % 3 == 0:
                mask = self.random.random(self.layout.total) < self.random.choice((0.2, 0.5, 0.8))
                row[mask] = other[mask]
            else:
                for part in self.layout.parts:
                    if self.pick(2):
                        row[part] = other[part] if number % 3 == 1 else -row[part]
        self.run(varied)

    def bare(self, targets: list[int]) -> None:
        """Inputs of zeros but for what these sides need, and the same with small numbers for the zeros."""
        taking = self.taking(targets)
        if not len(taking):
            return
        least = taking[np.argmin(np.abs(taking).sum(axis=1))]

        def fails(inputs: dict[str, np.ndarray]) -> np.ndarray:
            taken, _ = self.measure(self.layout.vectors(inputs))
            return np.asarray(taken[targets].all(axis=0))

        stripped = self.layout.vectors(strip(self.problem, self.shape, self.layout.arrays(least[None]), fails))
        filled = np.repeat(stripped, 24, axis=0)
        for number, row in enumerate(filled):
            # Some of the zeros of the first draw's values, the last row none, and both signs.
            mask = (row == 0) & (self.random.random(self.layout.total) < number / 24)
            row[mask] = self.base[0][mask] * (1 - 2 * (number % 2))
        self.run(filled)

    def cross(self, targets: list[int]) -> None:
        """Inputs made of parts of inputs that take one side each."""
        parents = [self.taking([each])[:2] for each in targets]
        if not all(len(each) for each in parents):
            return
        found: list[np.ndarray] = []
        for pair in itertools.islice(itertools.product(*parents), 4):
            for number in range(min(len(targets) ** len(self.layout.parts), 40)):
                row = pair[0].copy()
                for place, part in enumerate(self.layout.parts):
                    row[part] = pair[number // len(targets) ** place % len(targets)][part]
                found.append(row)
            for _ in range(12):
                which = self.random.integers(len(targets), size=self.layout.total)
                found.append(np.choose(which, list(pair)))
        self.run(np.stack(found))


def _disagree(unequal: Unequal) -> np.ndarray:
    """In which lanes the devices differ along mesh axes that the output's spec leaves out: bool (lanes,)."""
    params: Any = unequal.equation.params
    mesh, spec = params["mesh"], params["out_specs"][unequal.output]
    named = {name for axes in spec.axes for name in axes}
    manual = params.get("manual_axes") or mesh.names
    sizes = [size for name, size in zip(mesh.names, mesh.sizes, strict=True) if name in manual]
    grid = unequal.devices.reshape((len(unequal.devices), *sizes, -1))
    names = [name for name in mesh.names if name in manual]
    first = grid[(slice(None), *(slice(None) if name in named else slice(0, 1) for name in names))]
    differ = (grid != first) & ~((grid != grid) & (first != first))
    return np.asarray(differ.reshape(len(grid), -1).any(axis=1))
