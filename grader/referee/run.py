"""Runs a submission's program for real on a person's own inputs: outputs, and what each device holds of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from grader.cases import Case, parse
from grader.decimals import nested
from grader.errors import Unusable
from grader.execution import xla
from grader.execution.errors import SimulationError
from grader.execution.simulator import simulate
from grader.problem import Problem
from grader.problems import load
from grader.program.wire import Malformed, from_bytes
from grader.referee import compare, messages
from grader.referee.fuel import Tank
from grader.referee.judge import versions
from grader.referee.real import Call, run_all
from grader.referee.says import fault_finding, not_loaded, run_failed, simulation_failed, trace_failed, unreadable
from grader.report.model import Finding, Held, RunOutput, RunReport
from grader.tracer.messages import Failed, Finished, Traced, Untraceable

if TYPE_CHECKING:
    from grader.referee.process import Stream


def run(job: messages.RunJob, stream: Stream, say: Callable[[messages.Reply], None]) -> messages.Ran:
    opening = stream.opening()
    report = RunReport(problem=job.problem, submission=job.display_name, versions=versions(), sandbox=opening.layers)

    def ended(*findings: Finding, complete: bool = True) -> messages.Ran:
        return messages.Ran(report=replaced(report, findings=findings), complete=complete)

    if isinstance(opening.reply, Failed):
        if opening.reply.kind == "several":
            raise Unusable(opening.reply.error.message)
        return ended(not_loaded(opening.reply))
    if opening.reply is None:
        return ended(complete=False)
    problem = load(opening.reply.problem)
    report = replaced(report, problem=problem.id)
    case = parse(problem, job.inputs, job.inputs_name)
    for reply in stream.replies:
        match reply:
            case Untraceable():
                return ended(trace_failed(reply.error, case.shape))
            case Traced():
                say(messages.Running(report=None))
                outputs, findings = outputs_of(problem, case, reply.program)
                return messages.Ran(report=replaced(report, outputs=outputs, findings=findings), complete=True)
            case Finished():
                break
            case _:
                pass
    return ended(complete=False)


def replaced(report: RunReport, **changes: object) -> RunReport:
    import msgspec

    return msgspec.structs.replace(report, **changes)


def outputs_of(problem: Problem, case: Case, data: bytes) -> tuple[tuple[RunOutput, ...], tuple[Finding, ...]]:
    try:
        program = from_bytes(data)
    except Malformed as error:
        return (), (unreadable(f"{error}"),)
    fault = compare.fault(problem, case.shape, program)
    findings = () if fault is None else (fault_finding(fault, case.shape),)
    arrays = [case.inputs[name] for name in problem.parameters]
    try:  # what would hang real devices must not be given to them
        simulate(program, [each[None] for each in arrays], fuel=Tank().draw())
    except xla.Unsupported:
        pass
    except SimulationError as error:
        return (), (*findings, simulation_failed(error, case.shape))
    ran = run_all([Call(case.name, program, arrays)])[case.name]
    if ran.results is None:
        return (), (*findings, run_failed(f"{ran.error}", case.shape))
    leaves = compare.leaves(problem, program)
    return tuple(output(name, ran.results[leaf]) for name, leaf in leaves.items()), findings


def output(name: str, result: xla.Result) -> RunOutput:
    return RunOutput(
        name=name,
        shape=tuple(result.value.shape),
        dtype=str(result.value.dtype),
        value=nested(result.value),
        devices=tuple(Held(device=each.device, block=each.index, value=nested(each.data)) for each in result.shards),
    )
