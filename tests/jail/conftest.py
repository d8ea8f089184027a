"""How the jail's tests run a probe: in a process of its own, with just the layers under test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.tracer.jail.layers import IPC, MOUNT, NETWORK, PID, USER, UTS

ROOT = Path(__file__).resolve().parents[2]
INMATE = Path(__file__).with_name("inmate.py")

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]


OTHER_NAMESPACES = {PID, NETWORK, IPC, UTS, MOUNT}


@dataclass(frozen=True)
class Outcome:
    """What a probe came to. `done`: its result; `error`: what stopped it; `status`: the keeper's wait status."""

    layers: tuple[str, ...]
    missing: dict[str, str]
    done: Any
    error: str | None
    status: int

    @property
    def stopped(self) -> bool:
        return self.done is None


def command(probe: str, *arguments: object, layers: Iterable[str], **config: Any) -> list[str]:
    text = json.dumps({"layers": sorted(layers), **config})
    return [sys.executable, "-I", str(INMATE), str(ROOT), text, probe, *map(str, arguments)]


Probe = Callable[..., Outcome]


@pytest.fixture
def probe() -> Probe:
    """``probe(name, *arguments, layers=…, **config)`` runs a probe of inmate.py under those layers only."""

    def probe(
        name: str, *arguments: object, layers: Iterable[str], pass_fds: tuple[int, ...] = (), **config: Any
    ) -> Outcome:
        layers = frozenset(layers)
        if os.geteuid() != 0 and layers & OTHER_NAMESPACES:
            layers |= {USER}  # an ordinary user gets the others only inside one of these
        done = subprocess.run(
            command(name, *arguments, layers=layers, **({"require": sorted(layers)} | config)),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            pass_fds=pass_fds,
            env=os.environ | {"A_SECRET": "of the one who grades"},
        )
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        ends = [line["status"] for line in lines if "status" in line]
        assert ends, f"the probe's process died: {done.returncode}\n{done.stdout}\n{done.stderr}"
        said = [line for line in lines if "done" in line]
        if not said:
            return Outcome((), {}, None, f"died: {done.stderr[-500:]}", ends[0])
        [answer] = said
        lost = {each: answer["missing"][each] for each in layers - set(answer["layers"])}
        if lost and "require" not in config:
            pytest.skip(f"this machine has not: {lost}")
        return Outcome(tuple(answer["layers"]), answer["missing"], answer["done"], answer["error"], ends[0])

    return probe
