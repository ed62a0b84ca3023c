"""The canary: a few trials first, and no more where none of their replies can be read."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence

from longctx.cells.cell import Cell
from longctx.live.canary import FEW, MORE, Canary, first, in_turn
from longctx.live.display import Tally
from longctx.live.failure import Failure, SendResult
from longctx.live.outcomes import Outcomes
from longctx.live.progress import Silent
from longctx.recording.request import Request
from tests.given import reply
from tests.recording.examples import line_cell, passkey_cell, requests_of

Script = Callable[[Request], str | Failure]


class Pass:
    """An asking pass whose replies come from a function. rounds: the questions of each call."""

    def __init__(self, cells: Sequence[Cell], answer: Script, canary: bool = True, text: bool = True) -> None:
        self.questions = requests_of(*cells)
        self.rounds: list[list[Request]] = []
        self.messages: list[str] = []
        sizes = Counter(trial.cell.group for trial in self.questions)
        self.canary = Canary(sizes, self.messages.append if canary else None, text)
        self.outcomes = Outcomes(Tally(len(self.questions)), Silent(), self.canary)
        self._answer = answer

    def ask(self, trials: Sequence[Request] | None = None) -> SendResult:
        return asyncio.run(self._all(self.questions if trials is None else trials))

    async def _all(self, trials: Sequence[Request]) -> SendResult:
        asked, rest = await first(self.canary, trials, self._ask)
        if rest:
            asked.add(await self._ask(rest))
        return asked

    async def _ask(self, trials: Sequence[Request]) -> SendResult:
        self.rounds.append(list(trials))
        asked = SendResult()
        for trial in trials:
            given = self._answer(trial)
            result = given if isinstance(given, Failure) else reply(given)
            self.outcomes.ended(trial.ready(), result)
            if isinstance(result, Failure):
                asked.failures[trial.key] = result
                asked.stopped = result if result.fatal else None
            else:
                asked.answered += 1
        return asked

    @property
    def sizes(self) -> list[int]:
        return list(map(len, self.rounds))


def sorry(trial: Request) -> str:
    return "Sorry, I cannot say."


def test_where_one_of_three_can_be_read_the_rest_is_asked() -> None:
    asking = Pass([line_cell(trials=40)], lambda trial: "7" if trial.trial.index == 2 else "Sorry.")
    asked = asking.ask()
    assert asking.sizes == [FEW, 37]
    assert (asked.answered, asked.failures) == (40, {})
    assert asking.messages == ["The first trial of line_retrieval on toy is unparseable: 'Sorry.'"]


def test_where_none_of_ten_can_be_read_the_test_stops_there() -> None:
    asking = Pass([line_cell(trials=40)], sorry)
    asked = asking.ask()
    assert asking.sizes == [FEW, MORE - FEW]
    assert asked.answered == MORE
    assert asked.stopped is None
    [why] = set(asked.failures.values())
    assert (len(asked.failures), why.cause, why.fatal) == (30, "unreadable", True)
    assert "none of the first 10 trials of line_retrieval on toy could be parsed (10 unparseable)" in why.message
    assert asking.messages[0].endswith("'Sorry, I cannot say.'")
    assert asking.messages[1].startswith("Stopped line_retrieval on toy: ")


def test_one_of_ten_is_enough() -> None:
    asking = Pass([line_cell(trials=40)], lambda trial: "7" if trial.trial.index == 9 else "Sorry.")
    assert asking.ask().answered == 40
    assert asking.sizes == [FEW, MORE - FEW, 30]


def test_other_tests_and_models_go_on() -> None:
    cells = [line_cell(trials=20), line_cell(trials=20, model="other"), passkey_cell(trials=20).fitted()]
    asking = Pass(cells, lambda q: "Sorry." if q.cell.group == ("line_retrieval", "toy") else "7")
    asked = asking.ask()
    assert asking.sizes == [3 * FEW, MORE - FEW, 34]
    assert asked.answered == 50
    assert {key.partition("/")[0] for key in asked.failures} == {"toy"}


def test_few_trials_are_asked_without_a_canary() -> None:
    asking = Pass([line_cell(trials=MORE)], sorry)
    assert asking.ask().answered == MORE
    assert asking.sizes == [MORE]


def test_it_can_be_switched_off() -> None:
    asking = Pass([line_cell(trials=40)], sorry, canary=False)
    assert asking.ask().answered == 40
    assert (asking.sizes, asking.messages) == ([40], [])


def test_it_looks_over_all_rounds_of_a_pass() -> None:
    """A run that stops early asks in rounds, which may have fewer trials of a test than the canary takes."""
    asking = Pass([line_cell(trials=40)], sorry)
    rounds = [asking.questions[start : start + 4] for start in range(0, 40, 4)]
    answered = [asking.ask(part).answered for part in rounds]
    assert answered == [4, 4, 2, 0, 0, 0, 0, 0, 0, 0]


def test_what_stops_the_pass_stops_the_canary() -> None:
    asking = Pass([line_cell(trials=40)], lambda trial: Failure("no_access", "no access", fatal=True))
    asked = asking.ask()
    assert asking.sizes == [FEW]
    assert asked.stopped is not None
    assert Counter(failure.cause for failure in asked.failures.values()) == {"no_access": 40}


def test_failed_requests_are_no_replies() -> None:
    asking = Pass([line_cell(trials=40)], lambda trial: Failure("timeout", "no answer in time"))
    asked = asking.ask()
    assert sum(asking.sizes) == len(asked.failures) == 40
    assert {failure.cause for failure in asked.failures.values()} == {"timeout"}


def test_a_long_reply_is_cut_and_made_visible() -> None:
    asking = Pass([line_cell(trials=40)], lambda trial: "\x1b[31m" + "so " * 100)
    asking.ask()
    assert "\x1b" not in asking.messages[0]
    assert asking.messages[0].endswith("…")
    assert len(asking.messages[0]) < 280


def test_a_reply_that_may_not_be_shown_is_not() -> None:
    asking = Pass([line_cell(trials=40)], lambda trial: "secret", text=False)
    asking.ask()
    assert asking.messages[0] == "The first trial of line_retrieval on toy is unparseable"


def test_short_cells_come_first_one_trial_of_each() -> None:
    cells = [line_cell(50, trials=5), line_cell(3, trials=5), line_cell(10, trials=5)]
    taken = in_turn(requests_of(*cells))
    assert [(trial.cell.point.length, trial.trial.index) for trial in taken[:4]] == [
        (3, 0), (10, 0), (50, 0), (3, 1),
    ]  # fmt: skip
    assert len(taken) == 15
