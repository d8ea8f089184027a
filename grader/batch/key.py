"""What a result depends on, as a key: equal keys, equal results.

Comes in: how to judge (`Settings`) and a submission's bytes. Goes out: a digest of these, of the problem's
cases, and of the judge itself (its code, and the versions of Python, JAX, NumPy and Hypothesis).
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

import msgspec

import grader
from grader.cases import choose, load_cases
from grader.cases.folder import case_files, cases_root
from grader.errors import Unusable
from grader.problems import load, problem_ids
from grader.request import GradeRequest, Limits

NOT_JUDGING = ("batch", "cli", "__pycache__")
"""Parts of the package that no result depends on."""
LIBRARIES = ("jax", "jaxlib", "numpy", "hypothesis")


@dataclass(frozen=True)
class Settings:
    """How to judge every submission of a batch; see `grader.request.GradeRequest`."""

    problem: str | None = None
    quick: bool = False
    examples: int | None = None
    cases: tuple[str, ...] = ()
    cases_root: Path | None = None
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    require_sandbox: bool = False

    def request(self, submission: bytes, name: str) -> GradeRequest:
        return GradeRequest(
            submission=submission,
            display_name=name,
            problem=self.problem,
            quick=self.quick,
            examples=self.examples,
            cases=self.cases,
            cases_root=self.cases_root,
            limits=self.limits,
            seed=self.seed,
            require_sandbox=self.require_sandbox,
        )

    def check(self) -> None:
        """Raises `Unusable` when the problem or its cases cannot be used: no submission is to blame for that."""
        unknown = None
        for each in [self.problem] if self.problem is not None else problem_ids():
            cases = load_cases(load(each), self.cases_root)
            try:
                choose(cases, self.cases)
            except Unusable as error:
                unknown = error
        if unknown is not None:
            raise unknown


class Keys:
    """Makes the keys of one batch: all but the submission is digested once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def key(self, submission: bytes) -> str:
        """32 hexadecimal digits."""
        return blake2b(self.common + blake2b(submission).digest(), digest_size=16).hexdigest()

    @cached_property
    def common(self) -> bytes:
        settings = self.settings
        options = (
            settings.problem,
            settings.quick,
            settings.examples,
            settings.cases,
            settings.limits.seconds,
            settings.limits.bytes,
            settings.seed,
            settings.require_sandbox,
        )
        parts = (msgspec.msgpack.encode(options), digest(judge_files()), digest(self.cases()), versions())
        return blake2b(b"".join(parts)).digest()

    def cases(self) -> Iterator[Path]:
        for each in [self.settings.problem] if self.settings.problem is not None else problem_ids():
            yield from case_files(cases_root(self.settings.cases_root) / each)


def judge_files() -> Iterator[Path]:
    """Every file of the package that may have a say in a verdict."""
    root = Path(grader.__file__).parent
    for path in sorted(root.rglob("*")):
        if not set(NOT_JUDGING) & set(path.relative_to(root).parts) and path.suffix in (".py", ".md", ".toml"):
            yield path


def digest(files: Iterator[Path]) -> bytes:
    made = blake2b()
    for each in files:
        content = each.read_bytes()
        made.update(b"%s\0%s\0%d\0" % (each.parent.name.encode(), each.name.encode(), len(content)))
        made.update(content)
    return made.digest()


def versions() -> bytes:
    found = [(name, importlib.metadata.version(name)) for name in LIBRARIES]
    return msgspec.msgpack.encode([platform.python_version(), platform.machine(), *found])
