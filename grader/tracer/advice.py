"""What to do about the errors that learners of JAX meet: a table from an exception to a sentence or two.

JAX's own texts say what is wrong in JAX's terms; the advice says what to change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import jax


@dataclass(frozen=True)
class Advice:
    """What to do about an exception whose type and text match."""

    pattern: str
    """Searched in the exception's text; a regular expression."""
    help: str
    types: tuple[str, ...] = ()
    """Names of exception classes, without their modules; empty: any."""
    raised_in: str | None = None
    """The name of the function of JAX's that raised it; None: any function."""


def advice(kind: str, message: str, raised_in: str | None) -> str | None:
    """The first advice in the table for an exception of class ``kind`` that says ``message``, if there is any.

    ``raised_in`` is the function of JAX's that raised it; None when JAX did not.
    """
    for each in ADVICE:
        if each.types and kind not in each.types:
            continue
        if each.raised_in is not None and raised_in != each.raised_in:
            continue
        if re.search(each.pattern, message):
            return each.help
    return None


BRANCH = (
    "A traced value has no number yet, so it cannot decide an if, a while, an and, or Python's max and min: use"
    " jnp.where, jnp.maximum, jnp.minimum or jax.lax.cond."
)
NUMBER = (
    "A traced value has no number yet: leave out float(), int(), .item() and the math module, convert with "
    ".astype, and compute with jax.numpy."
)
INDEX = (
    "A traced value cannot be a Python index, a slice bound or the length of a range: take sizes from .shape, "
    "index JAX arrays with it, or use jax.lax.dynamic_slice."
)
SHAPE = "A shape must be known while tracing: take it from another array's .shape, never from a traced value."
EXPLICIT = (
    "jax.make_mesh makes Explicit axes unless told otherwise: write jax.make_mesh(..., "
    "axis_types=(AxisType.Auto,)) with one AxisType.Auto for each axis (from jax.sharding import AxisType)."
)
AXIS = (
    "A collective such as psum was given an axis name that the mesh does not have, or stands outside shard_map:"
    " write the name exactly as in the mesh."
)
DEVICES = "There are 8 devices: the sizes of the mesh's axes must multiply to at most 8."
LEAKED = (
    "A traced value was kept from an earlier trace, in a global, a default, a cache or an object: pass it as an "
    "argument and return it instead."
)

