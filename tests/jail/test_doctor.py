"""`grader doctor`: what it finds here, and what it says of a machine that lacks something."""

from __future__ import annotations

import platform

from grader.doctor import Diagnosis, Layer, diagnose, render_text
from grader.tracer.jail import STOPS


def test_this_machine() -> None:
    found = diagnose()
    assert found.healthy, found.problem
    assert found.devices == 8
    assert found.python == platform.python_version()
    assert [layer.name for layer in found.layers] == list(STOPS)
    assert all(layer.in_force or layer.why_missing for layer in found.layers)
    text = render_text(found)
    assert all(name in text for name in STOPS)


def test_a_machine_without_landlock() -> None:
    found = Diagnosis(
        python="3.12.1",
        platform="Linux 5.10.0 aarch64",
        jax=None,
        devices=None,
        problem="JAX cannot be imported: No module named 'jax'",
        layers=(
            Layer("seccomp", True, "", "refuses what computing does not need"),
            Layer("landlock: files", False, "this kernel has no Landlock", "refuses files"),
        ),
    )
    assert not found.healthy
    assert not found.jailed
    assert render_text(found) == (
        "Python   3.12.1\n"
        "System   Linux 5.10.0 aarch64\n"
        "JAX      cannot be imported\n"
        "Devices  JAX does not start\n"
        "Problem  JAX cannot be imported: No module named 'jax'\n"
        "\n"
        "Sandbox\n"
        "  seccomp          in force  refuses what computing does not need\n"
        "  landlock: files  MISSING   refuses files\n"
        "                             here: this kernel has no Landlock\n"
        "\n"
        "Grade strangers' files only where every layer is in force (--require-sandbox sees to it).\n"
    )
