"""Asking what trials lack, against a server: each goes on as its replies arrive, and nothing is asked twice."""

from __future__ import annotations

import dataclasses
import itertools
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longctx.cells.cell import Cell, Trial
from longctx.config.models import Caching, ModelProfile, Prices
from longctx.functions.asking import FunctionTrials, difference
from longctx.functions.measure import run
from longctx.functions.trial import FunctionTrial
from longctx.live.asker import Asker
from longctx.live.bounds import Terms
from longctx.live.canary import Canary
from longctx.live.display import Tally
from longctx.live.outcomes import sentences
from longctx.recording.tape import Tape
from longctx.vocabulary.answer import Unparseable
from longctx.vocabulary.protocol_cell import Suspended
from tests.functions.examples import MODEL, body_of, cell_of, exchanged, issued, trial_of
from tests.given import dollars, served
from tests.servers import PATIENCE, Answer, Body, SimulatedServer, failing, message, prompt_of

pytestmark = pytest.mark.usefixtures("without_delay")


def echo(body: Body) -> Answer:
    return 200, {}, message(f"reply to {prompt_of(body)}", body)


server = served(echo)


Function = Callable[[FunctionTrial], object]


def ask(
    server: SimulatedServer,
    tape: Tape,
    function: Function,
    cell: Cell | None = None,
    in_flight: int = 2,
    tally: Tally | None = None,
) -> Any:
    """Ask what the trials of a function lack; return what the pass did."""
    cell, tally = cell or cell_of(trials=3), tally or Tally(3)
    asker = Asker(tape, [MODEL], Terms(server.url, in_flight), tally, lambda sentence: None)
    with asker:
        asking = FunctionTrials(tape, tally, Canary({}, None)).of(
            cell.each_trial(),
            lambda trial: FunctionTrial(trial, tape),
            lambda trial: run(trial, lambda: function(trial) and None),
        )
        asker.drain(asking)
    assert tally.done == cell.size
    return asking.asked


def say(trial: FunctionTrial, text: str) -> str:
    answer = exchanged(trial, body_of(text))
    return str(answer["content"][0]["text"])


def chat(trial: FunctionTrial) -> str:
    first = say(trial, f"first of {trial.item}")
    return say(trial, f"second after {first}")


def test_a_trial_goes_on_with_the_reply_it_waited_for(server: SimulatedServer, tape: Tape) -> None:
    asked = ask(server, tape, chat)
    assert (asked.failures, asked.stale, asked.errors) == ({}, 0, {})
    expected = Counter(
        text for item in "012" for text in (f"first of {item}", f"second after reply to first of {item}")
    )
    assert Counter(map(prompt_of, server.asked)) == expected
    assert tape.recorded == 6
    ask(server, tape, chat)
    assert len(server.asked) == 6


def test_many_trials_are_in_flight_at_once(server: SimulatedServer, tape: Tape) -> None:
    two, came = threading.Event(), iter(range(1, 100))

    def script(body: Body) -> Answer:
        if next(came) == 2:
            two.set()
        assert two.wait(PATIENCE), "the first request is answered once a second has come"
        return echo(body)

    server.script = script
    ask(server, tape, chat, cell_of(trials=20), in_flight=4)
    assert len(server.asked) == 40


def test_what_a_server_refuses_ends_its_trial_alone(server: SimulatedServer, tape: Tape) -> None:
    server.script = lambda body: failing(400, "no such tool")(body) if "of 1" in prompt_of(body) else echo(body)
    asked = ask(server, tape, chat)
    [failure] = asked.failures.values()
    assert "no such tool" in failure.message
    assert tape.recorded == 4


def test_what_failed_is_sent_again_before_the_cell_ends(server: SimulatedServer, tape: Tape) -> None:
    """The server refuses the first request of a trial five times, the last time after all of the other trials."""
    refused, others = itertools.count(1), threading.Semaphore(0)

    def script(body: Body) -> Answer:
        if prompt_of(body) != "first of 0":
            others.release()
            return echo(body)
        if (time := next(refused)) == 5:
            assert all(others.acquire(timeout=PATIENCE) for _ in range(4))
        return failing(500)(body) if time <= 5 else echo(body)

    server.script = script
    asked = ask(server, tape, chat)
    assert (asked.failures, tape.recorded, next(refused)) == ({}, 6, 7)


def test_a_stale_request_is_counted_and_not_asked(server: SimulatedServer, tape: Tape) -> None:
    ask(server, tape, chat)
    server.received.clear()
    asked = ask(server, tape, lambda trial: say(trial, f"changed, first of {trial.item}"))
    assert (asked.stale, server.asked) == (3, [])


def test_of_several_requests_the_stale_is_not_asked_and_the_others_are(server: SimulatedServer, tape: Tape) -> None:
    def several(*texts: str) -> Function:
        def function(trial: FunctionTrial) -> None:
            issued(trial, *(f"{text} of {trial.item}" for text in texts))

        return function

    ask(server, tape, several("a"))
    server.received.clear()
    asked = ask(server, tape, several("changed", "b"))
    assert Counter(map(prompt_of, server.asked)) == Counter(f"b of {item}" for item in "012")
    assert asked.stale == 3
    assert asked.failures == {}


