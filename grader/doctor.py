"""What grading will find on this machine: Python, JAX, its devices, and each layer of the jail.

In: nothing; `diagnose` starts an interpreter as the supervisor does and, in it, a jail like a submission's. Out: a
`Diagnosis` (data) and its text. This process imports no JAX.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from grader.execution.environment import environment
from grader.tracer.jail import LAYERS, STOPS, JailConfig, Layers, allowed_environment, confine

DEVICES: Final = 8
_START = "import sys; sys.path.append(sys.argv[1]); from grader.doctor import _survey; _survey()"
_SECONDS = 120


@dataclass(frozen=True)
class Layer:
    """A layer of the jail: whether it is in force here, why not, and what it is for."""

    name: str
    in_force: bool
    why_missing: str
    stops: str


@dataclass(frozen=True)
class Diagnosis:
    """The machine as grading finds it.

    jax: JAX's version, or None when it cannot be imported. devices: how many CPU devices JAX has inside the jail, or
    None when it does not start. problem: what went wrong with either, or "".
    """

    python: str
    platform: str
    jax: str | None
    devices: int | None
    problem: str
    layers: tuple[Layer, ...]

    @property
    def healthy(self) -> bool:
        """Grading works here, whatever the jail."""
        return self.devices == DEVICES

    @property
    def jailed(self) -> bool:
        """Every layer is in force."""
        return all(layer.in_force for layer in self.layers)


def diagnose() -> Diagnosis:
    """Look at this machine; takes about as long as importing JAX."""
    found, complaint = _run_survey()
    in_force = found.get("in_force", [])
    missing = found.get("missing", {})
    layers = tuple(
        Layer(name, name in in_force, "" if name in in_force else missing.get(name, "not tried"), STOPS[name])
        for name in STOPS
    )
    assert len(layers) == len(LAYERS)
    problem = found.get("problem", "") or ("" if "devices" in found else complaint)
    return Diagnosis(
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.release()} {platform.machine()}",
        jax=found.get("jax"),
        devices=found.get("devices"),
        problem=problem,
        layers=layers,
    )


def _run_survey() -> tuple[dict[str, Any], str]:
    """What the surveying interpreter found, and the end of what it complained about."""
    root = str(Path(__file__).resolve().parent.parent)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _START, root],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**allowed_environment(os.environ), **environment()},
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {}, str(error)
    found: dict[str, Any] = {}
    for line in done.stdout.decode(errors="replace").splitlines():
        with contextlib.suppress(ValueError):
            found |= json.loads(line)
    complaint = done.stderr.decode(errors="replace").strip().splitlines()
    return found, complaint[-1] if complaint else f"it ended with status {done.returncode}"


def _survey() -> None:
    """In an interpreter of its own: say, a JSON object a line, what is found."""
    try:
        import jax

        _say({"jax": jax.__version__})
    except Exception as error:
        _say({"problem": f"JAX cannot be imported: {error}"})
    keeper = os.fork()
    if keeper == 0:
        confine(JailConfig(), _inside)
    _, status = os.waitpid(keeper, 0)
    if os.WIFSIGNALED(status):
        _say({"problem": f"JAX was killed in the jail by signal {os.WTERMSIG(status)}"})


def _inside(layers: Layers) -> None:
    _say({"in_force": layers.in_force, "missing": {each.name: each.why for each in layers.missing}})
    if "jax" in sys.modules:
        _say({"devices": len(sys.modules["jax"].devices())})


def _say(found: dict[str, Any]) -> None:
    os.write(1, (json.dumps(found) + "\n").encode())


def render_text(diagnosis: Diagnosis) -> str:
    """The diagnosis for a reader at a terminal; no colour."""
    lines = [
        f"Python   {diagnosis.python}",
        f"System   {diagnosis.platform}",
        f"JAX      {diagnosis.jax or 'cannot be imported'}",
        f"Devices  {diagnosis.devices if diagnosis.devices is not None else 'JAX does not start'}",
    ]
    if diagnosis.problem:
        lines.append(f"Problem  {diagnosis.problem}")
    lines += ["", "Sandbox"]
    width = max(len(layer.name) for layer in diagnosis.layers)
    for layer in diagnosis.layers:
        state = "in force" if layer.in_force else "MISSING "
        lines.append(f"  {layer.name:<{width}}  {state}  {layer.stops}")
        if not layer.in_force:
            lines.append(f"  {'':<{width}}            here: {layer.why_missing}")
    lines.append("")
    if diagnosis.jailed:
        lines.append("Every layer is in force.")
    else:
        lines.append("Grade strangers' files only where every layer is in force (--require-sandbox sees to it).")
    return "\n".join(lines) + "\n"
