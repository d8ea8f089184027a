"""A traced program as plain data.

A `Program` says what JAX traced, without any object of JAX in it: it can be sent between processes,
compared, analysed, simulated and rebuilt. Nothing in it can refer forward or in a circle:

* The values of a body are numbered in order: its inputs first, then the results of each equation.
  An operand ``k >= 0`` names a value with a smaller number than the equation's first result; an
  operand ``k < 0`` names ``program.constants[-k - 1]``.
* A `BodyRef` in a body's params names a body with a smaller index. The last body is the main one.

What may stand in a program, and how large it may be, is checked by `grader.program.wire`.
"""

from __future__ import annotations

from typing import Union

import msgspec


class Aval(msgspec.Struct, frozen=True, array_like=True):
    """What is known of an array before it exists.

    ``dtype`` is NumPy's name (``float32``, ``bfloat16``, ``bool``, ...) or ``key<fry>`` for typed PRNG
    keys. ``varying`` lists the mesh axes over which devices may hold different values, as far as JAX
    says (a hint for messages; nothing is concluded from it).
    """

    shape: tuple[int, ...]
    dtype: str
    varying: tuple[str, ...] = ()


class Source(msgspec.Struct, frozen=True, array_like=True):
    """A place in the submission: lines from 1, columns from 1, the end exclusive; 0 means unknown."""

    line: int
    column: int
    end_line: int = 0
    end_column: int = 0


class Constant(msgspec.Struct, frozen=True, array_like=True):
    """An array written into the program: little-endian bytes in C order (keys: pairs of uint32)."""

    aval: Aval
    data: bytes


class BodyRef(msgspec.Struct, frozen=True, tag="body"):
    """A reference to ``program.bodies[index]``."""

    index: int


class Dtype(msgspec.Struct, frozen=True, tag="dtype"):
    name: str


class Spec(msgspec.Struct, frozen=True, tag="spec"):
    """A PartitionSpec: for each dimension the mesh axes it is split over; trailing ``()`` left out."""

    axes: tuple[tuple[str, ...], ...]


class Mesh(msgspec.Struct, frozen=True, tag="mesh"):
    """A device mesh; ``devices`` (ids in C order) is empty for an abstract mesh."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    devices: tuple[int, ...] = ()


class Sharding(msgspec.Struct, frozen=True, tag="sharding"):
    """A NamedSharding, or (``kind`` = JAX's class name, mesh and spec None) any other kind."""

    kind: str
    mesh: Mesh | None = None
    spec: Spec | None = None


class Record(msgspec.Struct, frozen=True, tag="record"):
    """A named tuple of JAX's, such as GatherDimensionNumbers: its fields in order."""

    kind: str
    fields: tuple[tuple[str, Items], ...]

    def __getitem__(self, name: str) -> Items:
        return dict(self.fields)[name]


# Tuples nest at most four deep (dot_general's dimension numbers need three): a bound that the type itself keeps.
Atom = Union[None, bool, int, float, str, BodyRef, Dtype, Spec, Mesh, Sharding, Record]
Items = Union[Atom, tuple[Union[Atom, tuple[Atom, ...]], ...]]
Param = Union[Atom, tuple[Union[Atom, tuple[Union[Atom, tuple[Union[Atom, tuple[Atom, ...]], ...]], ...]], ...]]


class Equation(msgspec.Struct, frozen=True, array_like=True):
    """One step: ``results = primitive[params](operands)``."""

    primitive: str
    operands: tuple[int, ...]
    results: tuple[Aval, ...]
    params: dict[str, Param] = {}
    source: Source | None = None


class Body(msgspec.Struct, frozen=True, array_like=True):
    """A function of equations, as a jaxpr is."""

    inputs: tuple[Aval, ...]
    equations: tuple[Equation, ...]
    outputs: tuple[int, ...]


class Leaf(msgspec.Struct, frozen=True, tag="leaf"):
    """An array of the returned structure: the main body's output of that index."""

    output: int


class Container(msgspec.Struct, frozen=True, tag="container"):
    """A dict, list, tuple or other pytree node of the returned structure."""

    kind: str
    keys: tuple[str, ...]
    children: tuple[Returned, ...]


class Other(msgspec.Struct, frozen=True, tag="other"):
    """Something returned that is no array: its type's name."""

    kind: str


Returned = Union[Leaf, Container, Other]


class Program(msgspec.Struct, frozen=True, array_like=True):
    """A function traced at one choice of shapes; inputs in the order of the entry function's parameters."""

    bodies: tuple[Body, ...]
    constants: tuple[Constant, ...]
    returned: Returned

    @property
    def main(self) -> Body:
        return self.bodies[-1]
