"""Digests see what a program computes and how, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.program.digest import digest, skeleton
from grader.program.types import Body, Equation, Leaf, Program, Source
from grader.program.wire import from_bytes, to_bytes
from grader.tracer.encode import encode
from tests.program.random_programs import programs

X = np.ones((3, 4), np.float32)


def program_of(function: Callable[..., Any], *arguments: Any) -> Program:
    return encode(jax.make_jaxpr(function)(*(arguments or (X,))), Leaf(0), "submission.py")


def same(left: Callable[..., Any], right: Callable[..., Any]) -> bool:
    return digest(program_of(left)) == digest(program_of(right))


def inner(x: jax.Array) -> jax.Array:
    return jnp.sin(x) + 1


def other_name(x: jax.Array) -> jax.Array:
    return jnp.sin(x) + 1


def test_what_does_not_count() -> None:
    base = lambda x: jnp.sin(x) * jnp.cos(x)  # noqa: E731

    def other_order(x: jax.Array) -> jax.Array:
        cos = jnp.cos(x)
        return jnp.sin(x) * cos

    def dead_code(x: jax.Array) -> jax.Array:
        jnp.tanh(x @ x.T)
        return jnp.sin(x) * jnp.cos(x)

    assert same(base, other_order)
    assert same(base, dead_code)
    assert same(lambda x: jax.jit(inner)(x), lambda x: jax.jit(other_name)(x))
    shared, apart = jax.jit(inner), jax.jit(other_name)
    assert same(lambda x: shared(x) + shared(x * 2), lambda x: shared(x) + apart(x * 2))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (lambda x: jnp.sin(x), lambda x: jnp.cos(x)),
        (lambda x: x - x * 2, lambda x: x * 2 - x),
        (lambda x: x + 1, lambda x: x + 2),
        (lambda x: x.sum(0), lambda x: x.sum(1)),
        (lambda x: jax.jit(inner)(x), inner),
        (lambda x: x.astype(jnp.int32), lambda x: x.astype(jnp.int8)),
        (lambda x: jnp.sin(x) + jnp.sin(x), lambda x: (lambda y: y + y)(jnp.sin(x))),
        (
            lambda x: (lambda c: (jnp.sin(x) + jnp.sin(x)) * (c + c))(jnp.cos(x)),
            lambda x: (lambda s: (s + s) * (jnp.cos(x) + jnp.cos(x)))(jnp.sin(x)),
        ),
        (lambda x: x[0] + x[1], lambda x: x[0] + x[2]),
        (lambda x: (x, -x), lambda x: (-x, x)),
    ],
)
def test_what_counts(left: Callable[..., Any], right: Callable[..., Any]) -> None:
    assert not same(left, right)


def test_the_returned_structure_counts() -> None:
    program = program_of(inner)
    assert digest(program) != digest(msgspec.structs.replace(program, returned=Leaf(1)))


def test_params_in_another_order_are_the_same() -> None:
    def loop(x: jax.Array) -> jax.Array:
        return jax.lax.while_loop(lambda c: c.sum() < 9, lambda c: c * 2, x)

    program = program_of(loop)
    (step,) = program.main.equations
    assert digest(program) == digest(with_params(program, dict(reversed(step.params.items()))))


def test_bodies_go_with_the_param_that_names_them() -> None:
    step = jax.jit(lambda x: jnp.sin(x) > 0)
    program = program_of(lambda x: (jax.lax.while_loop(lambda c: ~c, step, x[0, 0] > 0), x)[0])
    program = msgspec.structs.replace(program, bodies=program.bodies)
    (*_, loop) = program.main.equations
    assert loop.primitive == "while"
    params = dict(loop.params)
    swapped = {"body_jaxpr": params["cond_jaxpr"], "cond_jaxpr": params["body_jaxpr"]}
    rest = {key: value for key, value in params.items() if key not in swapped}
    # The bodies stand in the same order as before, under each other's names.
    assert digest(with_params(program, {**swapped, **rest})) != digest(program)


def with_params(program: Program, params: dict[str, Any]) -> Program:
    """The program with other params in the last equation of its main body."""
    *equations, last = program.main.equations
    changed = msgspec.structs.replace(last, params=params)
    main = msgspec.structs.replace(program.main, equations=(*equations, changed))
    return Program((*program.bodies[:-1], main), program.constants, program.returned)


@given(programs(), st.randoms(use_true_random=False))
def test_places_and_order_do_not_count(program: Program, random: Any) -> None:
    bodies = [_shuffled(body, random) for body in program.bodies]
    other = Program(tuple(bodies), program.constants, program.returned)
    assert from_bytes(to_bytes(other)) == other
    assert digest(other) == digest(program)
    assert skeleton(other) == skeleton(program)


def _shuffled(body: Body, random: Any) -> Body:
    """The same equations in another order that works, at other places."""
    first, made = len(body.inputs), {}
    waiting = []
    for equation in body.equations:
        waiting.append((equation, list(range(first, first + len(equation.results)))))
        first += len(equation.results)
    made = {k: k for k in range(len(body.inputs))}
    equations = []
    count = len(body.inputs)
    while waiting:
        ready = [each for each in waiting if all(k < 0 or k in made for k in each[0].operands)]
        chosen = random.choice(ready)
        waiting.remove(chosen)
        equation, results = chosen
        for k in results:
            made[k] = count
            count += 1
        operands = tuple([made[k] if k >= 0 else k for k in equation.operands])
        equations.append(
            Equation(equation.primitive, operands, equation.results, equation.params, Source(random.randint(1, 99), 0))
        )
    return Body(body.inputs, tuple(equations), tuple([made[k] if k >= 0 else k for k in body.outputs]))


def test_processes_agree() -> None:
    program = program_of(lambda x: jax.jit(inner)(x) @ x.T)
    code = (
        "import sys; from grader.program.digest import digest, skeleton; from grader.program.wire import from_bytes;"
        "p = from_bytes(sys.stdin.buffer.read()); print(digest(p), skeleton(p))"
    )
    ran = subprocess.run([sys.executable, "-c", code], input=to_bytes(program), capture_output=True, check=True)
    assert ran.stdout.decode().split() == [digest(program), skeleton(program)]


# ── skeletons ────────────────────────────────────────────────────────────────────────────────────


def attention(x: jax.Array) -> jax.Array:
    return jax.nn.softmax(x @ x.T / np.sqrt(np.float32(x.shape[1])), axis=-1) @ x[:, : x.shape[1] // 2]


def test_a_skeleton_ignores_sizes() -> None:
    small, large = (program_of(attention, np.ones(shape, np.float32)) for shape in ((3, 4), (7, 10)))
    assert digest(small) != digest(large)
    assert skeleton(small) == skeleton(large)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (lambda x: x.sum(0), lambda x: x.sum(1)),
        (lambda x: jnp.sin(x), lambda x: jnp.cos(x)),
        (lambda x: x * x - x, lambda x: x - x * x),
        (lambda x: x[None], lambda x: x),
        (lambda x: x.astype(jnp.int32), lambda x: x.astype(jnp.int8)),
        (lambda x: [x := x + 1 for _ in range(3)][-1], lambda x: [x := x + 1 for _ in range(4)][-1]),
    ],
)
def test_a_skeleton_sees_structure(left: Callable[..., Any], right: Callable[..., Any]) -> None:
    assert skeleton(program_of(left)) != skeleton(program_of(right))
