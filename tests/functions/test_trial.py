"""The requests of a trial: their numbers, their answers, and what suspends the function."""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path

import pytest

from longctx.functions.measure import run
from longctx.functions.strategies import Managed, tokens_of
from longctx.functions.trial import MOST_REQUESTS, TestMistake, changed_request, texts
from longctx.recording.apis.messages import COUNT_PATH
from longctx.recording.request import Place
from longctx.recording.tape import Tape
from longctx.vocabulary.protocol_cell import Suspended
from longctx.vocabulary.shapes import COMPACTION
from tests.functions.examples import MODEL, answer_to, answered, body_of, cell_of, exchanged, issued, trial_of
from tests.recording.examples import answer


def test_a_request_without_an_answer_suspends_the_trial(tape: Tape) -> None:
    trial = trial_of(tape=tape)
    with pytest.raises(Suspended):
        exchanged(trial, body_of("a"))
    [lacking] = trial.unanswered
    assert (lacking.place.number, lacking.place.same, lacking.place.after) == (0, 0, "")
    assert lacking.place.file == "toy/test_it/all.jsonl"


def test_requests_are_numbered_and_hold_the_reply_before_them(tape: Tape) -> None:
    cell = cell_of()
    answered(tape, cell, "a", "b")
    trial = trial_of(cell, tape=tape)
    [lacking] = issued(trial, "a", "b", "c")
    assert lacking.place.number == 2
    content, _ = tape.answer(trial.exchanges[1].place) or (b"", {})
    assert lacking.place.after == hashlib.sha256(content).hexdigest()
    assert [exchange.message["content"][0]["text"] for exchange in trial.exchanges] == ["reply 0", "reply 1"]


def test_requests_that_are_issued_at_once_follow_the_same_reply(tape: Tape) -> None:
    cell = cell_of()
    answered(tape, cell, "a", "b", "c")
    trial = trial_of(cell, tape=tape)
    exchanged(trial, body_of("a"))
    exchanges = [trial.issue(body_of(text), {}, MODEL) for text in ("b", "c")]
    assert exchanges[0].place.after == exchanges[1].place.after != ""
    for exchange in exchanges:
        trial.receive(exchange)
    [lacking] = issued(trial, "d")
    assert lacking.place.after == exchanges[1].sha256


def test_equal_requests_have_answers_of_their_own(tape: Tape) -> None:
    cell = cell_of()
    answered(tape, cell, "a", "a", "a")
    trial = trial_of(cell, tape=tape)
    assert issued(trial, "a", "a", "a") == []
    assert [exchange.message["content"][0]["text"] for exchange in trial.exchanges] == ["reply 0", "reply 1", "reply 2"]
    assert [exchange.place.same for exchange in trial.exchanges] == [0, 1, 2]


@pytest.mark.parametrize(
    ("asked", "status"),
    [(("a", "b"), "found"), (("a", "c"), "stale"), (("c",), "stale"), (("a", "b", "c"), "missing")],
)
def test_a_changed_request_after_the_same_reply_is_stale(tape: Tape, asked: tuple[str, ...], status: str) -> None:
    cell = cell_of()
    answered(tape, cell, "a", "b")
    lacking = issued(trial_of(cell, tape=tape), *asked)
    assert [tape.status(each.place) for each in lacking] == ([] if status == "found" else [status])


def test_a_request_after_another_reply_is_missing(tape: Tape) -> None:
    cell = cell_of()
    answered(tape, cell, "a", "b")
    [lacking] = issued(trial_of(cell, tape=tape), "c")
    answer_to(lacking, tape, "another reply")
    [lacking] = issued(trial_of(cell, tape=tape), "c", "d")
    assert tape.status(lacking.place) == "missing"


def test_a_request_that_threads_send_in_another_order_is_missing(tape: Tape) -> None:
    """Not stale: the recorded one in its place is sent, too, so nothing has changed."""
    cell = cell_of()
    answered(tape, cell, "a")
    for text in "b", "c", "d":
        trial = trial_of(cell, tape=tape)
        with contextlib.suppress(Suspended):
            trial.issue(body_of(text), {}, MODEL)
        recorded = [trial.issue(body_of(each), {}, MODEL) for each in "abc"[: "abcd".index(text)]]
        for exchange in recorded:
            trial.receive(exchange)
        [lacking] = trial.unanswered
        assert tape.status(lacking.place) == "stale"
        trial.number_unanswered()
        [lacking] = trial.unanswered
        assert tape.status(lacking.place) == "missing"
        answer_to(lacking, tape)


def test_a_changed_request_stays_stale_beside_those_of_other_threads(tape: Tape) -> None:
    cell = cell_of()
    with contextlib.suppress(Suspended):
        run(first := trial_of(cell, tape=tape), lambda: [issued(first, "a", "b")])
    for lacking in first.unanswered:
        answer_to(lacking, tape)
    trial = trial_of(cell, tape=tape)
    with contextlib.suppress(Suspended):
        trial.issue(body_of("c"), {}, MODEL)
    trial.receive(trial.issue(body_of("b"), {}, MODEL))
    trial.number_unanswered()
    assert [tape.status(each.place) for each in trial.unanswered] == ["stale"]


