"""What a result depends on, as a key: equal keys, equal results.

Comes in: how to judge (`Settings`) and a submission's bytes. Goes out: a digest of these, of the problem's
cases, and of the judge itself (its code, and the versions of Python, JAX, NumPy and Hypothesis).
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterable, Iterator
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
from grader.supervisor import mentioned

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

    @property
    def problems(self) -> list[str]:
        """The ids of the problems that a submission may be for."""
        return problem_ids() if self.problem is None else [self.problem]

    def check(self) -> None:
        """Raises `Unusable` when a problem or its cases cannot be used: no submission is to blame for that."""
        unknown = []
        for each in self.problems:
            cases = load_cases(load(each), self.cases_root)
            try:
                choose(cases, self.cases)
            except Unusable as error:
                unknown.append(error)
        if len(unknown) == len(self.problems):
            raise unknown[0]


class Keys:
    """Makes the keys of one batch: all but the submission is digested once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def key(self, submission: bytes) -> str:
        """32 hexadecimal digits."""
        problems = self.settings.problems if self.settings.problem is not None else mentioned(submission)
        parts = (self.judge, *[self.cases[each] for each in problems], blake2b(submission).digest())
        return blake2b(b"".join(parts), digest_size=16).hexdigest()

    @property
    def common(self) -> bytes:
        """Equal where all submissions have equal keys."""
        return blake2b(b"".join((self.judge, *self.cases.values()))).digest()

    @cached_property
    def judge(self) -> bytes:
        """A digest of the judge and its options."""
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
        return blake2b(msgspec.msgpack.encode(options) + digest(judge_files()) + versions()).digest()

    @cached_property
    def cases(self) -> dict[str, bytes]:
        """A digest of the cases of each problem."""
        root = cases_root(self.settings.cases_root)
        return {each: digest(case_files(root / each)) for each in self.settings.problems}


def judge_files() -> Iterator[Path]:
    """Every file of the package that may have a say in a verdict."""
    root = Path(grader.__file__).parent
    for path in sorted(root.rglob("*")):
        if not set(NOT_JUDGING) & set(path.relative_to(root).parts) and path.suffix in (".py", ".md", ".toml"):
            yield path


def digest(files: Iterable[Path]) -> bytes:
    made = blake2b()
    for each in files:
        content = each.read_bytes()
        made.update(b"%s\0%s\0%d\0" % (each.parent.name.encode(), each.name.encode(), len(content)))
        made.update(content)
    return made.digest()


def versions() -> bytes:
    found = [(name, importlib.metadata.version(name)) for name in LIBRARIES]
    return msgspec.msgpack.encode([platform.python_version(), platform.machine(), *found])
