"""The asking pass: its order, its limits, and what became of each question."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from longctx.cells.cell import Cell, Trial
from longctx.live.bounds import Bounds, Limits
from longctx.live.failure import Failure, SendResult
from longctx.recording.missing import missing
from longctx.recording.request import Place, Request
from longctx.recording.tape import Tape
from longctx.vocabulary.answer import Answer
from tests.given import dollars
from tests.live.clients import Told, asking
from tests.recording.apis.examples import BLOCKED, blocked, completion, generated, response
from tests.recording.examples import line_cell
from tests.servers import Answer as Response
from tests.servers import Body, SimulatedServer, failing, message, right, saying

PRICES = dollars(1_000_000)

pytestmark = pytest.mark.usefixtures("without_delay")


def ask(
    url: str,
    tape: Tape,
    requests: Sequence[Request],
    in_flight: int = 1,
    cap: float | None = None,
    bounds: Bounds | None = None,
) -> tuple[SendResult, list[Answer | Failure]]:
    progress = Told()

    asked = asyncio.run(asking(url, tape, requests, in_flight, bounds or Bounds.of(in_flight, cap), progress))
    assert progress.last_in_flight == 0
    assert bounds or progress.most_in_flight <= in_flight
    return asked, list(progress.results.values())


def prompts(server: SimulatedServer) -> list[str]:
    return [body["messages"][0]["content"] for body in server.asked]


def test_questions_are_asked_in_their_order_and_answered_on_the_tape(tmp_path: Path) -> None:
    tape = Tape(tmp_path, "once")
    trials = missing(tape, [line_cell(5), line_cell(3)])
    with SimulatedServer() as server:
        asked, results = ask(server.url, tape, trials)
    assert asked == SendResult(answered=4)
    assert prompts(server) == [trial.build().user for trial in trials]
    for trial, reported in zip(trials, results, strict=True):
        built = trial.build()
        reply = Tape(tmp_path).reply(Place.of(trial.trial, built))
        assert isinstance(reported, Answer)
        assert reply is not None
        assert (reply.text, reported.text) == (built.expected, built.expected)
    assert not missing(Tape(tmp_path, "once"), [line_cell(5), line_cell(3)])


@pytest.mark.parametrize("extra", [{"temperature": 0}, {"max_tokens": 99}])
def test_the_model_profiles_extras_are_sent(tmp_path: Path, extra: dict[str, int]) -> None:
    tape = Tape(tmp_path, "once")
    with SimulatedServer() as server:
        asked, _ = ask(server.url, tape, missing(tape, [line_cell(trials=1, extra_body=extra)]))
    assert asked.answered == 1
    assert extra.items() <= server.asked[0].items()


def test_a_compressed_answer_is_no_matter(tmp_path: Path) -> None:
    tape = Tape(tmp_path, "once")
    with SimulatedServer(zipped=True) as server:
        asked, _ = ask(server.url, tape, missing(tape, [line_cell()]))
    assert asked.answered == 2
    assert not missing(Tape(tmp_path, "once"), [line_cell()])


def waits(server: SimulatedServer, folder: Path, cell: Cell, free: Callable[[str], bool]) -> list[str]:
    """Return the waits that the run reports; the server answers once they are reported."""

    class Heard(Told):
        def waiting(self, silent_s: float, what: str) -> None:
            super().waiting(silent_s, what)
            if free(what):
                server.release.set()

    progress, tape = Heard(), Tape(folder, "once")

    asked = asyncio.run(asking(server.url, tape, missing(tape, [cell]), 4, progress=progress))
    assert asked.answered == cell.size
    return progress.waits


def test_a_wait_for_answers_says_how_many_and_how_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longctx.live.watch.DELAY_S", 0.001)
    with SimulatedServer(hold_after=0) as server:
        reported = waits(server, tmp_path, line_cell(trials=2, timeout_s=90), lambda what: "2 in flight" in what)
        assert f"the first answer of {server.url}: 2 in flight, for up to 90 s each" in reported
    with SimulatedServer(hold_after=1) as server:
        reported = waits(server, tmp_path, line_cell(3, trials=2), lambda what: "the next" in what)
        assert f"the next answer of {server.url}: 1 in flight, for up to 600 s each" in reported


def test_a_wait_for_the_next_attempt_says_what_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longctx.live.watch.DELAY_S", 0.001)
    failures = iter([failing(500, "simulated trouble")])
    with SimulatedServer(hold_after=1) as server:
        server.script = lambda body: next(failures, right)(body)
        reported = waits(server, tmp_path, line_cell(trials=1), lambda what: "simulated trouble" in what)
        assert any(f"the last one failed: {server.url} answered 500: simulated trouble." in what for what in reported)


def test_a_pause_that_the_server_asks_for_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longctx.live.watch.DELAY_S", 0.001)
    failures = iter([failing(429, "too fast", **{"retry-after-ms": "300"})])
    with SimulatedServer() as server:
        server.script = lambda body: next(failures, right)(body)
        reported = waits(server, tmp_path, line_cell(trials=1), lambda what: False)
        assert any(what.startswith(f"a pause of 0 s more, requested by {server.url}") for what in reported)


@pytest.mark.parametrize("in_flight", [1, 3, 5])
def test_no_more_are_in_flight_than_allowed(tmp_path: Path, in_flight: int) -> None:
    tape = Tape(tmp_path, "once")
    with SimulatedServer(hold_after=0) as server:

        def release() -> None:
            server.wait_for(in_flight)
            server.release.set()

        threading.Thread(target=release, daemon=True).start()
        asked, _ = ask(server.url, tape, missing(tape, [line_cell(trials=8)]), in_flight)
    assert asked.answered == 8
    assert server.most_in_flight == in_flight  # a run starts with 16


@pytest.mark.parametrize(("status", "allowed"), [(429, 4), (529, 4), (200, 8), (400, 8), (500, 8)])
def test_a_server_that_has_too_much_to_do_is_sent_less(tmp_path: Path, status: int, allowed: int) -> None:
    """The limit falls once for all requests that were in flight at the refusal."""
    tape, bounds = Tape(tmp_path, "once"), Bounds.of(8)
    answers = iter([right if status == 200 else failing(status, "no", **{"retry-after-ms": "1"})])
    with SimulatedServer(lambda body: next(answers, right)(body)) as server:
        ask(server.url, tape, missing(tape, [line_cell(trials=1)]), bounds=bounds)
    assert int(bounds.limits.allowed) == allowed


def test_headers_that_tell_of_no_more_room_hold_the_next(tmp_path: Path) -> None:
    """What a prompt takes of a bucket that fills in half an hour."""
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=30)
    values = {"limit": "1000", "remaining": "0", "reset": later.isoformat()}
    headers = {f"anthropic-ratelimit-input-tokens-{name}": value for name, value in values.items()}
    tape, bounds = Tape(tmp_path, "once"), Bounds.of(1)

    def script(body: Body) -> Response:
        return (200, headers, message("42"))

    with SimulatedServer(script) as server:
        began = time.monotonic()
        ask(server.url, tape, missing(tape, [line_cell(trials=1)]), bounds=bounds)
    limit = bounds.limits.of(("anthropic", "", ""))
    assert 30 < limit.held_until - began <= 600


@pytest.mark.parametrize("pause", ["86400", "1e20"])
@pytest.mark.parametrize(("answers", "status"), [(0, 429), (2, 429), (2, 503)])
def test_a_pause_of_hours_ends_the_run_with_how_to_go_on(tmp_path: Path, pause: str, answers: int, status: int) -> None:
    tape = Tape(tmp_path, "once")
    script = iter([right] * answers + [failing(status, "the quota of a day", **{"retry-after": pause})] * 9)
    with SimulatedServer(lambda body: next(script)(body)) as server:
        asked, _ = ask(server.url, tape, missing(tape, [line_cell(trials=6)]))
        assert len(server.asked) == answers + 1
    length = "1,440 minutes" if pause == "86400" else "more than a year"
    assert asked.stopped is not None
    assert asked.stopped.message == (
        f"{server.url} requests a pause of {length}, but a run waits for 10 minutes at most. The same command sends "
        "only the rest."
    )
    assert (asked.answered, len(asked.failures)) == (answers, 6 - answers)


@pytest.mark.parametrize(("status", "cause"), [(401, "bad_key"), (403, "bad_key"), (404, "no_such_model")])
def test_a_failure_that_all_would_meet_stops_the_asking(tmp_path: Path, status: int, cause: str) -> None:
    tape = Tape(tmp_path, "once")
    trials = missing(tape, [line_cell(trials=5)])
    with SimulatedServer(failing(status, "not you")) as server:
        asked, results = ask(server.url, tape, trials)
    assert len(server.asked) == len(results) == 1
    assert asked.answered == 0
    assert asked.stopped is not None
    assert (asked.stopped.cause, asked.stopped.fatal) == (cause, True)
    assert asked.failures == {trial.key: asked.stopped for trial in trials}


@pytest.mark.parametrize(
    ("status", "cause"),
    [(400, "refused_request"), (429, "rate_limit"), (500, "server_error"), (529, "overloaded")],
)
def test_a_failure_of_one_question_is_its_own(tmp_path: Path, status: int, cause: str) -> None:
    tape = Tape(tmp_path, "once")
    trials = missing(tape, [line_cell(trials=3)])
    second = trials[1].build().user

    def script(body: Body) -> Response:
        return failing(status)(body) if body["messages"][0]["content"] == second else right(body)

    with SimulatedServer(script) as server:
        asked, _ = ask(server.url, tape, trials)
    assert (asked.answered, asked.stopped) == (2, None)
    assert [(key, failure.cause, failure.fatal) for key, failure in asked.failures.items()] == [
        (trials[1].key, cause, False)
    ]
    assert missing(Tape(tmp_path, "once"), [line_cell(trials=3)]) == [trials[1]]


@pytest.mark.parametrize("payload", [b"<html>busy</html>", b"{}", message("42", content=None)])
def test_an_answer_that_is_no_message_is_a_failure(tmp_path: Path, payload: bytes) -> None:
    tape = Tape(tmp_path, "once")
    with SimulatedServer(lambda body: (200, {}, payload)) as server:
        asked, _ = ask(server.url, tape, missing(tape, [line_cell(trials=2)]))
    assert [failure.cause for failure in asked.failures.values()] == ["malformed_answer"] * 2
    assert len(missing(Tape(tmp_path, "once"), [line_cell(trials=2)])) == 2


FAILED = completion(None, "error") | {"error": {"message": "no capacity"}}
NO_TEXT = generated({"text": None})


def ask_of_api(
    tmp_path: Path, api: str, status: int, answer: dict[str, Any]
) -> tuple[SendResult, list[Answer | Failure]]:
    """Ask two trials of a server of another API that gives this answer to all."""
    tape, cell, progress = Tape(tmp_path, "once"), line_cell(trials=2, api=api), Told()

    with SimulatedServer() as server:
        server.answer = lambda request: (status, {}, json.dumps(answer).encode())  # type: ignore[method-assign]
        asked = asyncio.run(asking(server.url, tape, missing(tape, [cell]), progress=progress))
    return asked, list(progress.results.values())


@pytest.mark.parametrize(
    ("api", "status", "answer", "cause", "words"),
    [
        ("openai-chat", 200, FAILED, "server_error", "the server's answer ended with 'error': no capacity."),
        (
            "openai-chat",
            200,
            completion(None, tool_calls=[{}]),
            "malformed_answer",
            "one of its tool calls has no name",
        ),
        ("openai-responses", 200, response(status="failed"), "server_error", "the server's answer ended with 'failed'"),
        ("openai-responses", 200, response(output=None), "malformed_answer", "it begins with"),
        ("gemini", 200, generated(reason="OTHER"), "server_error", "the server's answer ended with 'OTHER'"),
        ("gemini", 200, NO_TEXT, "malformed_answer", "a part of its content is neither text nor a call"),
        ("openai-chat", 400, {"error": {"message": "no such field"}}, "refused_request", "no such field"),
        ("openai-chat", 400, completion(), "refused_request", "answered 400"),
    ],
)
def test_what_cannot_be_read_again_is_a_failure_with_the_server_s_words(
    tmp_path: Path, keys: None, api: str, status: int, answer: dict[str, Any], cause: str, words: str
) -> None:
    asked, _ = ask_of_api(tmp_path, api, status, answer)
    assert [failure.cause for failure in asked.failures.values()] == [cause] * 2
    assert all(words in failure.message for failure in asked.failures.values())
    assert not [*tmp_path.rglob("*.jsonl")]


@pytest.mark.parametrize(
    ("api", "status", "answer", "category"),
    [
        ("openai-chat", 400, BLOCKED, "content_filter"),
        ("openai-responses", 400, BLOCKED, "content_filter"),
        ("gemini", 200, blocked("SAFETY"), "safety"),
    ],
)
def test_a_prompt_that_a_filter_blocks_is_a_recorded_refusal(
    tmp_path: Path, keys: None, api: str, status: int, answer: dict[str, Any], category: str
) -> None:
    asked, replies = ask_of_api(tmp_path, api, status, answer)
    assert not asked.failures
    assert [(reply.stop_reason, reply.refusal) for reply in replies if isinstance(reply, Answer)] == 2 * [
        ("refusal", category)
    ]
    assert not missing(Tape(tmp_path, "once"), [line_cell(trials=2, api=api)])


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "key")


def test_a_wrong_answer_is_an_answer(tmp_path: Path) -> None:
    tape = Tape(tmp_path, "once")
    with SimulatedServer(saying("I cannot", stop_reason="refusal")) as server:
        asked, [reply] = ask(server.url, tape, missing(tape, [line_cell(trials=1)]))
    assert asked.answered == 1
    assert isinstance(reply, Answer)
    assert reply.stop_reason == "refusal"


def test_what_is_not_reached_the_second_time_has_ended(tmp_path: Path) -> None:
    """The server answers one trial of four, and stops the asking at the first that is sent once more."""
    tape = Tape(tmp_path, "once")
    trials = missing(tape, [line_cell(trials=4)])
    good = trials[0].build().user

    def script(body: Body) -> Response:
        if body["messages"][0]["content"] == good:
            return right(body)
        return failing(500 if len(server.asked) <= 16 else 401, "not now")(body)

    with SimulatedServer(script) as server:
        asked, results = ask(server.url, tape, trials)
    assert len(server.asked) == 17
    assert asked.stopped is not None
    assert [type(result) for result in results] == [Answer, Failure, Failure, Failure]
    assert len(asked.failures) == 3


def test_a_server_that_is_down_stops_the_asking(tmp_path: Path) -> None:
    with SimulatedServer() as server:
        url = server.url
    tape = Tape(tmp_path, "once")
    asked, results = ask(url, tape, missing(tape, [line_cell(trials=4)]))
    assert asked.stopped is not None
    assert (asked.stopped.cause, asked.stopped.fatal, len(results)) == ("connection", True, 1)
    assert asked.stopped.message.startswith(f"No connection to {url}")
    assert len(asked.failures) == 4


def test_an_answer_that_cannot_be_written_stops_the_asking(tmp_path: Path) -> None:
    """The network is not at fault, and another request would be paid again."""
    tape = Tape(tmp_path, "once")
    lacking = missing(tape, [line_cell(trials=4)])
    (tmp_path / "toy").write_text("a file where the cassettes' folder should be")
    with SimulatedServer() as server:
        asked, _ = ask(server.url, tape, lacking)
    assert len(server.asked) == 1
    assert asked.stopped is not None
    assert (asked.stopped.cause, asked.stopped.fatal) == ("not_recorded", True)
    assert asked.stopped.message.startswith("An answer could not be written to its cassette: [Errno ")


@pytest.mark.parametrize(("by", "others"), [("toy", {}), ("sent", {}), ("", {}), ("another", {("toy", "another"): 2})])
def test_answers_of_another_model_are_counted(tmp_path: Path, by: str, others: dict[tuple[str, str], int]) -> None:
    tape = Tape(tmp_path, "once")
    trials = missing(tape, [line_cell(provider_model="sent")])
    with SimulatedServer(saying("42", model=by)) as server:
        asked, _ = ask(server.url, tape, trials)
    assert asked.others == others
    asked.add(SendResult(1, others=Counter({("toy", "another"): 1})))
    assert asked.others["toy", "another"] == others.get(("toy", "another"), 0) + 1


def test_what_fails_for_a_moment_is_asked_again(tmp_path: Path) -> None:
    script = iter([failing(529, **{"retry-after-ms": "1"}), failing(429, **{"retry-after-ms": "1"}), right])
    tape = Tape(tmp_path, "once")
    with SimulatedServer(lambda body: next(script)(body)) as server:
        asked, _ = ask(server.url, tape, missing(tape, [line_cell(trials=1)]))
    assert (asked.answered, asked.failures, len(server.asked)) == (1, {}, 3)


def priced(trials: int) -> Cell:
    """Return a cell whose trials are estimated at 175 USD each and cost what the server says."""
    return line_cell(5, trials=trials, prices=PRICES)


def test_the_cap_stops_the_asking(tmp_path: Path) -> None:
    tape = Tape(tmp_path, "once")
    usage = {"input_tokens": 100, "output_tokens": 1}
    with SimulatedServer(saying("42", usage=usage)) as server:
        asked, _ = ask(server.url, tape, missing(tape, [priced(9)]), cap=400)
    assert (asked.answered, len(server.asked)) == (3, 3)  # 175 estimated beside 100, 200, not 300 spent
    assert asked.stopped is not None
    assert asked.stopped.cause == "budget"
    assert asked.stopped.message == "the cap of $400.00 leaves no room for it"
    assert len(asked.failures) == 6


def test_the_cap_counts_what_may_have_been_billed_without_an_answer(tmp_path: Path) -> None:
    """Two requests may have cost 175 USD each; the third may cost as much again."""
    tape = Tape(tmp_path, "once")
    with SimulatedServer(lambda body: (200, {}, b"<html>busy</html>")) as server:
        asked, _ = ask(server.url, tape, missing(tape, [priced(9)]), cap=400)
    assert (asked.answered, len(server.asked)) == (0, 2)
    assert asked.stopped is not None
    assert asked.stopped.cause == "budget"


@pytest.mark.parametrize(("used", "answered"), [(175, 2), (50, 5)])
def test_the_cap_counts_what_is_in_flight(tmp_path: Path, used: int, answered: int) -> None:
    """The cap has room for two, so no third is asked beside them, whatever the concurrency limit.

    What settles for less than the reserved 175 makes room again, so more are asked: beside 200 spent, not beside 250.
    """
    tape = Tape(tmp_path, "once")
    with SimulatedServer(saying("42", usage={"input_tokens": used, "output_tokens": 0})) as server:
        asked, _ = ask(server.url, tape, missing(tape, [priced(9)]), in_flight=5, cap=400)
    assert (asked.answered, len(server.asked)) == (answered, answered)


def test_a_question_that_was_never_reached_says_so(tmp_path: Path) -> None:
    with SimulatedServer() as server:
        bounds = dataclasses.replace(Bounds.of(1), limits=Limits(0))
        asked, _ = ask(server.url, Tape(tmp_path, "once"), [Request.of(Trial(line_cell(), 0))], bounds=bounds)
    assert [failure.cause for failure in asked.failures.values()] == ["not_asked"]
