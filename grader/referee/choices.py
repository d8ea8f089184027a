"""Which sides a program's data-dependent choices took, and which no input has taken yet.

In: runs of programs, watched by a `Recorder`. Out: `Dark` sides, each with the place in the submission and the
programs in which it is found.

Theory of operation. A choice is an equation together with the calls through which it was reached: a body that
two calls share makes two choices. A program is right only as far as its choices were seen to go either way, so a
side that stays dark is where a wrong answer can hide; and so are two sides that were never taken together in one
example, when neither choice decides the other. `grader.referee.aim` looks for inputs that take them. Two programs
that differ in nothing but sizes (`skeleton`) make the same choices: what one shape has lit is lit for all. A choice
that cannot depend on the inputs, such as a comparison of device numbers, is none. An example in which a wrong
number could pass for a rounding error lights nothing (`Recorder.heed`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.execution.simulator import Lanes
from grader.program.calls import INLINED, body_refs
from grader.program.types import Equation, Program, Source

COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "eq_to", "lt_to", "le_to"})
LOGIC = frozenset({"and", "or", "xor", "reduce_and", "reduce_or", "reduce_xor"})
MOST_CHOICES = 20_000
"""Choices recorded at most; a program with more is mostly unrolled loops."""
MOST_PAIRED = 12
"""Of a program with more choices than these, only single sides are looked at."""
MOST_EVENTS = 64
"""How often a choice in a loop is looked at for what its examples took."""

Place = tuple[tuple[int, int], ...]
"""A choice within its program: (body, equation) of each call on the way, and of the choice itself."""


@dataclass(frozen=True)
class Choice:
    """One side of one choice."""

    place: Place
    primitive: str
    side: int
    """As `grader.execution.simulator.Observer.choice` numbers them."""
    source: Source | None

    @property
    def note(self) -> str:
        """What was not seen, for a reader: ``no generated input makes this comparison true``."""
        return f"no generated input {_missing(self.primitive, self.side)}"


@dataclass(frozen=True)
class Dark:
    """What programs that are alike but for sizes have not shown yet."""

    programs: tuple[int, ...]
    """Their indices, in the order in which they were given."""
    choices: tuple[Choice, ...]
    """Sides that no input took."""
    pairs: tuple[tuple[Choice, Choice], ...] = ()
    """Sides that inputs took, but none of them both."""


def _missing(primitive: str, side: int) -> str:
    if primitive in COMPARISONS:
        return f"makes this comparison {'true' if side else 'false'}"
    if primitive in LOGIC:
        return f"makes this condition {'true' if side else 'false'}"
    ordinal = ("first", "second", "third")[side] if side < 3 else f"{side + 1}th"
    match primitive:
        case "select_n":
            return f"makes this condition {'true' if side else 'false'}" if side < 2 else f"selects the {ordinal} case"
        case "max":
            return f"makes the {ordinal} operand the larger one here"
        case "min":
            return f"makes the {ordinal} operand the smaller one here"
        case "clamp":
            return ("lies below the lower limit", "lies within the limits", "lies above the upper limit")[
                side
            ] + " here"
        case "abs":
            return f"is {'negative' if side else 'positive'} here"
        case "sign":
            return f"is {('negative', 'zero', 'positive')[side]} here"
        case "while":
            return "makes this loop run" if side else "lets this loop end"
        case _:
            return f"takes branch {side} here"


def sides(equation: Equation) -> int:
    """How many sides the choice has (a tie is none)."""
    match equation.primitive:
        case "select_n":
            return len(equation.operands) - 1
        case "cond":
            branches: Any = equation.params["branches"]
            return len(branches)
        case "clamp" | "sign":
            return 3
        case _:
            return 2


class Entry:
    """What was recorded of one choice."""

    __slots__ = ("calls", "equation", "events", "missing", "sides", "takers")

    def __init__(self, calls: tuple[Equation, ...], equation: Equation) -> None:
        self.calls, self.equation = calls, equation
        self.sides = sides(equation)
        self.missing = set(range(self.sides))
        """The sides not taken yet."""
        self.takers = [0] * self.sides
        """For each side the examples that took it, as bits."""
        self.events = 0


Key = tuple[int, ...]
"""The identities of the equations on the way to a choice, and of the choice itself."""


class Recorder:
    """An observer of the simulator that records the sides taken; one may watch any number of programs.

    Of several runs of one program, each example of a later run counts as one with the same number before.
    It keeps what it has seen alive, so an equation's identity stays its own.
    """

    def __init__(self) -> None:
        self.entries: dict[Key, Entry] = {}
        self._path: Key = ()
        self._calls: tuple[Equation, ...] = ()
        self._left: list[tuple[Key, tuple[Equation, ...]]] = []
        self._heeded = -1

    def heed(self, examples: np.ndarray | None) -> None:
        """Of the runs from here on, let only these examples, bool (examples,), light sides; None: all."""
        self._heeded = -1 if examples is None else _bits(examples)

    def enters(self, equation: Equation) -> None:
        self._left.append((self._path, self._calls))
        self._path = (*self._path, id(equation))
        self._calls = (*self._calls, equation)

    def leaves(self, equation: Equation) -> None:
        self._path, self._calls = self._left.pop()

    def key(self, equation: Equation) -> Key:
        """Of an equation where the run is now; a cond or while is told when it has been entered already."""
        if self._path and self._path[-1] == id(equation):
            return self._path
        return (*self._path, id(equation))

    def choice(self, equation: Equation, sides: np.ndarray, lanes: Lanes) -> None:
        self.record(self.key(equation), equation, sides, lanes)

    def record(self, key: Key, equation: Equation, sides: np.ndarray, lanes: Lanes) -> None:
        entry = self.entries.get(key)
        if entry is None:
            if len(self.entries) >= MOST_CHOICES or (equation.primitive in LOGIC and sides.dtype != np.bool_):
                return
            calls = self._calls[:-1] if self._calls and self._calls[-1] is equation else self._calls
            entry = self.entries[key] = Entry(calls, equation)
        if entry.events >= MOST_EVENTS and not entry.missing:
            return
        entry.events += 1
        if sides.dtype == np.bool_:
            found = [~sides, sides]
        else:
            found = [sides == side for side in range(entry.sides)]
            if equation.primitive == "select_n":
                found[-1] = sides >= entry.sides - 1  # cases beyond the last are the last
        for side, taken in enumerate(found):
            bits = _examples(taken, lanes) & self._heeded
            if bits:
                entry.missing.discard(side)
                entry.takers[side] |= bits

    def choices(self, program: Program) -> list[Choice]:
        """Every side of every choice recorded of the program that its inputs can decide."""
        roots = {id(equation) for equation in program.main.equations}
        taints = _Taints(program)
        found = []
        for key, entry in self.entries.items():
            place = _place(program, entry) if key[0] in roots else None
            if place is not None and taints.decides(place):
                found += [_choice(place, entry, side) for side in range(entry.sides)]
        return found

    def dark(self, programs: Sequence[Program]) -> list[Dark]:
        """What the programs have not shown in any run watched: one `Dark` for those alike but for sizes."""
        under: dict[int, list[Entry]] = {}
        for key, entry in self.entries.items():
            under.setdefault(key[0], []).append(entry)
        alike: dict[Any, list[int]] = {}
        for index, program in enumerate(programs):
            if any(id(equation) in under for equation in program.main.equations):
                alike.setdefault(skeleton(program), []).append(index)
        found = []
        for indices in alike.values():
            entries: dict[Place, dict[int, Entry]] = {}
            for index in indices:
                program = programs[index]
                for root in program.main.equations:
                    for entry in under.get(id(root), ()):
                        place = _place(program, entry)
                        if place is not None:
                            entries.setdefault(place, {})[index] = entry
            found += _dark(programs[indices[0]], tuple(indices), entries)
        return found


def _dark(program: Program, indices: tuple[int, ...], entries: dict[Place, dict[int, Entry]]) -> list[Dark]:
    missing = {place: set.intersection(*(each.missing for each in some.values())) for place, some in entries.items()}
    example = {place: next(iter(some.values())) for place, some in entries.items()}
    pairs = _apart(entries, missing) if len(entries) <= 4 * MOST_PAIRED else []
    if not pairs and not any(missing.values()):
        return []
    taints = _Taints(program)
    real = [place for place in entries if taints.decides(place)]
    choices = tuple(_choice(place, example[place], side) for place in real for side in sorted(missing[place]))
    chosen: list[tuple[Choice, Choice]] = []
    if len(real) <= MOST_PAIRED:
        chosen = [
            (_choice(one, example[one], side), _choice(other, example[other], further))
            for one, side, other, further in pairs
            if one in real and other in real
        ]
    free = tuple(pair for pair, apart in zip(chosen, independent(program, chosen), strict=True) if apart)
    return [Dark(indices, choices, free)] if choices or free else []


def _apart(
    entries: dict[Place, dict[int, Entry]], missing: dict[Place, set[int]]
) -> list[tuple[Place, int, Place, int]]:
    """Pairs of sides that were both taken, never in one example."""
    found = []
    for (one, first), (other, second) in itertools.combinations(entries.items(), 2):
        both = [(first[index], second[index]) for index in first if index in second]
        for side in sorted(set(range(next(iter(first.values())).sides)) - missing[one]):
            for further in sorted(set(range(next(iter(second.values())).sides)) - missing[other]):
                if not any(a.takers[side] & b.takers[further] for a, b in both):
                    found.append((one, side, other, further))
    return found


def independent(program: Program, pairs: Sequence[tuple[Choice, Choice]]) -> list[bool]:
    """For each pair whether neither choice can depend on what the other one results in."""
    taints: dict[tuple[int, int], _Taints] = {}

    def decides(one: Choice, other: Choice) -> bool:
        source = one.place[-1]
        if source not in taints:
            taints[source] = _Taints(program, source)
        return taints[source].decides(other.place)

    return [one.place != other.place and not decides(one, other) and not decides(other, one) for one, other in pairs]


def _choice(place: Place, entry: Entry, side: int) -> Choice:
    return Choice(place, entry.equation.primitive, side, _source(entry))


def _examples(taken: np.ndarray, lanes: Lanes) -> int:
    """The examples in any of whose lanes and elements it is so, as bits."""
    if not taken.size:
        return 0
    if lanes.ids is None:
        some = np.asarray(taken.reshape(lanes.examples, -1).any(axis=1))
    else:
        some = np.zeros(lanes.examples, np.bool_)
        some[lanes.example_of_lane[taken.reshape(len(taken), -1).any(axis=1)]] = True
    return _bits(some)


def _bits(mask: np.ndarray) -> int:
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")


def _source(entry: Entry) -> Source | None:
    """Where the choice stands in the submission; where that is not known, the innermost call that is known."""
    for equation in (entry.equation, *reversed(entry.calls)):
        if equation.source is not None and equation.source.line:
            return equation.source
    return None


def _place(program: Program, entry: Entry) -> Place | None:
    """Where the entry's equations stand in the program; None when they are another program's."""
    bodies: Iterable[int] = [len(program.bodies) - 1]
    place: list[tuple[int, int]] = []
    for equation in (*entry.calls, entry.equation):
        step = _position(program, bodies, equation)
        if step is None:
            return None
        place.append(step)
        bodies = body_refs(equation.params)
    return tuple(place)


def _position(program: Program, bodies: Iterable[int], equation: Equation) -> tuple[int, int] | None:
    for body in bodies:
        for index, each in enumerate(program.bodies[body].equations):
            if each is equation:
                return body, index
    return None


def skeleton(program: Program) -> object:
    """What two programs have in common when they differ in sizes only: primitives, wiring, and scalar constants.

    Hashable; equal for such programs.
    """
    constants = [
        (each.aval.dtype, each.data) if each.aval.shape == () else (each.aval.dtype, len(each.aval.shape))
        for each in program.constants
    ]
    return tuple(
        (
            tuple(
                (
                    equation.primitive,
                    tuple([k if k >= 0 else constants[-k - 1] for k in equation.operands]),
                    tuple(body_refs(equation.params)) if equation.params else (),
                )
                for equation in body.equations
            ),
            tuple([k if k >= 0 else constants[-k - 1] for k in body.outputs]),
        )
        for body in program.bodies
    )


def only_overflow_takes(program: Program, choice: Choice) -> bool:
    """The side of a choice that only NaN or infinity takes: of ``x != x`` or ``x == inf``, or of what goes by that.

    Library functions have many of them (`jnp.logaddexp` and its derivatives), and finite inputs take hardly any.
    """
    body, index = choice.place[-1]
    equation = program.bodies[body].equations[index]
    if choice.side != 1:
        return False
    if equation.primitive in COMPARISONS:
        return _not_finite(program, equation)
    if equation.primitive not in ("select_n", "cond"):
        return False
    operand = equation.operands[0]
    for place in range(len(choice.place) - 1, -1, -1):
        current = program.bodies[choice.place[place][0]]
        if operand >= len(current.inputs):
            return _not_finite(program, _maker(current.equations, operand - len(current.inputs)))
        if operand < 0 or place == 0:
            return False
        caller = program.bodies[choice.place[place - 1][0]].equations[choice.place[place - 1][1]]
        if caller.primitive not in INLINED:
            return False
        operand = caller.operands[operand]
    return False


def _not_finite(program: Program, equation: Equation) -> bool:
    """``x != x``, or a comparison for equality with an infinity."""
    if equation.primitive == "ne":
        return equation.operands[0] == equation.operands[1]
    if equation.primitive != "eq":
        return False
    infinite = (np.float32(np.inf).tobytes(), np.float32(-np.inf).tobytes())
    return any(k < 0 and program.constants[-k - 1].data in infinite for k in equation.operands)


def _maker(equations: Sequence[Equation], result: int) -> Equation:
    """The equation that makes result number ``result`` of a body."""
    for equation in equations:
        if result < len(equation.results):
            return equation
        result -= len(equation.results)
    raise IndexError(result)


class _Taints:
    """Which values of a program may depend on its inputs, or (``source``) on the results of one equation."""

    def __init__(self, program: Program, source: tuple[int, int] | None = None) -> None:
        self.program, self.source = program, source
        self.known: dict[tuple[int, tuple[bool, ...]], list[bool]] = {}
        self.reach: list[bool] = []
        """Whether a body holds the source, itself or in what it calls."""
        for index, body in enumerate(program.bodies):
            own = source is not None and source[0] == index
            called = (each for equation in body.equations for each in body_refs(equation.params))
            self.reach.append(own or (source is not None and any(self.reach[each] for each in called)))

    def decides(self, place: Place) -> bool:
        """Whether what the choice at ``place`` goes by may depend on them."""
        inputs = (self.source is None,) * len(self.program.main.inputs)
        for (body, index), inner in zip(place, (*place[1:], None), strict=True):
            values = self.values(body, inputs)
            equation = self.program.bodies[body].equations[index]
            given = [k >= 0 and values[k] for k in equation.operands]
            if inner is None:
                return self.goes_by(equation, given)
            inputs = self.entered(equation, inner[0], given)
        return True

    def goes_by(self, equation: Equation, given: list[bool]) -> bool:
        params: Any = equation.params
        match equation.primitive:
            case "select_n" | "cond":
                return given[0]
            case "while":
                test = self.entered(equation, params["cond_jaxpr"].index, given)
                return self.outputs(params["cond_jaxpr"].index, test)[0]
            case _:
                return any(given)

    def entered(self, equation: Equation, body: int, given: list[bool]) -> tuple[bool, ...]:
        """The taints of a body's inputs, once a loop has gone round often enough."""
        params: Any = equation.params
        match equation.primitive:
            case "cond":
                return tuple(given[1:])
            case "scan":
                fixed, carried = params["num_consts"], params["num_carry"]
                carry = given[fixed : fixed + carried]
                while True:
                    inputs = (*given[:fixed], *carry, *given[fixed + carried :])
                    after = self.outputs(params["jaxpr"].index, inputs)[:carried]
                    joined = [a or b for a, b in zip(carry, after, strict=True)]
                    if joined == carry:
                        return inputs
                    carry = joined
            case "while":
                tests, fixed = params["cond_nconsts"], params["body_nconsts"]
                carry = given[tests + fixed :]
                while True:
                    test = (*given[:tests], *carry)
                    inputs = (*given[tests : tests + fixed], *carry)
                    after = self.outputs(params["body_jaxpr"].index, inputs)
                    stops = self.outputs(params["cond_jaxpr"].index, test)[0]
                    joined = [a or b or stops for a, b in zip(carry, after, strict=True)]
                    if joined == carry:
                        return test if body == params["cond_jaxpr"].index else inputs
                    carry = joined
            case _:
                wanted = len(self.program.bodies[body].inputs)
                return tuple(given) if len(given) == wanted else (any(given),) * wanted

    def outputs(self, body: int, inputs: tuple[bool, ...]) -> list[bool]:
        values = self.values(body, inputs)
        return [k >= 0 and values[k] for k in self.program.bodies[body].outputs]

    def values(self, body: int, inputs: tuple[bool, ...]) -> list[bool]:
        """A taint for each value of a body."""
        known = self.known.get((body, inputs))
        if known is None:
            known = list(inputs)
            for index, equation in enumerate(self.program.bodies[body].equations):
                results = self.results(equation, [k >= 0 and known[k] for k in equation.operands])
                known += [True] * len(results) if (body, index) == self.source else results
            self.known[body, inputs] = known
        return known

    def results(self, equation: Equation, given: list[bool]) -> list[bool]:
        count = len(equation.results)
        bodies = body_refs(equation.params)
        if not bodies or not (any(given) or any(self.reach[each] for each in bodies)):
            return [any(given)] * count
        params: Any = equation.params
        match equation.primitive:
            case "cond":
                if given[0]:
                    return [True] * count
                ways = [self.outputs(each, tuple(given[1:])) for each in bodies]
                return [any(way) for way in zip(*ways, strict=True)]
            case "while":
                inputs = self.entered(equation, params["body_jaxpr"].index, given)
                return list(inputs[params["body_nconsts"] :])
            case _ if len(bodies) == 1:
                found = self.outputs(bodies[0], self.entered(equation, bodies[0], given))
                return found if len(found) == count else [True] * count
            case _:
                return [True] * count
