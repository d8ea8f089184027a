"""The tracer's process: a job in, frames out, whatever the submission does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.frames import Frames
from grader.program.types import Program
from grader.program.wire import from_bytes
from grader.tracer.messages import (
    Candidate,
    Confinement,
    Failed,
    Finished,
    Job,
    Loaded,
    Reply,
    Request,
    Traced,
    Untraceable,
    decode_reply,
)
from grader.tracer.process import GIVE_UP_AFTER, answers, serve

ROOT = Path(__file__).resolve().parents[2]


def candidate(sizes: int = 3, entry: str = "f", problem: str = "p") -> Candidate:
    requests = tuple(Request(10 + size, (((size + 1, 2), "float32"),)) for size in range(sizes))
    return Candidate(problem=problem, entry=entry, parameters=("x",), requests=requests)


def job(source: str, *candidates: Candidate, name: str = "mine.py") -> Job:
    return Job(
        source=source.encode(),
        display_name=name,
        candidates=candidates or (candidate(),),
        confinement=Confinement(seconds=1.0, memory_bytes=1 << 30, require=False),
    )


def replies(source: str, *candidates: Candidate) -> list[Reply]:
    return [decode_reply(msgspec.msgpack.encode(each)) for each in answers(job(source, *candidates))]


def test_each_request_is_answered() -> None:
    loaded, *traced, finished = replies("def f(x): return {'a': x * 2}")
    assert loaded == Loaded("p")
    assert finished == Finished()
    assert [each.request for each in traced if isinstance(each, Traced)] == [10, 11, 12]
    programs: list[Program] = [from_bytes(each.program) for each in traced if isinstance(each, Traced)]
    assert [each.main.inputs[0].shape for each in programs] == [(1, 2), (2, 2), (3, 2)]


def test_a_file_for_another_problem() -> None:
    assert replies("def g(x): return x", candidate(), candidate(entry="g", problem="q"))[0] == Loaded("q")


@pytest.mark.parametrize(
    ("source", "kind"),
    [("x = (", "syntax"), ("import no_such_package", "import"), ("raise SystemExit", "exit"), ("1/0", "exception"),
     ("x = 1\0", "source"), ("", "missing"), ("f = 1", "not-callable"), ("def f(y): ...", "parameters")],
)  # fmt: skip
def test_a_file_without_a_function(source: str, kind: str) -> None:
    failed, finished = replies(source)
    assert isinstance(failed, Failed)
    assert failed.kind == kind
    assert finished == Finished()


def test_one_failure_among_others() -> None:
    source = "import sys\ndef f(x):\n    if x.shape[0] == 2: sys.exit(1)\n    return x\n"
    kinds = [type(each) for each in replies(source)]
    assert kinds == [Loaded, Traced, Untraceable, Traced, Finished]


def test_giving_up_when_all_fail_alike() -> None:
    loaded, *failed, finished = replies("def f(x):\n    return x @ x[:, :1] @ x\n", candidate(30))
    assert len(failed) == GIVE_UP_AFTER
    assert {each.error.type for each in failed if isinstance(each, Untraceable)} == {"TypeError"}
    assert (loaded, finished) == (Loaded("p"), Finished())


def test_going_on_when_they_fail_differently() -> None:
    source = "def f(x):\n    if x.shape[0] % 2: raise ValueError\n    raise KeyError\n"
    assert len(replies(source, candidate(20))) == 22
    source = "def f(x):\n    if x.shape[0] < 9: raise ValueError\n    return x\n"
    assert len(replies(source, candidate(20))) == 2 + GIVE_UP_AFTER
    source = "def f(x):\n    if x.shape[0] > 1: raise ValueError\n    return x\n"
    assert len(replies(source, candidate(20))) == 22


def test_names_that_cannot_be_encoded() -> None:
    [_, reply, _] = replies(
        "import jax, numpy as np\n"
        "from jax.sharding import PartitionSpec as P\n"
        "mesh = jax.sharding.Mesh(np.array(jax.devices()), ('\\ud800',))\n"
        "def f(x):\n"
        "    return jax.shard_map(lambda y: jax.lax.psum(y, '\\ud800'), mesh=mesh, in_specs=P(), out_specs=P(),\n"
        "                         check_vma=False)(x)\n",
        candidate(1),
    )
    assert isinstance(reply, Traced)  # such names are replaced


def test_a_program_of_too_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.tracer import process

    limits = msgspec.structs.replace(process.DEFAULT_LIMITS, bytes=50)
    monkeypatch.setattr(process, "DEFAULT_LIMITS", limits)
    [_, reply, _] = replies("def f(x): return x * 2", candidate(1))
    assert isinstance(reply, Untraceable)
    assert reply.error.type == "TooLarge"
    assert reply.error.message.endswith("bytes; at most 50 are read")


def test_nobody_reads() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    serve(job("def f(x): return x"), writing)
    os.close(writing)


FORKING = """
import os, sys
sys.path.insert(0, {root!r})
import jax
import grader.tracer.process as process
from test_process import job
reading, writing = os.pipe()
if os.fork() == 0:
    os.close(reading)
    os.environ.pop("XLA_FLAGS", None)
    process.serve(job({source!r}), writing)
    os._exit(0)
