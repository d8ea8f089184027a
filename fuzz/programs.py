"""Coverage-guided fuzzing of what reads the bytes of a submission: decoder, pruning, digest, analysis, simulator.

    make fuzz RUNS=1000000

Each input is taken for an encoded program. Whatever it is, only the exceptions that the referee expects may come
out, and soon. The seeds are programs traced from the known submissions; a mutation changes the decoded form of a
seed as often as its bytes, since few changes of bytes are a program still.
"""

from __future__ import annotations

import contextlib
import random
import sys
from pathlib import Path
from typing import Any

import atheris

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

with atheris.instrument_imports(include=["grader.program", "grader.execution", "grader.analysis"]):
    import msgspec
    import numpy as np

    from grader.analysis.flow import Question, Undecided, analyse
    from grader.execution.errors import SimulationError
    from grader.execution.simulator import Fuel, simulate
    from grader.execution.values import numpy_dtype
    from grader.program.digest import digest
    from grader.program.prune import prune
    from grader.program.wire import Malformed, from_bytes, to_bytes

MOST_INPUT_ELEMENTS = 10_000
QUESTION = Question(split=("b", "c", "d"), terms=(("d",), ("b", "c")), added="e")


def one_input(data: bytes) -> None:
    try:
        program = from_bytes(data)
    except Malformed:
        return
    assert from_bytes(to_bytes(program)) is not None
    pruned = prune(program)
    digest(pruned, pruned=True)
    inputs = []
    for aval in pruned.main.inputs:
        if np.prod(aval.shape, dtype=np.float64) > MOST_INPUT_ELEMENTS:
            return
        try:
            inputs.append(np.ones((1, *aval.shape)).astype(numpy_dtype(aval.dtype)))
        except SimulationError:
            return
    names = [chr(ord("a") + k) for k in range(len(inputs))]
    with contextlib.suppress(SimulationError):
        simulate(pruned, inputs, fuel=Fuel(2_000, 2_000_000))
    with contextlib.suppress(SimulationError, Undecided):
        analyse(pruned, names, QUESTION, [each[0] for each in inputs], Fuel(500, 500_000))


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """Half of the time change the decoded form: a number, a name, an order, a copy; else leave it to libFuzzer."""
    chance = random.Random(seed)
    if chance.random() < 0.5:
        return bytes(atheris.Mutate(data, most))
    try:
        tree = msgspec.msgpack.decode(data)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return bytes(atheris.Mutate(data, most))
    for _ in range(chance.randint(1, 3)):
        tree = changed(tree, chance)
    try:
        made = msgspec.msgpack.encode(tree)
    except (OverflowError, TypeError, ValueError):
        return data
    return made if len(made) <= most else data


def changed(tree: Any, chance: random.Random) -> Any:
    """``tree`` with one leaf, or one row, changed somewhere."""
    if isinstance(tree, dict) and tree:
        key = chance.choice(list(tree))
        return {**tree, key: changed(tree[key], chance)}
    if isinstance(tree, list) and tree:
        place = chance.randrange(len(tree))
        kind = chance.random()
        if kind < 0.08:
            return tree[:place] + tree[place + 1 :]
        if kind < 0.16:
            return [*tree[:place], tree[place], *tree[place:]]
        if kind < 0.22:
            other = chance.randrange(len(tree))
            swapped = list(tree)
            swapped[place], swapped[other] = swapped[other], swapped[place]
            return swapped
        return [*tree[:place], changed(tree[place], chance), *tree[place + 1 :]]
    if isinstance(tree, bool):
        return not tree
    if isinstance(tree, int):
        return chance.choice([tree + 1, tree - 1, -tree, 0, tree * 2, 1 << chance.randrange(63)])
    if isinstance(tree, float):
        return chance.choice([-tree, 0.0, float("nan"), float("inf"), tree * 2])
    if isinstance(tree, str):
        return chance.choice([tree[:-1], tree + "x", "psum", "scan", "while", "float64", "model", "jaxpr"])
    if isinstance(tree, bytes):
        return tree[:-1] if chance.random() < 0.5 else tree + b"\0"
    return chance.choice([None, 0, "", []])


def main() -> None:
    atheris.Setup(sys.argv, one_input, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
