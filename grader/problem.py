"""What an author declares about a problem.

A problem is a package ``grader.problems.<id>`` with

* ``statement.md``: the statement, headed by TOML front matter between ``+++`` lines (``title``,
  ``difficulty``, ``topic``); read without importing anything, so that listing is quick;
* ``__init__.py``: ``PROBLEM``, a `Problem`.

Its cases are ``cases/<id>/*.json``, its reference solution is ``solution/<id>.py``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from grader.analysis.flow import Question
    from grader.rules.base import Rule

Shape = Mapping[str, int]
"""A value for each dimension, such as ``{"B": 1, "D": 2, "H": 8, "O": 1}``."""

Arrays = Mapping[str, np.ndarray]
"""Arrays by the name of the input or output that they are."""


@dataclass(frozen=True)
class Dimension:
    """A size that varies from input to input, and the values it takes."""

    name: str
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Derived:
    """A size of an output that follows from the dimensions, such as the bucket that a length falls into."""

    name: str
    of: Callable[[Shape], int]
    sizes: tuple[int, ...]
    """All values that it takes."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Input:
    """A parameter of the entry function: its shape in terms of dimensions (or numbers), and dtype."""

    name: str
    shape: tuple[str | int, ...]
    dtype: str = "float32"
    limit: float = 1e9
    """Generated values have at most this magnitude; cases may not exceed it either."""
    range: tuple[float, float] | None = None
    """The smallest and the largest value allowed; None: all up to ``limit`` in magnitude."""
    choices: tuple[float, ...] = ()
    """The only values allowed; empty: all within the range."""
    scale: float = 1.0
    """The magnitude of ordinary values: generated ones are multiplied by it."""

    @property
    def least(self) -> float:
        return -self.limit if self.range is None else self.range[0]

    @property
    def most(self) -> float:
        return self.limit if self.range is None else self.range[1]


@dataclass(frozen=True)
class Output:
    """An array that the entry function returns, under ``name`` in a dict."""

    name: str
    shape: tuple[str | int | Derived, ...]
    dtype: str = "float32"
    alone: bool = False
    """It is what the function returns, not in a dict; ``name`` is for messages and cases only."""


@dataclass(frozen=True)
class Answer:
    """What the oracle says: the right value and the largest error that float32 arithmetic explains.

    Both are float64 arrays of the output's shape.
    """

    value: np.ndarray
    bound: np.ndarray


@dataclass(frozen=True)
class Mistake:
    """A wrong formula worth recognising: its outputs, and the sentence that says what was done."""

    id: str
    says: str
    outputs: Callable[[Arrays], Mapping[str, np.ndarray]]
    """Float64 inputs to the outputs that this mistake changes."""


@dataclass(frozen=True)
class Gradient:
    """Beside what the entry function returns, one array, the gradient of its sum with weights is judged.

    ``weights`` is an input of the returned array's shape that the entry function does not take; ``of`` the
    output under which the gradient by the (only) argument stands.
    """

    of: str
    weights: str


@dataclass(frozen=True)
class Problem:
    """Everything the judge needs to know of a problem."""

    id: str
    dimensions: tuple[Dimension, ...]
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    oracle: Callable[[Arrays], Mapping[str, Answer]]
    """Float64 inputs to the right outputs. Batched: every array has one more, leading, axis."""
    question: Question
    """What the data-flow analysis is to look for, on behalf of the rules."""
    rules: tuple[Rule, ...] = ()
    mistakes: tuple[Mistake, ...] = field(default=())
    repair: Callable[[Arrays], Mapping[str, np.ndarray]] | None = None
    """Inputs (lanes, *shape) to the nearest ones that are allowed together, such as total > warmup; what is
    allowed comes out as it went in. None: inputs that are allowed one by one are allowed together."""
    examples: int = 4
    """Generated inputs a shape, unless the reader asks for another number."""
    gradient: Gradient | None = None
    """The entry function is judged together with its gradient."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The inputs of a program, in order."""
        return tuple(each.name for each in self.inputs)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The parameters of the entry function: the inputs, save the weights that only a gradient needs."""
        return tuple(name for name in self.parameters if self.gradient is None or name != self.gradient.weights)

    @property
    def alone(self) -> Output | None:
        """The output that is returned by itself, if that is how the problem returns."""
        return next((each for each in self.outputs if each.alone), None)

    def shapes(self) -> Iterator[dict[str, int]]:
        """Every shape of the domain, smallest first."""
        names = [each.name for each in self.dimensions]
        for sizes in itertools.product(*(each.sizes for each in self.dimensions)):
            yield dict(zip(names, sizes, strict=True))


def concrete(shape: tuple[str | int | Derived, ...], sizes: Shape) -> tuple[int, ...]:
    """The numbers that a declared shape stands for."""

    def size(each: str | int | Derived) -> int:
        if isinstance(each, Derived):
            return each.of(sizes)
        return sizes[each] if isinstance(each, str) else each

    return tuple(size(each) for each in shape)