os.close(writing)
while chunk := os.read(reading, 65536):
    sys.stdout.buffer.write(chunk)
"""


def forked(source: str, **environment: str) -> tuple[list[Any], str]:
    """The replies of a process forked after JAX was imported, and what it printed."""
    code = FORKING.format(root=str(ROOT), source=source)
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("XLA", "JAX"))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        timeout=60,
        env={**inherited, **environment, "PYTHONPATH": f"{ROOT}:{Path(__file__).parent}"},
    )
    return [decode_reply(each) for each in Frames(1 << 20).feed(done.stdout)], done.stderr.decode()


def test_in_a_process_forked_after_importing_jax() -> None:
    source = (
        "import jax, sys\n"
        "from jax.sharding import PartitionSpec as P\n"
        "print('hello', file=sys.stderr)\n"
        "def f(x):\n"
        "    mesh = jax.make_mesh((8,), ('model',), axis_types=(jax.sharding.AxisType.Auto,))\n"
        "    return jax.shard_map(lambda y: y * 2, mesh=mesh, in_specs=P(), out_specs=P())(x)\n"
    )
    found, printed = forked(source)
    assert [type(each) for each in found] == [Loaded, Traced, Traced, Traced, Finished]
    assert "hello" in printed


def test_a_submission_that_asks_for_its_devices_itself() -> None:
    for setting in (
        "import os; os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=8'; import jax",
        "import jax; jax.config.update('jax_num_cpu_devices', 8)",
        "import jax; jax.config.update('jax_platforms', 'cpu')",
    ):
        found, _ = forked(f"{setting}\ndef f(x):\n    assert len(jax.devices()) == 8\n    return x\n")
        assert [type(each) for each in found] == [Loaded, Traced, Traced, Traced, Finished], setting


def test_the_messages_need_no_jax() -> None:
    code = "import sys, grader.tracer.messages; sys.exit('jax' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=False).returncode == 0


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\xc0", b"\x93", b"\x91\xa8finished\x00", b"\x91\xa7unknown",
        msgspec.msgpack.encode(["traced", -1, b""]),
        msgspec.msgpack.encode(["traced", 1.0, b""]),
        msgspec.msgpack.encode(["traced", 1, "text"]),
        msgspec.msgpack.encode(["loaded", "x" * 201]),
        msgspec.msgpack.encode(["untraceable", 1, ["odd", "E", "m", None, None, None]]),
        msgspec.msgpack.encode(["untraceable", 1, ["exception", "E", "m" * 4001, None, None, None]]),
        msgspec.msgpack.encode(["untraceable", 1, ["exception", "E", "m", 0, None, None]]),
        msgspec.msgpack.encode(["failed", "load", "odd", ["exception", "E", "m"]]),
        b"\x92\xa6loaded\xa1\xff",
    ],
)  # fmt: skip
def test_what_is_no_reply(data: bytes) -> None:
    with pytest.raises((msgspec.MsgspecError, ValueError)):
        decode_reply(data)
