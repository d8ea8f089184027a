"""What the referee says about a submission that could not be loaded, traced, read or run: findings."""

from __future__ import annotations

from collections.abc import Mapping

from grader.execution.errors import Deadlock, OutOfFuel, OutOfMemory, SimulationError
from grader.program.types import Source
from grader.referee.compare import Fault
from grader.report.model import Finding, Verdict
from grader.tracer.messages import Failed, TraceError

TAMPERED = "Return what the function computes with JAX; the judge reads nothing else."
NOT_YOURS = "This says nothing about the submission. Please report it with the file."
CONCRETE = (
    "Compute with JAX operations only: the function runs once, on tracers that stand for all inputs, so no value is "
    "known yet. Use jnp.where or jax.lax.cond to choose by a value, and jnp instead of np."
)


def error(
    id: str,
    verdict: Verdict,
    message: str,
    help: str | None = None,
    shape: Mapping[str, int] | None = None,
    source: Source | None = None,
) -> Finding:
    return Finding(
        kind="error",
        id=id,
        verdict=verdict,
        message=message,
        help=help,
        shape=None if shape is None else dict(shape),
        line=source.line or None if source is not None else None,
        column=source.column or None if source is not None else None,
    )


def raised(said: TraceError) -> str:
    """``ValueError: what it said``."""
    return f"{said.type}: {said.message}" if said.message else said.type


def from_trace(id: str, verdict: Verdict, message: str, said: TraceError, shape: Mapping[str, int] | None) -> Finding:
    return Finding(
        kind="error",
        id=id,
        verdict=verdict,
        message=message,
        help=said.help,
        line=said.line,
        column=said.column,
        shape=None if shape is None else dict(shape),
    )


def not_loaded(failed: Failed) -> Finding:
    """The file gives no function to trace."""
    said = failed.error
    if said.type.endswith(MEMORY_ERROR):
        return from_trace("memory-limit", Verdict.MLE, OUT_OF_MEMORY, said, None)
    if failed.kind == "exception":
        message = f"Loading the file raised {raised(said)}"
        return from_trace("exception", Verdict.RE, message, said, None)
    if failed.kind == "exit":
        return from_trace("exit", Verdict.RE, said.message, said, None)
    return from_trace(failed.kind, Verdict.CE, said.message or raised(said), said, None)


def trace_failed(said: TraceError, shape: Mapping[str, int]) -> Finding:
    """The function raised while it was traced (concretisation is a rule's to report)."""
    if said.type.endswith(MEMORY_ERROR):
        return from_trace("memory-limit", Verdict.MLE, OUT_OF_MEMORY, said, shape)
    if said.kind == "unsupported":
        return error("unsupported", Verdict.IE, f"The judge cannot read the traced program: {said.message}", NOT_YOURS)
    return from_trace("exception", Verdict.RE, raised(said), said, shape)


def simulation_failed(failure: SimulationError, shape: Mapping[str, int]) -> Finding:
    source = failure.equation.source if failure.equation is not None else None
    match failure:
        case OutOfFuel():
            return error("time-limit", Verdict.TLE, TOO_LONG, SHORTER, shape, source)
        case OutOfMemory():
            return error("memory-limit", Verdict.MLE, TOO_LARGE, SMALLER, shape, source)
        case Deadlock():
            return error("deadlock", Verdict.RE, STUCK, ALL_DEVICES, shape, source)
    return error("malformed", Verdict.RE, f"The traced program contradicts itself: {failure}.", TAMPERED, shape, source)


def unreadable(why: str) -> Finding:
    return error("malformed", Verdict.RE, f"What the submission's process sent cannot be read: {why}.", TAMPERED)


def too_large(why: str, shape: Mapping[str, int]) -> Finding:
    return error("memory-limit", Verdict.MLE, f"{TOO_LARGE[:-1]}: it has {why}.", SMALLER, shape)


def run_failed(why: str, shape: Mapping[str, int]) -> Finding:
    message = f"The program is traced, but running it on 8 devices failed: {why}"
    return error("run-failed", Verdict.RE, message, None, shape)


def undecided(why: str) -> Finding:
    return error("undecided", Verdict.IE, f"The judge cannot decide: {why}.", NOT_YOURS)


def fault_finding(fault: Fault, shape: Mapping[str, int]) -> Finding:
    """What is returned is not the declared structure."""
    return Finding(
        kind="numbers", id=fault.id, verdict=Verdict.WA, message=fault.message, help=fault.help, shape=dict(shape)
    )


MEMORY_ERROR = "MemoryError"
"""How the names of such exceptions end: Python's own, and NumPy's `_ArrayMemoryError`."""
OUT_OF_MEMORY = "Loading or tracing the submission ran out of memory (MemoryError)."
TOO_LONG = "Running the traced program takes too many steps."
SHORTER = "Look for a loop whose condition never becomes false, or that runs very many times."
TOO_LARGE = "Running the traced program needs too much memory."
SMALLER = "Look for values much larger than the inputs."
STUCK = "Only some of the devices reach this collective: on real devices the others wait for ever."
ALL_DEVICES = "Call psum and its like on every device, outside branches and loops that only some devices take."
