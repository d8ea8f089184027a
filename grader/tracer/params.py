"""An equation's params as plain data: JAX's objects in, `grader.program.types.Param` out."""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.extend
import numpy as np
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

from grader.program.types import BodyRef, Dtype, Mesh, Record, Sharding, Spec
from grader.tracer.errors import Unsupported
from grader.tracer.versions import is_jaxpr

Convert = Callable[[Any], Any]


class NotPlain(Exception):
    """A param's value is no data; the text says what it is."""


class Bound:
    """A jaxpr with the consts that another param holds for it."""

    def __init__(self, jaxpr: Any, consts: Any) -> None:
        self.jaxpr = jaxpr
        self.consts = tuple(consts)


class Destination:
    """Where device_put puts an array: a sharding, a layout with one, a device, or nowhere in particular."""

    def __init__(self, value: Any) -> None:
        self.value = value


LONGEST_TEXT = 1_000
LONGEST_NAME = 120


@functools.lru_cache(maxsize=256)
def dtype_name(dtype: Any) -> str:
    """NumPy's name of a dtype; ``key<fry>`` and the like for typed PRNG keys."""
    if dtype == jax.dtypes.float0:
        return "float0"
    return str(dtype.name)


def axis_name(name: Any) -> str:
    """A mesh axis by its name, whatever hashable thing that is."""
    return text(name) if isinstance(name, str) else text(repr(name))


def axis_names(names: Any) -> tuple[str | int, ...]:
    """Axis names as a tuple; positional axes (integers) stay."""
    if not isinstance(names, (tuple, list)):
        names = (names,)
    return tuple(each if type(each) is int else axis_name(each) for each in names)


def text(value: str, longest: int = LONGEST_NAME) -> str:
    """A string that is short and can be encoded."""
    value = value if len(value) <= longest else value[: longest - 1] + "…"
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


@functools.lru_cache(maxsize=256)
def spec(value: Any) -> Spec:
    """A PartitionSpec in its shortest form."""
    axes: list[tuple[str, ...]] = []
    for entry in value:
        if entry is None:
            axes.append(())
        elif entry is PartitionSpec.UNCONSTRAINED:
            axes.append(("*",))
        elif isinstance(entry, (tuple, list)):
            axes.append(tuple([axis_name(each) for each in entry]))
        else:
            axes.append((axis_name(entry),))
    while axes and not axes[-1]:
        axes.pop()
    return Spec(tuple(axes))


def mesh(value: Any) -> Mesh:
    devices = () if isinstance(value, AbstractMesh) else tuple(int(each.id) for each in value.devices.flat)
    return Mesh(tuple([axis_name(each) for each in value.axis_names]), tuple(map(int, value.axis_sizes)), devices)


class Params:
    """Converts the params of one program's equations.

    ``body`` stores a jaxpr among the program's bodies and returns its reference.
    """

    def __init__(self, body: Callable[..., BodyRef]) -> None:
        self.body = body
        self.converters: dict[type, Convert] = {
            type(None): same,
            bool: same,
            int: same,
            float: same,
            str: lambda value: text(value, LONGEST_TEXT),
            tuple: self.several,
            list: self.several,
            frozenset: self.sorted,
            set: self.sorted,
            PartitionSpec: spec,
            Bound: lambda value: self.body(value.jaxpr, value.consts),
            Destination: lambda value: self.destination(value.value),
        }
        self.meshes: dict[Any, Mesh] = {}
        self.shardings: dict[Any, Sharding | None] = {}

    def convert(self, value: Any) -> Any:
        """A value as data. Raises `NotPlain` for what is none."""
        kind = type(value)
        converter = self.converters.get(kind)
        if converter is None:
            converter = self.converters[kind] = self.converter(value)
        return converter(value)

    def all(self, primitive: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """An equation's params. Raises `Unsupported`."""
        converted = {}
        for name, value in params.items():
            try:
                converted[name] = self.convert(value)
            except NotPlain as reason:
                raise Unsupported(f"the operation {primitive!r} with a parameter {name!r} that is {reason}") from None
        return converted

    def several(self, values: Any) -> tuple[Any, ...]:
        convert = self.convert
        return tuple([convert(each) for each in values])

    def sorted(self, values: Any) -> tuple[Any, ...]:
        return tuple(sorted(self.several(values), key=lambda each: (str(type(each)), each)))

    def converter(self, value: Any) -> Convert:
        """How to convert values of this value's type."""
        kind = type(value)
        if isinstance(value, enum.Enum):
            return lambda each: str(each.name)
        if isinstance(value, np.dtype):
            return lambda each: Dtype(dtype_name(each))
        if isinstance(value, type):
            return scalar_type
        if isinstance(value, jax.sharding.Sharding):
            return self.sharding
        if isinstance(value, (jax.sharding.Mesh, AbstractMesh)):
            return self.mesh
        if isinstance(value, np.generic):
            return lambda each: self.convert(each.item())
        if is_jaxpr(value):
            return self.body
        if kind.__name__ == "UnspecifiedValue":
            return lambda each: None
        if is_extended_dtype(value):
            return lambda each: Dtype(dtype_name(each))
        if isinstance(value, jax.extend.core.Primitive):
            return lambda each: str(each.name)
        if hasattr(value, "tag") and hasattr(value, "key_shape"):  # a PRNG implementation
            return lambda each: str(each.tag)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return lambda each: self.record(each, each._fields)
        if dataclasses.is_dataclass(value):
            names = tuple(field.name for field in dataclasses.fields(value))
            return lambda each: self.record(each, names)
        if kind.__name__ == "Tolerance":
            return lambda each: self.record(each, ("atol", "rtol", "ulps"))
        if isinstance(value, (bool, int, float, str, tuple, list)):
            base = next(each for each in kind.__mro__ if each in self.converters)
            return lambda each: self.converters[base](base(each))
        raise NotPlain(f"a {kind.__module__}.{kind.__qualname__}")

    def record(self, value: Any, names: tuple[str, ...]) -> Record:
        return Record(type(value).__name__, tuple([(name, self.convert(getattr(value, name))) for name in names]))

    def mesh(self, value: Any) -> Mesh:
        if value not in self.meshes:
            self.meshes[value] = mesh(value)
        return self.meshes[value]

    def sharding(self, value: Any) -> Sharding | None:
        """None stands for a sharding that says nothing: over no mesh axis at all."""
        if value not in self.shardings:
            self.shardings[value] = self.new_sharding(value)
        return self.shardings[value]

    def new_sharding(self, value: Any) -> Sharding | None:
        if not isinstance(value, NamedSharding):
            return Sharding(type(value).__name__)
        if not value.mesh.axis_names:
            return None
        return Sharding("NamedSharding", self.mesh(value.mesh), spec(value.spec))

    def destination(self, value: Any) -> Sharding | None:
        if isinstance(value, jax.Device):
            return Sharding("SingleDeviceSharding")
        value = getattr(value, "sharding", value)
        return self.sharding(value) if isinstance(value, jax.sharding.Sharding) else None


def same(value: Any) -> Any:
    return value


def is_extended_dtype(value: Any) -> bool:
    try:
        return bool(jax.numpy.issubdtype(value, jax.dtypes.extended))
    except TypeError:
        return False


def scalar_type(value: type) -> Dtype:
    try:
        return Dtype(dtype_name(jax.dtypes.canonicalize_dtype(value)))
    except TypeError:
        raise NotPlain(f"the class {value.__qualname__}") from None