def test_a_test_that_asks_something_else_is_named_with_the_difference(server: SimulatedServer, tape: Tape) -> None:
    numbers = itertools.count(100)
    asked = ask(server, tape, lambda trial: say(trial, f"the time is {next(numbers)}"))
    assert {failure.cause for failure in asked.failures.values()} == {"test-not-repeatable"}
    sentence = next(iter(asked.failures.values())).message
    assert "the test sends a different request when it runs again" in sentence
    assert '-   "content": "the time is 10' in sentence
    assert '+   "content": "the time is 10' in sentence
    assert len(server.asked) == 3


class Forgetful(Tape):
    """A tape that never plays what it recorded to a trial, but gives it to the one who asked."""

    here = threading.local()

    def uses_recording(self, place: Any) -> bool:
        return getattr(self.here, "asked", False)

    def reply(self, place: Any) -> Any:
        self.here.asked = True
        try:
            return super().reply(place)
        finally:
            self.here.asked = False


def test_an_answer_that_is_not_found_is_never_asked_again(server: SimulatedServer, tmp_path: Path) -> None:
    asked = ask(server, Forgetful(tmp_path, "all", run="first"), chat)
    assert {failure.cause for failure in asked.failures.values()} == {"answer-not-found"}
    assert len(server.asked) == 3


def test_errors_of_the_test_are_counted_and_leave_others_alone(server: SimulatedServer, tape: Tape) -> None:
    def faulty(trial: FunctionTrial) -> None:
        text = chat(trial)
        if trial.item == "1":
            raise ZeroDivisionError(f"a fault\nafter {text}")

    asked = ask(server, tape, faulty)
    assert asked.errors == {"ZeroDivisionError: a fault": 1}
    assert tape.recorded == 6


def test_one_cell_after_another_has_its_own_trials(server: SimulatedServer, tape: Tape) -> None:
    ask(server, tape, chat, cell_of("test_one", trials=3))
    ask(server, tape, chat, cell_of("test_other", trials=3))
    assert {path.parent.name for path in tape.written_to.rglob("*.jsonl")} == {"test_one", "test_other"}


def test_a_request_holds_everything_that_the_test_sent(tape: Tape) -> None:
    trial = trial_of(tape=tape)
    body = body_of("a") | {"tools": [{"name": "add"}], "system": "s"}
    with pytest.raises(Suspended):
        exchanged(trial, body, headers={"anthropic-beta": "x"})
    [made] = trial.unanswered
    sent = made.arguments
    assert sent["extra_body"] == {"tools": [{"name": "add"}], "system": "s"}
    assert sent["extra_headers"] == {"anthropic-beta": "x"}
    assert made.tokens.prompt > 346  # the prompt that comes with tools


def test_a_difference_is_short() -> None:
    assert difference(body_of("a"), body_of("b")) == '-   "content": "a",\n+   "content": "b",'
    assert len(difference(body_of("a" * 10_000), body_of("b" * 10_000))) < 700


CACHED = ModelProfile(model="toy", caching=Caching(min_tokens=100))
DOCUMENT = "All that is known of the fees. " * 40


def about(trial: FunctionTrial) -> str:
    """Ask about the document of the item's context, and once more after the reply."""
    text = f"{DOCUMENT} Document {trial.context}. Question {trial.item}?"
    exchanged(trial, body_of(text), model=trial.cell.model)
    return say(trial, f"and {trial.item}?")


def in_contexts_of(number: int, share: int) -> Cell:
    return cell_of(trials=number, model=CACHED, of_one_context=share)


def marked(body: Body) -> str | None:
    """Return the text of a request up to its mark; None if it has none."""
    content = body["messages"][0]["content"]
    if isinstance(content, str):
        return None
    assert "cache_control" in content[0]
    return str(content[0]["text"])


def test_the_trials_of_a_context_are_asked_after_its_first_and_marked(tape: Tape) -> None:
    answered: list[str] = []
    lock = threading.Lock()

    def note(body: Body) -> Answer:
        with lock:
            answered.append(prompt_of(body))
        return echo(body)

    with SimulatedServer(note) as server:
        asked = ask(server, tape, about, in_contexts_of(6, 3), in_flight=4)
        assert (asked.failures, asked.stale, asked.errors) == ({}, 0, {})
        first = [body for body in server.asked if "Question" in prompt_of(body)]
    assert len(answered) == 12
    marks = {marked(body) for body in first}
    assert marks == {f"{DOCUMENT} Document context-{number}. Question " for number in (0, 1)}
    for context in (0, 1):
        of_context = [text for text in answered if f"context-{context}." in text]
        assert of_context[0].endswith(f"Question {3 * context}?"), "the first is answered before the others are asked"


def test_a_mark_changes_no_digest(server: SimulatedServer, tape: Tape) -> None:
    ask(server, tape, about, in_contexts_of(3, 3))
    replayed = FunctionTrial(Trial(in_contexts_of(3, 3), 2), Tape(tape.written_to))
    assert about(replayed) == "reply to and 2?"


