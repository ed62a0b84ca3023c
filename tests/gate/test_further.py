"""A family's own hypotheses may fail: the family is then invalid, and a sentence says why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from longctx.gate.verdict import RunVerdict, give_verdict
from longctx.registry import shipped
from longctx.vocabulary.account import Account
from longctx.vocabulary.hypothesis import Hypothesis, Judged, Tested
from tests.gate.examples import BASELINE, RULES

JUDGED = Judged("pass", None, "", "sums", "Sums", {"sum": "1"}, {"sum": 1})


@dataclass(frozen=True)
class Sum(Tested):
    p: float = 1.0
    judged: Any = JUDGED

    @property
    def p_value(self) -> float:
        return self.p / 1

    def judge(self, shown: bool, margin: float) -> Judged:
        if self.judged is None:
            raise KeyError("no sum")
        judged: Judged = self.judged
        return judged


@dataclass(frozen=True)
class Guess(Hypothesis):
    found: Any

    def test(self, alpha: float) -> Tested:
        if self.found is None:
            raise ZeroDivisionError("nothing to sum")
        tested: Tested = self.found
        return tested


class Adds(Account):
    added: Sequence[Hypothesis] | None = None

    def hypotheses(self, pairs: Any, model: str, grids: Any) -> Sequence[Hypothesis]:
        if self.added is None:
            raise RuntimeError("no hypotheses")
        return self.added


def gated(monkeypatch: pytest.MonkeyPatch, added: Sequence[Hypothesis] | None) -> RunVerdict:
    """Judge a run against itself, in a family that adds hypotheses to its gate."""
    monkeypatch.setattr(Adds, "added", added)
    family = replace(shipped()["line_retrieval"], account=f"{__name__}:Adds")
    return give_verdict(BASELINE, BASELINE, RULES, {family.name: family})


def test_what_holds_is_judged_with_the_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    given = gated(monkeypatch, [Guess(Sum())])
    assert (given.verdict, given.families[0].hypotheses) == ("pass", (JUDGED,))


@pytest.mark.parametrize(
    ("added", "says"),
    [
        (None, "failed in `hypotheses`: RuntimeError: no hypotheses (test_further.py, line "),
        ([Guess(Sum()), Guess(None)], "failed in `test`: ZeroDivisionError: nothing to sum (test_further.py, line "),
        ([Guess(Sum("one"))], "failed in `test`: TypeError: "),
        ([Guess(Sum(math.nan))], "failed in `test`: ValueError: nan is not a p-value"),
        ([Guess(Sum(2))], "failed in `test`: ValueError: 2.0 is not a p-value"),
        ([Guess(Sum(judged=None))], "failed in `judge`: KeyError: 'no sum' (test_further.py, line "),
        ([Guess(Sum(judged="pass"))], "failed in `judge`: TypeError: it returns a str instead of a Judged"),
        ([Guess(Sum(judged=replace(JUDGED, cells={})))], "failed in `judge`: ValueError: it returns no cells"),
        ([Guess(Sum(judged=replace(JUDGED, data={"sum": {1}})))], "failed in `judge`: TypeError: Object of type set"),
    ],
)
def test_what_fails_makes_the_family_invalid(
    monkeypatch: pytest.MonkeyPatch, added: Sequence[Hypothesis] | None, says: str
) -> None:
    given = gated(monkeypatch, added)
    [family] = given.families
    assert (given.verdict, family.verdict, family.hypotheses) == ("invalid", "invalid", ())
    [reason] = family.reasons
    assert reason.startswith(f"what line_retrieval adds to the gate {says}")
    assert given.reasons == ("too little is known of line_retrieval",)
