"""The outcomes of an asking pass, as sentences."""

from __future__ import annotations

from longctx.config.models import Prices
from longctx.live.display import Tally
from longctx.live.failure import Failure
from longctx.live.outcomes import Outcomes, sentences
from longctx.live.progress import Silent
from tests.given import dollars, reply
from tests.recording.examples import line_cell, requests_of

PRICES = dollars(10, 10)


def outcomes(*texts: str, prices: Prices | None = PRICES) -> list[str]:
    tally = Tally(len(texts))
    counted = Outcomes(tally, Silent())
    for answered in texts:
        [request, *_] = requests_of(line_cell(prices=prices))
        counted.ended(request.ready(), reply(answered or request.build().expected, output_tokens=20))
    return list(sentences(tally))


def test_rates_other_outcomes_and_cost() -> None:
    assert outcomes("", "", "Sorry.", "Sorry.", "7") == [
        "line_retrieval on toy: 2 of 5 correct, 0.40 [0.12, 0.77]; 2 unparseable, 1 wrong.",
        "5 answers cost $0.006.",
    ]


def test_a_cost_that_is_not_known() -> None:
    assert outcomes("", prices=None)[-1] == "The cost of 1 answer is not known."


def test_nothing_is_reported_of_nothing() -> None:
    tally = Tally(1)
    Outcomes(tally, Silent()).ended(requests_of(line_cell())[0], Failure("timeout", "no answer in time"))
    assert list(sentences(tally)) == []


def test_what_was_not_sent_has_not_failed() -> None:
    tally = Tally(2)
    counted = Outcomes(tally, Silent())
    for failure in Failure("timeout", "no answer in time"), Failure("not_asked", "the run was stopped", fatal=True):
        counted.ended(requests_of(line_cell())[0], failure)
    assert (tally.done, tally.failed) == (1, 1)
