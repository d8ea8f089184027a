"""Tracing an entry function: what is passed, and what of its result is seen before JAX flattens it."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from grader.program.types import Aval, Container, Leaf, Other, Program, Returned
from grader.program.wire import from_bytes, to_bytes
from grader.tracer import trace as trace_module
from grader.tracer.messages import TraceError
from grader.tracer.places import Places
from grader.tracer.trace import trace

PLACES = Places(__file__)
ONE = [((2, 3), "float32")]


def program(entry: Callable[..., Any], arguments: Any = ONE) -> Program:
    found = trace(entry, arguments, PLACES)
    assert isinstance(found, Program), found
    assert from_bytes(to_bytes(found)) == found
    return found


def returned(value: Any) -> Returned:
    return program(lambda x: value(x) if callable(value) else value).returned


def test_arguments_are_passed_by_position_in_order() -> None:
    def entry(b: Any, a: Any, /, *rest: Any) -> Any:
        return a.astype(jnp.float32) @ b, rest[0]

    found = program(entry, [((3, 4), "float32"), ((2, 3), "int32"), ((), "bool")])
    assert found.main.inputs == (Aval((3, 4), "float32"), Aval((2, 3), "int32"), Aval((), "bool"))
    assert found.main.equations[-1].results == (Aval((2, 4), "float32"),)
    assert found.main.outputs[1] == 2


class Callable_:
    def __init__(self) -> None:
        self.__name__ = 3

    def __call__(self, x: Any) -> Any:
        return x

    def method(self, x: Any) -> Any:
        return x


def lying(signature: Any) -> Callable[[Any], Any]:
    def entry(x: Any) -> Any:
        return x

    entry.__signature__ = signature  # type: ignore[attr-defined]
    entry.__wrapped__ = entry  # type: ignore[attr-defined]
    return entry


@pytest.mark.parametrize(
    "entry",
    [
        Callable_(),
        Callable_().method,
        functools.partial(lambda y, x: x, 3),
        jax.jit(lambda x: x),
        lying("a lie"),
        lying(inspect.Signature()),
        lying(None),
        lambda *arrays: arrays[0],
        jnp.asarray,
    ],
)
def test_any_callable(entry: Callable[..., Any]) -> None:
    assert program(entry).returned == Leaf(0)


def test_every_argument_is_traced() -> None:
    seen: list[Any] = []
    program(lambda x: seen.append(x) or x)
    assert isinstance(seen[0], jax.core.Tracer)


def test_a_dict_in_the_order_of_its_keys() -> None:
    found = program(lambda x: {"out": x + 1, "hidden": x * 2})
    assert found.returned == Container("dict", ("hidden", "out"), (Leaf(0), Leaf(1)))
    by_output = [found.main.equations[output - 1].primitive for output in found.main.outputs]
    assert by_output == ["mul", "add"]


def test_an_array_alone() -> None:
    assert returned(lambda x: x) == Leaf(0)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(3, "int32"), (2.5, "float32"), (True, "bool"), (1j, "complex64"), (np.float64(2), "float32"),
     (np.arange(3), "int32"), (np.ones((2, 2), np.float16), "float16"), (np.bool_(True), "bool")],
)  # fmt: skip
def test_numbers_are_arrays_as_for_jax(value: Any, dtype: str) -> None:
    found = program(lambda x: {"a": value})
    assert found.returned == Container("dict", ("a",), (Leaf(0),))
    [output] = found.main.outputs
    assert found.constants[-output - 1].aval == Aval(np.shape(value), dtype)


Pair = namedtuple("Pair", "left right")


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Node:
    a: Any
    b: Any


class Unknown:
    pass


class Dict(dict):  # type: ignore[type-arg]
    pass


@jax.tree_util.register_pytree_node_class
class Broken:
    def tree_flatten(self) -> Any:
        raise RuntimeError("no")

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Broken:
        return cls()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, Other("NoneType")),
        ("text", Other("str")),
        ({1, 2}, Other("set")),
        (len, Other("builtin_function_or_method")),
        (Unknown(), Other("Unknown")),
        (Dict(a=1), Other("Dict")),
        (Broken(), Other("Broken")),
        (np.array(["a"]), Other("ndarray")),
        (np.array([object()]), Other("ndarray")),
        (jax.ShapeDtypeStruct((2,), jnp.float32), Other("ShapeDtypeStruct")),
        ({}, Container("dict", (), ())),
        ((), Container("tuple", (), ())),
        ([1, "b"], Container("list", ("0", "1"), (Leaf(0), Other("str")))),
        ((1, [2, (3,)]), Container("tuple", ("0", "1"), (Leaf(0), Container("list", ("0", "1"), (
            Leaf(1), Container("tuple", ("0",), (Leaf(2),))))))),
        ({"b": 1, "a": "text"}, Container("dict", ("a", "b"), (Other("str"), Leaf(0)))),
        ({1: 1, (2, 3): 2}, Container("dict", ("1", "(2, 3)"), (Leaf(0), Leaf(1)))),
        ({1: 1, "1": 2}, Container("dict", ("1", "1 (2)"), (Leaf(0), Leaf(1)))),
        (OrderedDict(b=1, a=2), Container("OrderedDict", ("b", "a"), (Leaf(0), Leaf(1)))),
        (defaultdict(int, b=1, a=2), Container("defaultdict", ("a", "b"), (Leaf(0), Leaf(1)))),
        (Pair(1, 2), Container("Pair", ("left", "right"), (Leaf(0), Leaf(1)))),
        (Node(1, None), Container("Node", ("a", "b"), (Leaf(0), Other("NoneType")))),
    ],
)  # fmt: skip
def test_what_was_returned(value: Any, expected: Returned) -> None:
    assert returned(lambda x: value) == expected


def test_returned_structures_are_bounded() -> None:
    endless: list[Any] = []
    endless.append(endless)
    node, depth = returned(lambda x: endless), 0
    while isinstance(node, Container):
        [node] = node.children
        depth += 1
    assert node == Other("list")
    assert depth == 16
    [long] = returned(lambda x: {"k" * 1000: x}).keys  # type: ignore[union-attr]
    assert len(long) == 200


def test_programs_of_jitted_functions() -> None:
    found = program(jax.jit(lambda x: {"a": x * 2}))
    assert [each.primitive for each in found.main.equations] == ["jit"]
    assert found.returned == Container("dict", ("a",), (Leaf(0),))


def test_what_cannot_be_written_down_is_no_exception_of_the_submission(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_reference(x: Any) -> Any:
        return jax.new_ref(x)[...]

    error = trace(with_reference, ONE, PLACES)
    assert isinstance(error, TraceError)
    assert error.kind == "unsupported"
    assert error.message == "a value that is no array (AbstractRef)"

    def broken(*_: Any) -> Any:
        raise KeyError("of ours")

    monkeypatch.setattr(trace_module, "encode", broken)
    error = trace(lambda x: x, ONE, PLACES)
    assert isinstance(error, TraceError)
    assert (error.kind, error.message) == ("unsupported", "something unforeseen (KeyError: 'of ours')")


def test_a_program_that_is_too_large() -> None:
    ones = np.ones((3000, 3000), np.float32)
    error = trace(lambda x: jnp.asarray(ones) + x[0, 0], ONE, PLACES)
    assert isinstance(error, TraceError)
    assert (error.kind, error.type) == ("exception", "TooLarge")
    assert error.message == "the program holds more than 16,777,216 bytes of constants"
    assert error.help == (
        "Write loops over array elements as array operations, or as jax.lax.scan or fori_loop, and make no large "
        "arrays."
    )
