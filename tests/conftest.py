"""What every test runs under: eight CPU devices for JAX, and the same Hypothesis examples every time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from grader import supervisor
from grader.cli import main
from grader.supervisor import Judge

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

settings.register_profile("same every time", derandomize=True, deadline=None, database=None)
settings.load_profile("same every time")


STATUS = {"AC": 0, "IE": 3}
"""Exit statuses; every other verdict's is 1."""

Grade = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    """One judge for the session, so that JAX is imported once."""
    with Judge() as judge:
        yield judge


@pytest.fixture(scope="session")
def grade(judge: Judge, tmp_path_factory: pytest.TempPathFactory) -> Grade:
    """The command line, with that judge: ``grade(path, *options)`` is the report of ``grader grade path``."""
    written = tmp_path_factory.mktemp("reports") / "report.json"

    def grade(path: Path, *options: str) -> dict[str, Any]:
        arguments = ["grade", "--format", "json", "--output", str(written), *options, "--", str(path)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(supervisor, "grade", judge.grade)
            status = main(arguments)
        assert status in (0, 1, 3), f"exit status {status}, and no report"
        report: dict[str, Any] = json.loads(written.read_bytes())
        written.unlink()
        assert status == STATUS.get(report["verdict"], 1), f"exit status {status} for {report['verdict']}"
        return report

    return grade


@pytest.fixture(scope="session")
def grade_cold() -> Grade:
    """As a person would: a process of its own for ``grader grade path``."""

    def grade(path: Path, *options: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "grader", "grade", "--format", "json", *options, "--", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        try:
            report: dict[str, Any] = json.loads(done.stdout)
        except json.JSONDecodeError:
            pytest.fail(f"exit status {done.returncode}, and no report:\n{done.stdout}\n{done.stderr}")
        assert done.returncode == STATUS.get(report["verdict"], 1), f"{done.returncode} for {report['verdict']}"
        return report

    return grade
