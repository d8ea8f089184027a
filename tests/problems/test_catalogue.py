"""Which problems there are, by whatever name a person calls them, and what is said of broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import grader.problems
from grader.errors import Unusable
from grader.problems import front_matter, known_id, problem_ids, statement

HEAD = '+++\ntitle = "T"\ndifficulty = "easy"\ntopic = "JAX"\n+++\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(grader.problems, "_HERE", tmp_path)
    (tmp_path / "some_problem").mkdir()
    (tmp_path / "no_problem").mkdir()
    (tmp_path / "some_problem" / "statement.md").write_text(f"{HEAD}\n# Statement +++\n+++\n", "utf-8")
    return tmp_path


def test_real_problems_have_what_a_list_shows() -> None:
    assert "tensor_parallel_mlp" in problem_ids()
    for each in problem_ids():
        head = front_matter(each)
        assert head.title
        assert head.difficulty in ("easy", "medium", "hard")
        assert len(statement(each)) > 200


def test_folders_with_a_statement_are_problems(folder: Path) -> None:
    assert problem_ids() == ["some_problem"]


@pytest.mark.parametrize("name", ["some_problem", "some-problem"])
def test_dashes_or_not(name: str, folder: Path) -> None:
    assert known_id(name) == "some_problem"
    assert front_matter(name).title == "T"
    assert statement(name) == "# Statement +++\n+++\n"


@pytest.mark.parametrize("name", ["some_problme", "../some_problem", "no_problem", ""])
def test_unknown(name: str, folder: Path) -> None:
    with pytest.raises(Unusable, match="There is no problem"):
        known_id(name)


@pytest.mark.parametrize(
    "text",
    ["", "no head", "+++\ntitle = 'T'\n", HEAD.replace("topic", "topics"), HEAD.replace('"T"', "3"), "x\n" + HEAD],
)
def test_a_broken_head(text: str, folder: Path) -> None:
    (folder / "some_problem" / "statement.md").write_text(text, "utf-8")
    with pytest.raises(Unusable, match=r"statement\.md needs a head of title, difficulty and topic"):
        front_matter("some_problem")
