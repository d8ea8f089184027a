"""The environment that JAX needs here; it must be set before JAX starts a backend. Imports nothing of JAX."""

from __future__ import annotations

DEVICES = 8

# A psum that some devices never reach would hang for a minute before XLA gives up: seconds are enough here.
XLA_FLAGS = (
    f"--xla_force_host_platform_device_count={DEVICES}",
    "--xla_cpu_collective_call_warn_stuck_timeout_seconds=2",
    "--xla_cpu_collective_call_terminate_timeout_seconds=4",
)


def environment() -> dict[str, str]:
    """Variables for a process that will run JAX: eight CPU devices, quick to give up on a stuck collective."""
    return {
        "XLA_FLAGS": " ".join(XLA_FLAGS),
        "JAX_PLATFORMS": "cpu",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONHASHSEED": "0",
    }
