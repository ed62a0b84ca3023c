"""Outcomes as tools, tables and people write them."""

from __future__ import annotations

import math

import pytest

from longctx.results.foreign.outcome import OffScale, Scale, is_lower_better, suggested


def score(value: object) -> float | None:
    return Scale().share(value)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["C", True, 1, 1.0, "1", "yes", "True", "correct", " Passed", "WAHR", "VRAI", "100%", "1,0"], 1),
        (["I", "N", False, 0, 0.0, "0", "no", "FALSE", "wrong", "fail", "FALSCH", "0%"], 0),
        (["P", 0.5, "0.5", ".5", "0,5", "50%", "50 %"], 0.5),
        ([None, math.nan, ""], None),
    ],
)
def test_scores_mean_what_they_mean_to_inspect_ai(values: list[object], expected: float | None) -> None:
    assert {score(value) for value in values} == {expected}


@pytest.mark.parametrize("value", ["c", "great", "150%", "1,5", "nan", "inf", -0.1, 1.5, math.inf, 10**400])
def test_other_scores_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="is no outcome, which is true, false, a number between 0 and 1"):
        score(value)


def test_marks_are_shares_of_their_scale() -> None:
    marks = Scale(1, 5)
    assert [marks.share(value) for value in (1, 3, "5", "2,0", None)] == [0, 0.5, 1, 0.25, None]
    with pytest.raises(OffScale, match="a number between 1 and 5"):
        marks.share(0)


def test_lower_may_be_better() -> None:
    assert [Scale(lower=True).share(value) for value in (0.25, True, "100%", None)] == [0.75, 0, 0, None]
    assert Scale(0, 100, lower=True).share(30) == 0.7


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        *[([2, 5, "3"], "1:5"), ([0, 5], "0:5"), ([10, None], "1:10"), ([0, 7.5], "0:10"), (["85", True], "0:100")],
        *[([1000], None), ([10**400], None), (["x"], None)],
    ],
)
def test_the_scale_of_marks_is_suggested(values: list[object], scale: str | None) -> None:
    assert suggested(values) == scale


@pytest.mark.parametrize("name", ["hallucination_score", "ToxicityMetric", "wer", "val loss", "errors", "scores.bias"])
def test_less_is_better_of_some_names(name: str) -> None:
    assert is_lower_better(name)


@pytest.mark.parametrize("name", ["correct", "closs", "answer_relevancy", "terms", "flawless", "score"])
def test_more_is_better_of_others(name: str) -> None:
    assert not is_lower_better(name)
