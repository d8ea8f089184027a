"""The tracer's process from its start: read the job, enter the jail, serve.

The order matters. All that is needed of the judge's own files is imported, and the submission's bytes are
read, before the jail closes; the layers in force are reported before anything of the submission is loaded.
"""

from __future__ import annotations

import math

import msgspec

from grader.frames import frame, read_all, write_all
from grader.tracer.jail import LAYERS, JailConfig, Layers, confine
from grader.tracer.messages import Confined, Job
from grader.tracer.process import serve


def main(job_descriptor: int, replies: int, programs: int) -> None:
    """Serve one job; does not return. ``programs`` is the referee's, and unused here."""
    job = msgspec.msgpack.decode(read_all(job_descriptor), type=Job)
    wanted = job.confinement
    config = JailConfig(
        keep=(replies,),
        memory_bytes=wanted.memory_bytes,
        cpu_seconds=math.ceil(wanted.seconds) * 2 + 2,
        require=LAYERS if wanted.require else frozenset(),
    )

    def inside(layers: Layers) -> None:
        write_all(replies, frame(msgspec.msgpack.encode(confined(layers))))
        serve(job, replies)

    def refused(layers: Layers) -> None:
        write_all(replies, frame(msgspec.msgpack.encode(confined(layers))))

    confine(config, inside, refused)


def confined(layers: Layers) -> Confined:
    return Confined(in_force=tuple(layers.in_force), missing=tuple((each.name, each.why) for each in layers.missing))