def test_a_count_of_tokens_is_no_answer_to_the_same_body(tape: Tape) -> None:
    trial = trial_of(tape=tape)
    with pytest.raises(Suspended):
        exchanged(trial, body_of("a"), path=COUNT_PATH)
    answer_to(trial.unanswered[0], tape)
    again = trial_of(tape=tape)
    assert exchanged(again, body_of("a"), path=COUNT_PATH) == {"input_tokens": 10}
    with pytest.raises(Suspended):
        exchanged(again, body_of("a"))
    assert again.answers == []


def test_headers_are_part_of_a_request(tape: Tape) -> None:
    cell = cell_of()
    answered(tape, cell, "a")
    with pytest.raises(Suspended):
        exchanged(trial_of(cell, tape=tape), body_of("a"), headers={"anthropic-beta": "x"})


def test_the_most_requests_of_a_trial(tape: Tape) -> None:
    trial = trial_of(tape=tape)
    issued(trial, *map(str, range(MOST_REQUESTS)))
    with pytest.raises(TestMistake, match="too-many-requests"):
        exchanged(trial, body_of("one more"))


@pytest.mark.parametrize("content", [b"[]", b"{}", b"[" * 5000, b'{"input_tokens": "many"}'])
def test_a_recorded_answer_that_cannot_be_used_is_a_mistake_that_no_code_handles(tape: Tape, content: bytes) -> None:
    for counts in (False, True):
        trial = trial_of(tape=tape)
        with pytest.raises(Suspended):
            exchanged(trial, body_of("a"), path=COUNT_PATH if counts else "")
        tape.record(trial.unanswered[0].place, answer(content), "2026-01-01T00:00:00+00:00", None)
        with pytest.raises(TestMistake, match="bad-recorded-answer"):
            exchanged(trial_of(tape=tape), body_of("a"), path=COUNT_PATH if counts else "")


@pytest.mark.parametrize(("depth", "is_read"), [(90, True), (300, False), (900, False)])
def test_an_answer_that_is_nested_deeply_is_a_mistake_before_any_code_reads_it(
    tape: Tape, depth: int, is_read: bool
) -> None:
    value: dict[str, object] = {}
    for _ in range(depth):
        value = {"a": value}
    [lacking] = issued(trial_of(tape=tape), "a")
    answer_to(lacking, tape, content=[{"type": "tool_use", "id": "t", "name": "add", "input": value}])
    with contextlib.nullcontext() if is_read else pytest.raises(TestMistake, match="answer-too-deep"):
        exchanged(trial_of(tape=tape), body_of("a"))


def test_code_that_swallows_the_suspension_is_suspended_all_the_same(tape: Tape) -> None:
    trial = trial_of(tape=tape)

    def swallow() -> None:
        try:
            exchanged(trial, body_of("a"))
        except BaseException:
            return

    assert run(trial, swallow).kind == "suspended"


def test_the_identity_of_an_item() -> None:
    items = (("first", "a"), ("second", "a"))
    given, more = cell_of(items=items), cell_of(items=(("new", "b"), *items))
    assert trial_of(given, 1).trial.identity == trial_of(more, 2).trial.identity
    assert trial_of(given, 1).item == "second"
    assert trial_of(cell_of(), 1).item == "1"
    assert trial_of(cell_of(), 1, repeat=1).item == "1"


def test_the_sentence_on_a_change() -> None:
    place = Place("f", "t", "0" * 64, "protocol", "w", model="toy")
    assert changed_request(place).startswith("request 1 differs from the recorded one: ")
    assert "profile of toy" in changed_request(place)


def test_episodes_hold_the_place_of_their_request(tape: Tape, tmp_path: Path) -> None:
    answered(tape, cell_of(), "a", "a", "b")
    lines = (tmp_path / "toy/test_it/all.jsonl").read_text().splitlines()
    places = [{k: json.loads(line)["metadata"].get(k) for k in ("request", "same")} for line in lines]
    assert places == [{"request": None, "same": None}, {"request": 1, "same": 1}, {"request": 2, "same": None}]


TURNS = [{"role": "user", "content": "Berth 4 is free."}, {"role": "assistant", "content": "Noted."}]


@pytest.mark.parametrize(
    "managed",
    [
        Managed([*TURNS, {"role": "user", "content": "A ledger that is longer than what it stands for."}]),
        Managed(TURNS, {"context_management": {"edits": [{"type": COMPACTION}]}}),
    ],
    ids=["own", "compaction"],
)
def test_no_more_than_the_transcript_is_kept(managed: Managed) -> None:
    """A strategy may send more than it was given, and a server counts the system prompt, too."""
    trial = trial_of()
    compaction = {"type": "compaction", "input_tokens": 90, "output_tokens": 9}
    usage = {"input_tokens": 900, "output_tokens": 1, "iterations": [compaction]}
    trial.measure_kept(TURNS, managed, {"content": [], "usage": usage, "context_management": {"applied_edits": []}})
    assert trial.kept == (tokens_of(TURNS), tokens_of(TURNS))


def test_texts_of_a_turn() -> None:
    document = {"type": "document", "source": {"type": "text", "data": "b"}}
    result = {"type": "tool_result", "content": [{"type": "text", "text": "c"}]}
    assert texts([{"type": "text", "text": "a"}, document, result, {"type": "image"}]) == "a\nb\nc"
    assert texts("a") == "a"
