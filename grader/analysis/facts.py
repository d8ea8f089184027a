"""What the data-flow analysis finds in a program; the rules are judged on this alone.

Only what the outputs are made of is analysed: the program is pruned of dead code first. A `Place` is
where in the submission an equation was written, or, for an equation inside JAX's own functions, the
call in the submission that led to it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from grader.analysis import labels as L
from grader.program.types import Equation, Mesh, Sharding, Source, Spec


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """An array with what is known of each element; every field has shape (lanes, *shape).

    ``labels``: see `grader.analysis.labels` (None: all empty).
    ``origins``: the identity of the element that this one is a copy of; 0 for none (None: all 0).
    ``times``: how often the tracked input was added on the way to this element (None: all 0).
    """

    data: np.ndarray
    labels: np.ndarray | None = None
    origins: np.ndarray | None = None
    times: np.ndarray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class BodyOperand:
    """What a shard_map body is given as one of its operands.

    ``blocks`` holds origins, shape (devices, *block); ``labels`` those of the whole operand, joined.
    """

    spec: Spec
    shape: tuple[int, ...]
    blocks: np.ndarray
    labels: np.uint64
    copied: bool
    """Every element is a copy of an element of an input."""
    computed: np.uint64 = L.NONE
    """The labels of the elements that are no copies, joined."""


@dataclass(frozen=True, slots=True, eq=False)
class BodyResult:
    """What leaves a shard_map: its spec, global shape, and the origin given to its first element."""

    spec: Spec
    shape: tuple[int, ...]
    labels: np.uint64
    first_origin: int
    varies: bool
    """The simulated devices of one replica group held different values."""

    def origins(self) -> np.ndarray:
        size = int(np.prod(self.shape, dtype=np.int64))
        return np.arange(self.first_origin, self.first_origin + size, dtype=np.int64).reshape(self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class ShardMap:
    """One run of a shard_map on the way to the outputs."""

    place: Source | None
    mesh: Mesh
    pmap: bool
    operands: tuple[BodyOperand, ...]
    results: tuple[BodyResult, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Collective:
    """A collective on the way to the outputs, once for each operand.

    ``labels`` joins the operand's labels over elements and devices. ``reduces`` says that it is a
    psum that adds up partial products, every element a part from every device. ``conditional`` says
    that it is in a branch or loop that may not be taken.
    """

    place: Source | None
    equation: Equation
    labels: np.uint64
    reduces: bool
    gathers: bool
    """A psum with elements that fewer than all devices contribute to: a gather in a psum's clothes."""
    conditional: bool
    carries: bool = False
    """A psum some elements of which add up partial products."""
    averages: bool = False
    """A psum of what all devices hold alike, divided by their number: a mean that changes nothing."""

    @property
    def primitive(self) -> str:
        return self.equation.primitive


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """A sharding asked for outside a shard_map body (by a constraint, reshard, device_put or jit)."""

    place: Source | None
    sharding: Sharding
    labels: np.uint64
    origins: np.ndarray
    """Shape of the value that is constrained; 0 where it is no copy."""


@dataclass(frozen=True, slots=True, eq=False)
class Computation:
    """An equation outside every shard_map body that computes with an input (rather than moves it)."""

    place: Source | None
    primitive: str
    labels: np.uint64


@dataclass(frozen=True, slots=True, eq=False)
class Addition:
    """Where the tracked input was added to something: the labels of the two sides, joined over elements."""

    place: Source | None
    tracked: np.uint64
    other: np.uint64
    in_body: bool


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """Where copies of input elements are subtracted from one another: the origins of both sides, of one shape."""

    place: Source | None
    left: np.ndarray
    right: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """What an equation outside every shard_map body made: its shape, and the labels that all elements have."""

    place: Source | None
    primitive: str
    shape: tuple[int, ...]
    common: np.uint64


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """One output of the program: its labels per element, where each is a copy from, additions."""

    shape: tuple[int, ...]
    dtype: str
    labels: np.ndarray
    origins: np.ndarray
    times: np.ndarray
    place: Source | None
    """The equation that made it."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything found about one program."""

    inputs: Mapping[str, tuple[int, ...]]
    """Shapes of the program's inputs by parameter, in order."""
    results: Mapping[str, Result]
    shard_maps: Sequence[ShardMap] = ()
    received: Sequence[ShardMap] | None = None
    """The same shard_maps with all their operands, used or not; None: all are used."""
    dead_meshes: Sequence[tuple[Source | None, Mesh]] = ()
    """The meshes of shard_maps that no output is made of."""
    collectives: Sequence[Collective] = ()
    constraints: Sequence[Constraint] = ()
    computations: Sequence[Computation] = ()
    additions: Sequence[Addition] = ()
    differences: Sequence[Difference] = ()
    """Of programs without a mesh; see `Question`."""
    values: Sequence[Value] = ()
    """The same."""
    callbacks: Sequence[Equation] = ()
    callback_places: Sequence[Source | None] = field(default=())

    def input_origins(self, name: str) -> np.ndarray:
        """The origins of an input's own elements: what `Result.origins` and `BodyOperand.blocks` hold of it."""
        return input_origins(self.position(name), self.inputs[name])

    def span(self, name: str) -> tuple[int, int]:
        """The first of an input's own origins, and the first past them: they are all the numbers between."""
        first = first_origin(self.position(name))
        return first, first + math.prod(self.inputs[name])

    def position(self, name: str) -> int:
        return list(self.inputs).index(name)


def first_origin(position: int) -> int:
    return (position + 1) << 32


@functools.lru_cache(maxsize=64)
def input_origins(position: int, shape: tuple[int, ...]) -> np.ndarray:
    first = first_origin(position)
    origins = np.arange(first, first + math.prod(shape), dtype=np.int64).reshape(shape)
    origins.setflags(write=False)
    return origins
