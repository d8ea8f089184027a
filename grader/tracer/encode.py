"""A jaxpr as a `Program`.

In comes what ``jax.make_jaxpr`` made; out goes plain data, linear in the size of the jaxpr: a jaxpr that is
called in several places is stored once, and so is a constant. Equations say where in the submission they
were written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.extend
import numpy as np

from grader.program.types import Aval, Body, BodyRef, Constant, Equation, Param, Program, Returned, Source
from grader.program.wire import DEFAULT_LIMITS
from grader.tracer import versions
from grader.tracer.calls import INLINED, canonical
from grader.tracer.errors import Leaked, TooLarge, Unsupported
from grader.tracer.params import Params, axis_name, dtype_name
from grader.tracer.places import Places

Literal = jax.extend.core.Literal
ShapedArray = jax.core.ShapedArray


def encode(closed_jaxpr: Any, returned: Returned, filename: str, places: Places | None = None) -> Program:
    """The program of a traced function.

    ``returned`` says how the flat outputs are arranged in what the function returned; ``filename`` is the name
    that the submission's code was compiled under. ``places`` may be handed in to be shared between programs of
    one submission. Raises `Unsupported`, `TooLarge` or `Leaked`.
    """
    encoder = _Encoder(places if places is not None else Places(filename))
    encoder.body(closed_jaxpr)
    return Program(tuple(encoder.bodies), tuple(encoder.constants), returned)


class _Encoder:
    def __init__(self, places: Places) -> None:
        self.places = places
        self.bodies: list[Body] = []
        self.constants: list[Constant] = []
        self.params = Params(self.body)
        # By identity; the objects are kept so that no identity is used again meanwhile.
        self.stored: dict[tuple[int, ...], tuple[BodyRef, Any]] = {}
        self.expanded: dict[int, Any] = {}
        self.numbers: dict[tuple[Aval, bytes], int] = {}
        self.avals: dict[tuple[Any, ...], Aval] = {}
        self.constant_bytes = 0
        self.equation_count = 0
        self.depth = 0
        self.placed = True

    # ── bodies ───────────────────────────────────────────────────────────────────────────────────

    def body(self, jaxpr: Any, consts: tuple[Any, ...] | None = None) -> BodyRef:
        """Store a jaxpr, closed or open (then over ``consts``), among the bodies, once."""
        opened, own = versions.split_consts(jaxpr)
        if consts is None:
            consts = own
        key = (id(opened), *map(id, consts))
        found = self.stored.get(key)
        if found is not None:
            return found[0]
        if self.depth >= DEFAULT_LIMITS.depth:
            raise TooLarge(f"functions call functions more than {DEFAULT_LIMITS.depth} deep")
        self.depth += 1
        placed = self.placed
        body = self.new_body(opened, consts)
        self.placed = placed
        self.depth -= 1
        ref = self.add_body(body)
        self.stored[key] = (ref, (opened, consts))
        return ref

    def add_body(self, body: Body) -> BodyRef:
        self.bodies.append(body)
        return BodyRef(len(self.bodies) - 1)

    def new_body(self, jaxpr: Any, consts: tuple[Any, ...]) -> Body:
        if len(jaxpr.constvars) != len(consts):
            raise Unsupported("a function whose constants are not known")
        self.equation_count += len(jaxpr.eqns)
        if self.equation_count > DEFAULT_LIMITS.equations:
            raise TooLarge(f"the program has more than {DEFAULT_LIMITS.equations:,} equations")
        numbers: dict[Any, int] = {}
        for variable, value in zip(jaxpr.constvars, consts, strict=True):
            if isinstance(value, jax.core.Tracer):
                raise Leaked(self.first_use(variable, jaxpr))
            numbers[variable] = self.constant(value, self.aval(variable.aval))
        count = 0
        for variable in jaxpr.invars:
            numbers[variable] = count
            count += 1
        equations: list[Equation] = []
        literal = self.literal
        for equation in jaxpr.eqns:
            name = equation.primitive.name
            if name == "platform_index":
                numbers[equation.outvars[0]] = self.platform(equation)
                continue
            operands = [literal(each) if isinstance(each, Literal) else numbers[each] for each in equation.invars]
            equations.append(self.equation(name, equation, operands, jaxpr))
            for variable in equation.outvars:
                numbers[variable] = count
                count += 1
        return Body(
            tuple([self.aval(each.aval) for each in jaxpr.invars]),
            tuple(equations),
            tuple([literal(each) if isinstance(each, Literal) else numbers[each] for each in jaxpr.outvars]),
        )

    def first_use(self, variable: Any, jaxpr: Any) -> Source | None:
        for equation in jaxpr.eqns:
            if any(each is variable for each in equation.invars):
                return self.places.of(equation.source_info.traceback)
        return None

    def equation(self, primitive: str, equation: Any, operands: list[int], jaxpr: Any) -> Equation:
        params = equation.params
        if primitive == "custom_linear_solve":
            primitive, params, operands = solve_only(params, operands)
        elif primitive == "call_hi_primitive":
            primitive, params = "composite", {"jaxpr": self.expansion(params["_prim"]), "name": "expanded"}
        name, kept = canonical(primitive, params)
        if name == "while" and versions.out_shapes(kept["cond_jaxpr"]) != [()]:
            return self.batched_while(equation, kept, operands)
        placed = self.placed
        if name == "shard_map":
            kept["pmap"] = versions.function_file(jaxpr) == versions.PMAP_FILE
        elif name in INLINED:
            self.placed = self.placed_inside(kept["jaxpr"])
        elif primitive.startswith("random_") and not versions.threefry_partitionable(equation):
            kept = {**kept, "threefry_partitionable": False}
        converted = self.params.all(name, kept) if kept else {}
        self.placed = placed
        return Equation(
            name,
            tuple(operands),
            tuple([self.aval(each.aval) for each in equation.outvars]),
            converted,
            self.place(equation, kept) if placed else None,
        )

    def place(self, equation: Any, params: dict[str, Any]) -> Source | None:
        """Where an equation was written; for a call from outside the file, where the function called is defined."""
        found = self.places.of(equation.source_info.traceback)
        if found is None and "jaxpr" in params:
            defined = versions.function_place(versions.split_consts(params["jaxpr"])[0])
            if defined is not None and defined[0] == self.places.filename:
                return Source(defined[1], 0)
        return found

    def batched_while(self, equation: Any, params: dict[str, Any], operands: list[int]) -> Equation:
        """A vmapped while_loop, whose condition is one bool for each element of the batch, as a plain one.

        It goes on while any element's condition holds, and leaves the carry of the others as it is.
        """
        tests, fixed = params["cond_nconsts"], params["body_nconsts"]
        condition, body = self.body(params["cond_jaxpr"]), self.body(params["body_jaxpr"])
        carry = self.bodies[body.index].inputs[fixed:]
        batch = self.aval(versions.split_consts(params["cond_jaxpr"])[0].outvars[0].aval)
        source = self.places.of(equation.source_info.traceback) if self.placed else None
        writing = Writing([*self.bodies[condition.index].inputs[:tests], *carry], source)
        [holds] = writing.call(condition, range(tests + len(carry)), [batch])
        axes = tuple(range(len(batch.shape)))
        [any_holds] = writing.add("reduce_or", [holds], [Aval((), "bool", batch.varying)], {"axes": axes})
        new_condition = self.add_body(writing.body([any_holds]))

        fixed_inputs = self.bodies[body.index].inputs[:fixed]
        writing = Writing([*self.bodies[condition.index].inputs[:tests], *fixed_inputs, *carry], source)
        old = range(tests + fixed, tests + fixed + len(carry))
        [holds] = writing.call(condition, [*range(tests), *old], [batch])
        new = writing.call(body, range(tests, tests + fixed + len(carry)), carry)
        outputs = []
        for before, after, aval in zip(old, new, carry, strict=True):
            chosen = holds
            if aval.shape != batch.shape:
                wide = Aval(aval.shape, "bool", batch.varying)
                [chosen] = writing.add(
                    "broadcast_in_dim", [holds], [wide], {"shape": aval.shape, "broadcast_dimensions": axes}
                )
            outputs += writing.add("select_n", [chosen, before, after], [aval], {})
        new_body = self.add_body(writing.body(outputs))
        return Equation(
            "while",
            (*operands[:tests], *operands),
            tuple([self.aval(each.aval) for each in equation.outvars]),
            {
                "cond_jaxpr": new_condition,
                "body_jaxpr": new_body,
                "cond_nconsts": tests,
                "body_nconsts": tests + fixed,
            },
            source,
        )

    def placed_inside(self, jaxpr: Any) -> bool:
        """Whether the places of a body's equations can be trusted.

        JAX caches the bodies of its own functions (relu, clip, einsum, ...) with the places from which they were
        first called. The equation that calls such a body has the right place; those inside get none.
        """
        file = versions.function_file(versions.split_consts(jaxpr)[0])
        return self.placed if file is None else not file.startswith(versions.JAX_FOLDER)

    def expansion(self, primitive: Any) -> Any:
        """What a primitive of JAX's that is defined by others consists of, as a jaxpr."""
        found = self.expanded.get(id(primitive))
        if found is None:
            try:
                found = (jax.make_jaxpr(primitive.expand)(*primitive.in_avals), primitive)
            except Exception as error:
                kind = type(primitive).__name__
                raise Unsupported(f"the operation {kind!r} cannot be expanded ({type(error).__name__})") from error
            self.expanded[id(primitive)] = found
        return found[0]

    # ── values ───────────────────────────────────────────────────────────────────────────────────

    def aval(self, aval: Any) -> Aval:
        if not isinstance(aval, ShapedArray):
            raise Unsupported(f"a value that is no array ({type(aval).__name__})")
        key = (aval.shape, aval.dtype, versions.varying(aval))
        found = self.avals.get(key)
        if found is None:
            shape, dtype, varying = key
            if not all(isinstance(size, (int, np.integer)) for size in shape):
                raise Unsupported(f"an array of the symbolic shape {shape}")
            found = self.avals[key] = Aval(
                tuple([int(size) for size in shape]),
                dtype_name(dtype),
                tuple(sorted([axis_name(each) for each in varying])),
            )
        return found

    def literal(self, literal: Any) -> int:
        return self.constant(literal.val, self.aval(literal.aval))

    def platform(self, equation: Any) -> int:
        """The index that a choice by platform has on a CPU, where programs are run."""
        platforms = equation.params["platforms"]
        index = next(index for index, names in enumerate(platforms) if names is None or "cpu" in names)
        return self.constant(np.int32(index), Aval((), "int32"))

    def constant(self, value: Any, aval: Aval) -> int:
        """Store an array, once; the number by which operands name it."""
        if not isinstance(value, (bool, int, float, complex)):  # has a size to look at before it is fetched
            self.constant_bytes += getattr(value, "nbytes", 0)
            if self.constant_bytes > DEFAULT_LIMITS.constant_bytes:
                raise TooLarge(f"the program holds more than {DEFAULT_LIMITS.constant_bytes:,} bytes of constants")
        if aval.dtype.startswith("key<"):
            data = np.asarray(jax.random.key_data(value)).tobytes()
        elif aval.dtype == "float0":
            data = bytes(math.prod(aval.shape))
        else:
            array = np.asarray(value)
            if array.dtype.name != aval.dtype:
                array = array.astype(aval.dtype)
            data = array.tobytes()
        key = (aval, data)
        number = self.numbers.get(key)
        if number is None:
            self.constants.append(Constant(aval, data))
            number = self.numbers[key] = -len(self.constants)
        return number


