"""A plain grader, as a teacher would write it in one file with jax, numpy and hypothesis: what the bench compares with.

It imports the submission, traces it once and walks the jaxpr for a handful of structural rules, and runs it
under `jax.jit` on a few cases and on 25 generated shapes (``--all-shapes``: on all 320). It shares its process
with the submission, sees only the names of primitives, and compares with a plain tolerance: it is here to be
timed, not to be trusted.

    python bench/plain_grader.py FILE [--all-shapes]

Prints a JSON object; exit status 0 when accepted, else 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import os
import sys
from pathlib import Path

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

CASES = Path(__file__).parent.parent / "cases" / "tensor_parallel_mlp"
NAMES = ("example_1", "example_2", "example_3", "largest", "no_output_bias")
PARAMETERS = ("x", "w1", "b1", "w2", "b2")
SHAPES = list(itertools.product((1, 2, 3, 4), (1, 2, 3, 4, 5), (8, 16, 24, 32), (1, 2, 3, 4)))
GENERATED = 25
FORBIDDEN = {"all_gather", "all_gather_invariant", "all_to_all", "ppermute", "pure_callback", "io_callback"}


def load(path):
    spec = importlib.util.spec_from_file_location("submission", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.tensor_parallel_mlp


def draw(shape, seed):
    b, d, h, o = shape
    random = np.random.default_rng(seed)
    sizes = {"x": (b, d), "w1": (d, h), "b1": (h,), "w2": (h, o), "b2": (o,)}
    return {name: random.standard_normal(size).astype(np.float32) for name, size in sizes.items()}


def walk(jaxpr):
    """Every equation, those of inner jaxprs too."""
    for eqn in jaxpr.eqns:
        yield eqn
        for value in eqn.params.values():
            for each in value if isinstance(value, (list, tuple)) else [value]:
                inner = getattr(each, "jaxpr", each)
                if hasattr(inner, "eqns"):
                    yield from walk(inner)


def check_structure(function):
    """The names of the rules that the traced program breaks."""
    example = draw((2, 3, 16, 2), 0)
    try:
        jaxpr = jax.make_jaxpr(function)(*(example[name] for name in PARAMETERS)).jaxpr
    except jax.errors.JAXTypeError:
        return ["stays-traced"]
    eqns = list(walk(jaxpr))
    broken = []
    maps = [eqn for eqn in eqns if eqn.primitive.name == "shard_map"]
    if len(maps) != 1 or dict(maps[0].params["mesh"].shape) != {"model": 8}:
        broken.append("mesh")
    else:
        shapes = [var.aval.shape for var in maps[0].params["jaxpr"].invars]
        if any(shape not in shapes for shape in [(2, 3), (3, 2), (2,), (2, 2)]):
            broken.append("weight-blocks")
    if not any(eqn.primitive.name in ("psum", "psum_invariant") for eqn in eqns):
        broken.append("psum")
    if any(eqn.primitive.name in FORBIDDEN for eqn in eqns):
        broken.append("communication")
    return broken


def right(jitted, inputs):
    """The numbers and the layout of what the submission returns are right."""
    wide = {name: value.astype(np.float64) for name, value in inputs.items()}
    hidden = np.maximum(wide["x"] @ wide["w1"] + wide["b1"], 0)
    expected = {"hidden": hidden, "out": hidden @ wide["w2"] + wide["b2"]}
    got = jitted(*(inputs[name] for name in PARAMETERS))
    if set(got) != set(expected):
        return False
    for name, want in expected.items():
        if got[name].dtype != np.float32 or got[name].shape != want.shape:
            return False
        for shard in got[name].addressable_shards:
            if not np.allclose(np.asarray(shard.data), want[shard.index], rtol=1e-4, atol=1e-5):
                return False
    return got["out"].is_fully_replicated


def grade(path, all_shapes):
    try:
        function = load(path)
        broken = check_structure(function)
        if broken:
            return {"verdict": "RV", "broken": broken}
        jitted = jax.jit(function)
        for name in NAMES:
            inputs = json.loads((CASES / f"{name}.json").read_text())["inputs"]
            if not right(jitted, {key: np.asarray(value, np.float32) for key, value in inputs.items()}):
                return {"verdict": "WA", "case": name}

        @settings(max_examples=GENERATED, derandomize=True, database=None, deadline=None)
        @given(st.sampled_from(SHAPES))
        def generated(shape):
            assert right(jitted, draw(shape, 1)), f"wrong at {shape}"

        if all_shapes:
            for shape in SHAPES:
                assert right(jitted, draw(shape, 1)), f"wrong at {shape}"
        else:
            generated()
    except AssertionError as error:
        return {"verdict": "WA", "message": str(error)}
    except Exception as error:
        return {"verdict": "RE", "message": f"{type(error).__name__}: {error}"[:500]}
    return {"verdict": "AC"}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--all-shapes", action="store_true")
    options = parser.parse_args()
    result = grade(options.file, options.all_shapes)
    print(json.dumps(result))
    sys.exit(result["verdict"] != "AC")