ADVICE: tuple[Advice, ...] = (
    # ── a traced value was to become a Python value ──
    Advice(
        r"",
        BRANCH,
        types=("TracerBoolConversionError",),
    ),
    Advice(
        r"The truth value of an (empty )?array",
        BRANCH,
        raised_in="check_bool_conversion",
    ),
    Advice(
        r"",
        "NumPy cannot take a traced array: use the function of jax.numpy with the same name.",
        types=("TracerArrayConversionError",),
    ),
    Advice(
        r"",
        (
            "How many elements a traced mask picks is not known while tracing: write jnp.where(mask, x, 0) "
            "instead of x[mask]."
        ),
        types=("NonConcreteBooleanIndexError",),
    ),
    Advice(
        r"",
        INDEX,
        types=("TracerIntegerConversionError",),
    ),
    Advice(
        r"Only integer scalar arrays can be converted to a scalar index",
        INDEX,
    ),
    Advice(
        r"Slice entries must be static|slice indices must have static",
        INDEX,
    ),
    Advice(
        r"Shapes must be 1D sequences of concrete values",
        SHAPE,
    ),
    Advice(
        r"jnp\.(nonzero|unique\w*|argwhere|flatnonzero|repeat|bincount)|size argument",
        (
            "How long this result is depends on traced values: give size=..., or use jnp.where with three "
            "arguments to keep the shape."
        ),
        types=("ConcretizationTypeError",),
    ),
    Advice(
        r"jnp\.arange argument|jnp\.linspace|num_classes",
        SHAPE,
        types=("ConcretizationTypeError",),
    ),
    Advice(
        r"",
        NUMBER,
        types=("ConcretizationTypeError",),
    ),
    Advice(
        r"Only scalar arrays can be converted to Python scalars",
        NUMBER,
    ),
    Advice(
        r"unsupported format string passed to \w*Tracer|format: a (real )?number is required, not \w*Tracer",
        'A traced value has no number to print: use jax.debug.print("{}", x).',
    ),
    Advice(
        r"unhashable type: '\w*Tracer'",
        "A traced array cannot be a dict key or a set member, nor go through functools.cache.",
        types=("TypeError",),
    ),
    Advice(
        r"Non-hashable static argument",
        (
            "Only hashable Python values can be static arguments: leave traced arrays out of static_argnums and"
            " static_argnames."
        ),
    ),
    # ── meshes and axes ──
    Advice(
        r"in_specs passed to shard_map: .* does not match the specs of the input",
        EXPLICIT,
    ),
    Advice(
        r"can only refer to Auto axes of the mesh",
        EXPLICIT,
    ),
    Advice(
        r"",
        EXPLICIT,
        types=("ShardingTypeError",),
    ),
    Advice(
        r"specify the (output )?sharding .*out_sharding|AxisType\.Explicit|axis_types=\(Explicit",
        EXPLICIT,
    ),
    Advice(
        r"^$",
        AXIS,
        types=("AssertionError",),
        raised_in="pvary",
    ),
    Advice(
        r"^$",
        AXIS,
        types=("AssertionError",),
        raised_in="pcast",
    ),
    Advice(
        r"unbound axis name",
        AXIS,
        types=("NameError",),
    ),
    Advice(
        r"argument must refer to an axis marked as manual|Resource axis: .* is not found in mesh",
        "A PartitionSpec names an axis that the mesh does not have: write the name exactly as in the mesh.",
    ),
    Advice(
        r"not evenly divisible by the corresponding mesh axis|does not evenly divide the dimension",
        (
            "shard_map cuts a dimension into as many equal blocks as the mesh axis has devices: check that the "
            "spec names the axis at the dimension that is to be split, and that its size is a multiple of the "
            "number of devices."
        ),
    ),
    Advice(
        (
            r"tiled reduce_scatter operand scatter dimension|all_to_all (requires|split_axis)|"
            r"size of all_to_all split_axis"
        ),
        (
            "A collective splits this dimension into one piece for each device: its size must be a multiple of "
            "their number."
        ),
    ),
    Advice(
        r"require replication which can't be statically inferred|could not infer replication|can't prove",
        (
            "JAX cannot prove that every device holds the same value for this out_spec. A psum over the axis "
            "makes it so; after an all_gather it cannot be proved, use psum or, if the values are really the "
            "same, check_vma=False."
        ),
    ),
    Advice(
        r"Number of devices \d+ must|cannot reshape array of size \d+ into shape",
        DEVICES,
        raised_in="make_mesh",
    ),
    Advice(
        r"Number of devices \d+ must",
        DEVICES,
    ),
    Advice(
        r"Mesh requires the ndim of its first argument",
        (
            "Mesh needs an array of devices with one dimension for each axis name: "
            "np.array(jax.devices()).reshape(sizes)."
        ),
    ),
    Advice(
        r"should match the mesh passed to shard_map",
        ("This shard_map stands inside another one: a device's own block cannot be split over the same axis again."),
    ),
    Advice(
        r"context mesh .*(cannot be empty|empty)|requires a non-empty mesh in context|Please set a mesh via",
        ("No mesh is set: pass mesh=... to shard_map, and NamedSharding(mesh, spec) where a sharding is wanted."),
    ),
    Advice(
        r"set_mesh` can only be used outside",
        "jax.set_mesh belongs at the top of the file; inside the function pass mesh=... to shard_map.",
    ),
    Advice(
        r"axis_(shapes|sizes)'",
        (
            "The first parameter of jax.make_mesh has changed its name: pass it by position, as in "
            'jax.make_mesh((8,), ("model",)).'
        ),
        types=("TypeError",),
    ),
    # ── the arguments of shard_map ──
    Advice(
        r"shard_map in_specs argument must be a pytree .* but it was `?None",
        ('shard_map needs in_specs: one PartitionSpec for each argument, such as in_specs=(P(), P(None, "model")).'),
    ),
    Advice(
        r"missing \d+ required keyword-only argument.*(out_specs|in_specs)",
        "shard_map needs in_specs and out_specs: one PartitionSpec for each argument and each result.",
    ),
    Advice(
        r"shard_map\(\) takes .* positional argument",
        "Pass mesh, in_specs and out_specs to shard_map by keyword.",
    ),
    Advice(
        r"unexpected keyword argument 'check_rep'",
        "check_rep is now called check_vma.",
        types=("TypeError",),
    ),
    Advice(
        r"pytree structure error: (.|\n)*shard_map (in|out)_specs",
        (
            "in_specs needs one PartitionSpec for each argument of the function, as a tuple, and out_specs the "
            "structure of what the function returns."
        ),
    ),
    Advice(
        r"(in|out)_specs entry which is too long",
        ("A PartitionSpec has at most one entry for each dimension of the array: shorten it, P() for a scalar."),
    ),
    # ── loops and branches ──
    Advice(
        r"carry input and carry output (.|\n)*manual ax(is types|es) do not match",
        (
            "The carry starts out the same on every device and becomes different in the loop: make the initial "
            'value varying with jax.lax.pcast(value, ("model",), to="varying"), with the name of the mesh axis.'
        ),
    ),
    Advice(
        r"carry input and carry output must",
        (
            "What a loop's body returns as carry must have the shape, dtype and structure of the initial carry:"
            " start from such a value, for example jnp.zeros of that shape and dtype."
        ),
    ),
    Advice(
        r"(cond|switch) branches must have equal output types|must have equal types",
        (
            "Both branches must return the same structure, shapes and dtypes, on the same mesh axes: convert "
            "with .astype or jax.lax.pcast where they differ."
        ),
    ),
    Advice(
        r"scan body output must be a pair",
        "The body of jax.lax.scan returns two things: the new carry, and what to stack (or None).",
    ),
    Advice(
        r"scan got values with different leading axis sizes",
        "All arrays that jax.lax.scan runs over must be equally long in their first dimension.",
    ),
    Advice(
        r"cond_fun must return a boolean scalar",
        "The condition of a while_loop must be one bool: combine an array with jnp.any or jnp.all.",
    ),
    Advice(
        r"Reverse-mode differentiation does not work for lax.while_loop",
        (
            "A loop that is to be differentiated needs a length known while tracing: use jax.lax.scan, or "
            "fori_loop with Python bounds."
        ),
    ),
    # ── shapes and dtypes ──
    Advice(
        (
            r"dot_general requires contracting dimensions|jax.lax.dot: dimension_numbers must|"
            r"matmul .*(mismatch|incompatible)|Size of label .* does not match previous terms"
        ),
        (
            "In x @ w the last dimension of x must be as long as the first of w: compare both shapes, inside "
            "shard_map those of the blocks."
        ),
    ),
    Advice(
        r"[Ii]ncompatible shapes for broadcasting",
        (
            "Shapes broadcast from the right, where each pair of sizes must be equal or one of them 1: compare "
            "both shapes."
        ),
    ),
    Advice(
        r"requires arguments to have the same dtypes",
        "Convert one of them with .astype, or use the jax.numpy function, which converts by itself.",
    ),
    Advice(
        r"Cannot concatenate arrays with shapes that differ",
        "Arrays to be concatenated may differ only along the axis of concatenation.",
    ),
    Advice(
        r"cannot reshape array of shape",
        "A reshape keeps the number of elements: the new sizes must multiply to the old number.",
    ),
    Advice(
        r"Too many indices",
        "An array takes at most as many indices as it has dimensions.",
    ),
    Advice(
        r"Gradient only defined for scalar-output functions",
        "jax.grad needs one number: sum or average the output, or use jax.jacobian.",
    ),
    Advice(
        r"grad requires real- or complex-valued inputs",
        "Differentiate with respect to floating-point arguments only; argnums chooses them.",
    ),
    Advice(
        r"vmap got inconsistent sizes",
        "All arrays that vmap maps over must be equally long there; in_axes=None leaves one out.",
    ),
    Advice(
        r"No (VJP|JVP) defined for custom",
        ("A custom_vjp function needs f.defvjp(forward, backward), a custom_jvp function f.defjvps or @f.defjvp."),
    ),
    Advice(
        r"requires ndarray or scalar arguments, got",
        "Turn lists and tuples into arrays first, with jnp.array or jnp.stack.",
    ),
    Advice(
        r"immutable and do not support in-place",
        "JAX arrays cannot be changed in place: write x = x.at[index].set(value).",
    ),
    Advice(
        r"is not a valid JAX type",
        "Return JAX arrays, in dicts, lists or tuples; strings, sets, functions and other objects are none.",
        types=("TypeError",),
    ),
    # ── imports and names ──
    Advice(
        r"jax\.experimental\.(shard_map|maps|pjit)",
        "Use jax.shard_map, jax.jit and jax.sharding.",
    ),
    Advice(
        r"No module named",
        "A submission is one file; it can import Python's standard library, JAX, NumPy and what they need.",
        types=("ModuleNotFoundError",),
    ),
    Advice(
        r"cannot import name",
        f"The module has no such name in the version that is installed here (JAX {jax.__version__}).",
        types=("ImportError",),
    ),
    # ── the rest ──
    Advice(
        r"",
        LEAKED,
        types=("UnexpectedTracerError",),
    ),
    Advice(
        r"invalid PRNG key data",
        "Random functions take a key as their first argument: jax.random.key(0).",
    ),
    Advice(
        r"jax\.lax\.pvary|attribute 'pvary'",
        'jax.lax.pvary is gone: use jax.lax.pcast(x, axes, to="varying").',
    ),
    Advice(
        r"'jax' has no attribute 'tree_map'|attribute 'tree_map'",
        "jax.tree_map is gone: use jax.tree.map.",
    ),
    Advice(
        r"'jax\.sharding' has no attribute 'use_mesh'",
        "jax.sharding.use_mesh is now jax.set_mesh.",
    ),
    Advice(
        r"maximum recursion depth exceeded",
        "A function calls itself without end, or too often: use a loop.",
        types=("RecursionError",),
    ),
    Advice(
        r"",
        (
            "Tracing needs no large arrays: look for arrays that are made in Python, and for lists that grow "
            "without end."
        ),
        types=("MemoryError",),
    ),
    Advice(
        r"",
        "The function must return its result; it may not end the process.",
        types=("SystemExit", "KeyboardInterrupt"),
    ),
    Advice(
        r"not available on traced array|Tracer has no attribute",
        "A traced array has shape, dtype and ndim, but no values, devices or sharding.",
        types=("AttributeError",),
        raised_in="__getattr__",
    ),
)
