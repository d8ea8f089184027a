"""The verdict that findings make together, and the exit status of each verdict."""

from __future__ import annotations

import itertools

import pytest

from grader.report.model import PRECEDENCE, Finding, Verdict, verdict


def error(code: Verdict) -> Finding:
    return Finding(kind="error", id="some-error", verdict=code, message="Something went wrong.")


def test_no_finding_is_accepted() -> None:
    assert verdict([]) is Verdict.AC


def test_one_finding_decides_alone() -> None:
    for code in PRECEDENCE:
        assert verdict([error(code)]) is code


def test_the_earlier_kind_of_fault_stands_whatever_the_order() -> None:
    order = ["CE", "TLE", "MLE", "RE", "RV", "WA", "IE"]
    for first, second in itertools.combinations(order, 2):
        assert verdict([error(Verdict(first)), error(Verdict(second))]) is Verdict(first)
        assert verdict([error(Verdict(second)), error(Verdict(first))]) is Verdict(first)


def test_precedence_ranks_every_verdict_but_accepted() -> None:
    assert set(PRECEDENCE) == set(Verdict) - {Verdict.AC}
    assert len(PRECEDENCE) == len(set(PRECEDENCE))


@pytest.mark.parametrize(
    ("code", "status"),
    [("AC", 0), ("CE", 1), ("TLE", 1), ("MLE", 1), ("RE", 1), ("RV", 1), ("WA", 1), ("IE", 3)],
)
def test_exit_statuses(code: str, status: int) -> None:
    assert Verdict(code).exit_status == status