class Writing:
    """A body in the making, of equations that no jaxpr has."""

    def __init__(self, inputs: Sequence[Aval], source: Source | None) -> None:
        self.inputs = tuple(inputs)
        self.source = source
        self.equations: list[Equation] = []
        self.count = len(self.inputs)

    def add(
        self, primitive: str, operands: Sequence[int], results: Sequence[Aval], params: dict[str, Param]
    ) -> list[int]:
        """Append an equation; the numbers of its results."""
        self.equations.append(Equation(primitive, tuple(operands), tuple(results), params, self.source))
        first = self.count
        self.count += len(results)
        return list(range(first, self.count))

    def call(self, body: BodyRef, operands: Sequence[int], results: Sequence[Aval]) -> list[int]:
        params: dict[str, Param] = {
            "jaxpr": body,
            "name": "loop",
            "in_shardings": (None,) * len(operands),
            "out_shardings": (None,) * len(results),
        }
        return self.add("jit", operands, results, params)

    def body(self, outputs: Sequence[int]) -> Body:
        return Body(self.inputs, tuple(self.equations), tuple(outputs))


def solve_only(params: dict[str, Any], operands: list[int]) -> tuple[str, dict[str, Any], list[int]]:
    """A custom_linear_solve as what it does when run forwards: a call of the solve function."""
    lengths, jaxprs = params["const_lengths"], params["jaxprs"]
    first = lengths.matvec + lengths.vecmat
    last = first + lengths.solve + lengths.transpose_solve
    operands = operands[first : first + lengths.solve] + operands[last:]
    return "composite", {"jaxpr": jaxprs.solve, "name": "custom_linear_solve"}, operands