def test_nothing_is_marked_where_nothing_is_shared_or_kept(server: SimulatedServer, tape: Tape) -> None:
    ask(server, tape, about, cell_of(trials=3, model=CACHED))
    ask(server, tape, about, cell_of("test_other", trials=3, of_one_context=3))
    assert {marked(body) for body in server.asked} == {None}


def test_the_others_are_asked_if_the_first_is_not_answered(tape: Tape) -> None:
    refused = failing(413, "too large")
    with SimulatedServer(lambda body: (refused if "Question 0?" in prompt_of(body) else echo)(body)) as server:
        asked = ask(server, tape, about, in_contexts_of(3, 3))
    assert len(asked.failures) == 1
    assert tape.recorded == 4


def test_repeats_of_a_trial_are_marked_too(server: SimulatedServer, tape: Tape) -> None:
    cell = dataclasses.replace(in_contexts_of(2, 1), repeats=2)
    ask(server, tape, about, cell)
    first = [marked(body) for body in server.asked if "Question" in prompt_of(body)]
    assert sorted(map(str, first)) == [f"{DOCUMENT} Document {item}. Question {item}?" for item in (0, 0, 1, 1)]


def test_how_trials_ended_is_counted_once_and_only_of_those_that_were_sent(server: SimulatedServer, tape: Tape) -> None:
    def ends(trial: FunctionTrial) -> None:
        chat(trial)
        assert trial.item != "1", "it is wrong"
        if trial.item == "2":
            raise ValueError("an error of the test")

    sent, replayed = Tally(3), Tally(3)
    for tally in sent, replayed:
        ask(server, tape, ends, tally=tally)
    [outcomes, cost] = sentences(sent)
    rate, others = outcomes.rstrip(".").split("; ")
    assert rate == "test_it on toy: 1 of 2 correct, 0.50 [0.09, 0.91]"
    assert {*others.split(", ")} == {"1 wrong", "1 error of the test"}
    assert cost == "The cost of 6 answers is not known."
    assert list(sentences(replayed)) == []


@pytest.mark.parametrize("prices", [None, dollars(1, 1)])
def test_the_cost_is_known_only_if_all_prices_are(server: SimulatedServer, tape: Tape, prices: Prices | None) -> None:
    model = MODEL.model_copy(update={"prices": prices})
    cell, tally = cell_of(trials=3, model=model), Tally(3)
    with Asker(tape, [model], Terms(server.url, 2), tally, lambda sentence: None) as asker:
        trials = FunctionTrials(tape, tally, Canary({}, None)).of(
            cell.each_trial(),
            lambda trial: FunctionTrial(trial, tape),
            lambda trial: run(trial, lambda: exchanged(trial, body_of(trial.item), model=model) and None),
        )
        asker.drain(trials)
    assert tally.tokens > 0
    assert (tally.cost is None) == (prices is None)


def test_a_trial_goes_on_once_all_of_its_requests_are_answered(server: SimulatedServer, tape: Tape) -> None:
    first, runs = threading.Event(), Counter[str]()

    def script(body: Body) -> Answer:
        if prompt_of(body).startswith("b"):
            assert first.wait(PATIENCE), "the other request is answered before"
        return echo(body)

    def both(trial: FunctionTrial) -> None:
        runs[trial.item] += 1
        issued(trial, f"a of {trial.item}", f"b of {trial.item}")

    class Noting(Tape):
        def record(self, place: Any, *rest: Any, **more: Any) -> None:
            super().record(place, *rest, **more)
            first.set()

    server.script = script
    asked = ask(server, Noting(tape.written_to, "once", run="first"), both, cell_of(trials=1))
    assert (asked.failures, runs) == ({}, {"0": 2})
    assert len(server.asked) == 2


def test_a_canary_that_stops_leaves_those_that_wait_for_the_first_of_their_context(
    server: SimulatedServer, tape: Tape
) -> None:
    """None of the first ten can be read; the others, of the same contexts, are not asked."""
    cell = in_contexts_of(40, 20)

    def unreadable(trial: FunctionTrial) -> None:
        exchanged(trial, body_of(f"{DOCUMENT} Document {trial.context}. Question {trial.item}?"), model=CACHED)
        raise Unparseable("no number")

    said: list[str] = []
    tally, group = Tally(40), (cell.point.test, CACHED.model)
    canary = Canary({group: 40}, said.append)
    with Asker(tape, [CACHED], Terms(server.url, 2), tally, said.append) as asker:
        asking = FunctionTrials(tape, tally, canary).of(
            cell.each_trial(),
            lambda trial: FunctionTrial(trial, tape),
            lambda trial: run(trial, lambda: unreadable(trial)),
        )
        asker.drain(asking)
    assert len(server.asked) == 10
    assert len(asking.asked.failures) == 30
    assert {failure.cause for failure in asking.asked.failures.values()} == {"unreadable"}
    assert tally.done == 40
