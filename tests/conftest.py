"""What every test runs under: eight CPU devices for JAX, and the same Hypothesis examples every time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

settings.register_profile("same every time", derandomize=True, deadline=None, database=None)
settings.load_profile("same every time")


@pytest.fixture(scope="session")
def grade() -> Callable[..., dict[str, Any]]:
    """The real command line: ``grade(path, *options)`` is the JSON report of ``grader grade path``."""

    def grade(path: Path, *options: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "grader", "grade", "--format", "json", *options, "--", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        try:
            report: dict[str, Any] = json.loads(done.stdout)
        except json.JSONDecodeError:
            pytest.fail(f"exit status {done.returncode}, and no report:\n{done.stdout}\n{done.stderr}")
        expected = {"AC": 0, "IE": 3}.get(report["verdict"], 1)
        assert done.returncode == expected, f"exit status {done.returncode} for {report['verdict']}"
        return report

    return grade
