"""The jail around the process that runs a submission: layers of the Linux kernel, each optional, none silent.

`confine` puts the calling process's work inside; `JailConfig` says how; `Layers` says what came into force.
`docs/security.md` tells what each layer stops.
"""

from __future__ import annotations

from grader.tracer.jail.confinement import REFUSED_STATUS, allowed_environment, confine
from grader.tracer.jail.layers import LAYERS, STOPS, JailConfig, Layers, Missing

__all__ = [
    "LAYERS",
    "REFUSED_STATUS",
    "STOPS",
    "JailConfig",
    "Layers",
    "Missing",
    "allowed_environment",
    "confine",
]
