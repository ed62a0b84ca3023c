"""The progress of the asking pass: how replies are judged, and what they cost."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from longctx.authoring.writing import Writing
from longctx.cells.cell import Cell, Trial
from longctx.config.models import ModelProfile
from longctx.config.prompts import PromptSet
from longctx.live.display import Tally
from longctx.live.failure import Failure
from longctx.live.outcomes import Outcomes, work
from longctx.live.progress import AskingProgress, Lines, Silent, live_progress
from longctx.recording.request import Request
from longctx.stats.rates import Rate
from longctx.vocabulary.answer import Answer
from longctx.vocabulary.bank import Section
from tests.given import dollars, reply
from tests.here import HERE
from tests.live.clock import Clock
from tests.recording.examples import line_cell, requests_of

PRICES = dollars(1_000_000, 1_000_000)


class Shown:
    """Stands in for rich's Live."""

    def __init__(self) -> None:
        self.last: list[str] = []

    def show(self, *details: str | None) -> None:
        self.last = [detail for detail in details if detail is not None]

    def close(self) -> None: ...


def told(*results: tuple[Request, Answer | Failure]) -> tuple[Tally, list[str]]:
    """Return the tally and what is shown after these results, with one request in flight."""
    tally, shown = Tally(len(results)), Shown()

    async def tell() -> None:
        drawn = AskingProgress(tally, shown)  # type: ignore[arg-type]
        progress = Outcomes(tally, drawn)
        progress.in_flight(1)
        for trial, result in results:
            progress.ended(trial.ready(), result)
        assert not shown.last
        drawn.settle()

    asyncio.run(tell())
    return tally, shown.last


def asked(text: str, **model: Any) -> tuple[Request, Answer]:
    trial = Request.of(Trial(line_cell(**model), 0))
    return trial, reply(text or trial.build().expected, input_tokens=10, output_tokens=2)


def test_replies_are_judged_and_counted() -> None:
    tally, shown = told(asked("", prices=PRICES), asked("none", prices=PRICES))
    assert tally.rates == {("line_retrieval", "toy"): Rate(1, 2)}
    assert shown == ["2 of 2 trials", "24 tokens", "$24.00", "1 in flight"]


def test_what_is_written_has_no_rate() -> None:
    wording = PromptSet.open(HERE, "protocol").wording(Writing)
    cell = Writing(5, section=Section("harbor", "The basin is deep.", 4))
    trial = Request.of(Trial(Cell(ModelProfile(model="toy"), wording, cell, seed=0, trials=1), 0))
    tally, shown = told((trial, reply("<Question 1>")))
    assert not tally.rates
    assert shown[0] == "1 of 1 trials"


def test_a_failure_is_in_no_rate() -> None:
    tally, shown = told((Request.of(Trial(line_cell(), 0)), Failure("timeout", "no answer in time")))
    assert tally.rates == {}
    assert shown[-1] == "1 failed"


def test_a_sum_without_a_models_prices_is_not_shown() -> None:
    _, shown = told(*(asked("1", prices=prices) for prices in (PRICES, None, PRICES)))
    assert shown == ["3 of 3 trials", "36 tokens", "1 in flight"]


def test_a_reply_that_cannot_be_judged_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(*_: object) -> None:
        raise IndexError

    monkeypatch.setattr("longctx.vocabulary.protocol_cell._judged", judge)
    tally, _ = told(asked("1"))
    assert (tally.done, tally.rates) == (1, {})


def test_what_changes_is_shown_without_waiting_for_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longctx.live.progress.PAUSE_S", 0)

    class Drawn(Shown):
        def show(self, *details: str | None) -> None:
            super().show(*details)
            drawn.set()

    drawn, shown = asyncio.Event(), Drawn()

    async def tell() -> None:
        progress = AskingProgress(Tally(1), shown)  # type: ignore[arg-type]
        for number in (1, 2):
            progress.in_flight(number)
            await drawn.wait()
            drawn.clear()
            assert shown.last[-1] == f"{number} in flight"

    asyncio.run(asyncio.wait_for(tell(), 10))


def test_without_a_terminal_a_line_a_minute_is_printed() -> None:
    clock, messages = Clock(), list[str]()
    tally = Tally(40, work=40 * work(Request.of(Trial(line_cell(), 0))))
    lines = Lines(tally, messages.append, clock)
    progress = Outcomes(tally, lines)
    clock.passes(59)
    assert messages == []
    clock.passes(1)
    for text in ("", "none"):
        trial, answered = asked(text, prices=PRICES)
        progress.ended(trial.ready(), answered)
    clock.passes(60)
    progress.ended(Request.of(Trial(line_cell(), 0)), Failure("timeout", "no answer in time"))
    clock.passes(60)
    assert messages == [
        "Asking: 0 of 40 trials, $0.00.",
        "Asking: 2 of 40 trials, 0.50 correct, $24.00, about 0:38:00 left.",
        "Asking: 3 of 40 trials, 0.50 correct, $24.00, 1 failed, about 0:37:00 left.",
    ]
    lines.close()
    clock.passes(600)
    assert len(messages) == 3


def test_without_a_terminal_what_is_waited_for_is_printed_ever_more_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    messages: list[str] = []

    async def tell() -> None:
        with live_progress(Tally(1), messages.append) as progress:
            for silent_s in (2, 4, 2, 8, 5, 1200):
                progress.waiting(silent_s, "an answer")

    asyncio.run(tell())
    assert messages == [
        "Waiting for an answer …",
        "Still waiting, after 8 s, for an answer …",
        "Still waiting, after 1,200 s, for an answer …",
    ]


def test_what_is_waited_for_is_shown_until_it_comes() -> None:
    trial, answered = asked("1")
    shown = Shown()

    async def tell() -> None:
        progress = AskingProgress(Tally(1), shown)  # type: ignore[arg-type]
        progress.waiting(2, "the first answer")
        progress.settle()
        assert shown.last[-1] == "waiting for the first answer"
        progress.ended(trial.ready(), answered)
        progress.settle()
        assert "waiting for the first answer" not in shown.last

    asyncio.run(tell())


def test_long_prompts_are_more_of_the_work_than_short_ones() -> None:
    """Nine of ten prompts were asked, but these were short: most of the work is still to do."""
    short, long = line_cell(5, trials=9), line_cell(1000, trials=1)
    trials = requests_of(short, long)
    tally = Tally(10, sum(map(work, trials)))
    progress = Outcomes(tally, Silent())
    for trial in requests_of(short):
        progress.ended(trial.ready(), reply("1"))
    assert (tally.done, tally.total) == (9, 10)
    assert tally.work_done == 9 * (short.size_tokens + short.reply_tokens)
    assert tally.work == tally.work_done + long.size_tokens + long.reply_tokens
    assert tally.left(20) == "about 0:03:02 left"
