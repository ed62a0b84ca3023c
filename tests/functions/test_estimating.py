"""The estimate of test functions: replies as the model's own first answers have them, with a range."""

from __future__ import annotations

import pytest

from longctx.cells.cell import Cell
from longctx.config.models import ModelProfile
from longctx.errors import UserError
from longctx.functions.estimating import FunctionEstimates
from longctx.functions.measure import Result
from longctx.functions.trial import GUESS, UNLIMITED, FunctionTrial, TestMistake
from longctx.live.cost.estimate import Estimate
from longctx.live.cost.money import most_paid
from longctx.recording.apis import chat
from longctx.recording.tape import Tape
from longctx.vocabulary.protocol_cell import Suspended
from tests.functions.examples import answer_to, cell_of, exchanged, trial_of
from tests.given import dollars

ROOM, THINKING = 100, 4000
"""The tokens that a reply may take, and those that are set aside for thinking."""
MODEL = ModelProfile(
    model="toy",
    prices=dollars(0, 1e6),  # a token is a dollar
    thinking_tokens=THINKING,
)


def function(name: str, trials: int) -> Cell:
    return cell_of(name, trials=trials, model=MODEL)


def run(cell: Cell, index: int, tape: Tape, requests: int = 1) -> tuple[FunctionTrial, Result]:
    """Run a trial of so many requests."""
    trial = trial_of(cell, index, tape=tape)
    try:
        for number in range(requests):
            text = f"request {number} of trial {index}"
            body = {"model": "toy", "max_tokens": ROOM + THINKING, "messages": [{"role": "user", "content": text}]}
            exchanged(trial, body, model=MODEL)
    except Suspended:
        return trial, Result("suspended")
    return trial, Result("correct")


def record(cell: Cell, index: int, tape: Tape, *outputs: int, thinking: int | None = None) -> None:
    """Record replies to the requests of a trial, of so many tokens each."""
    for number, output in enumerate(outputs, start=1):
        trial, _ = run(cell, index, tape, number)
        details = {} if thinking is None else {"output_tokens_details": {"thinking_tokens": thinking}}
        answer_to(trial.unanswered[0], tape, usage={"input_tokens": 10, "output_tokens": output} | details)


def estimated(tape: Tape, *cells: Cell, requests: int = 1) -> dict[str, Estimate]:
    estimates = FunctionEstimates()
    for cell in cells:
        estimates.add_cell(cell)
        for index in range(cell.trials):
            trial, result = run(cell, index, tape, requests)
            estimates.add_recorded(trial, result)
            if trial.unanswered:
                estimates.add_unanswered(trial, trial.unanswered)
    return {estimate.test: estimate for estimate in estimates.estimates(batch=False)}


def price(estimate: Estimate) -> float:
    """Return the price of each trial that is asked."""
    assert estimate.price is not None
    return estimate.price.standard / estimate.to_ask


def test_three_first_answers_say_how_long_replies_are(tape: Tape) -> None:
    cell = function("test_a", 5)
    for index, output in enumerate([20, 30]):
        record(cell, index, tape, output)
    assert price(estimated(tape, cell)["test_a"]) == ROOM + THINKING
    record(cell, 2, tape, 40)
    [estimate] = estimated(tape, cell).values()
    assert price(estimate) == pytest.approx(30)
    assert ", about $60.00, by replies of 30 tokens in 3 answers." in str(estimate)


def test_first_answers_of_trials_that_go_on_count(tape: Tape) -> None:
    cell = function("test_a", 3)
    for index in range(3):
        record(cell, index, tape, 40)
    [estimate] = estimated(tape, cell, requests=2).values()
    assert (estimate.to_ask, price(estimate)) == (3, 40)


def test_the_price_has_later_requests_as_they_were(tape: Tape) -> None:
    cell = function("test_a", 4)
    for index, output in enumerate([10, 20, 30]):
        record(cell, index, tape, 50, output)
    [estimate] = estimated(tape, cell, requests=2).values()
    assert price(estimate) == pytest.approx(50 + 20)


def test_thinking_is_that_of_the_model_s_other_answers_until_there_are_some(tape: Tape) -> None:
    known, new = function("test_a", 3), function("test_b", 2)
    for index, thinking in enumerate([200, 300, 400]):
        record(known, index, tape, 450, thinking=thinking)
    estimate = estimated(tape, known, new)["test_b"]
    assert estimate.output_tokens == 2 * (ROOM + THINKING)
    assert price(estimate) == pytest.approx(ROOM + 300)
    assert "by thinking of 300 tokens in 3 answers" in str(estimate)


def unlimited(tape: Tape, of: str, *known: Cell) -> Estimate:
    """Return the estimate of a function of two trials that do not limit their replies, beside functions that do."""
    model = MODEL.model_copy(update={"api": "openai-chat", "thinking_tokens": 0})
    cell = cell_of(of, trials=2, model=model)
    estimates = FunctionEstimates()
    for limited in known:
        for index in range(limited.trials):
            estimates.add_recorded(*run(limited, index, tape))
    estimates.add_cell(cell)
    for index in range(2):
        trial = trial_of(cell, index, tape=tape)
        body = {"model": "toy", "messages": [{"role": "user", "content": "?"}]}
        with pytest.raises(Suspended):
            exchanged(trial, body, model=model, path=chat.PATH)
        estimates.add_unanswered(trial, trial.unanswered)
        assert most_paid(trial.unanswered[0]) == UNLIMITED, "what a cap reserves"
    return {estimate.test: estimate for estimate in estimates.estimates(batch=False)}[of]


def test_a_reply_without_a_limit_is_guessed_and_the_guess_is_said(tape: Tape) -> None:
    estimate = unlimited(tape, "test_free")
    assert (estimate.expected_tokens, estimate.output_tokens) == (2 * GUESS, 2 * UNLIMITED)
    assert price(estimate) == GUESS
    assert f"about {2 * GUESS:,}, at most {2 * UNLIMITED:,} output tokens" in str(estimate)
    assert f"by a guess: {GUESS:,} tokens a reply" in str(estimate)


def test_a_reply_without_a_limit_is_as_long_as_comparable_ones(tape: Tape) -> None:
    other = function("test_a", 3)
    for index in range(3):
        record(other, index, tape, 70)
    estimate = unlimited(tape, "test_free", other)
    assert price(estimate) == 70
    assert "by replies of 70 tokens in 3 answers of other tests" in str(estimate)
    same = cell_of("test_free", trials=3, model=MODEL.model_copy(update={"model": "sibling"}))
    for index in range(3):
        record(same, index, tape, 90)
    assert price(unlimited(tape, "test_free", other, same)) == 90


def test_a_function_that_never_asks_is_named() -> None:
    sentence = "test_a sends no request: its trials must call the fixture ask."
    estimates = FunctionEstimates()
    for _ in range(2):
        estimates.add_error(
            function("test_a", 2), Result("error", "", TestMistake(UserError("test-never-asks", sentence)))
        )
    assert list(estimates.sentences()) == [
        f"test_a on toy: 2 trials cannot be estimated: {sentence[:-1]} [test-never-asks]"
    ]
