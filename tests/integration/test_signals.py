"""SIGINT and SIGTERM while a run asks: the first waits for what is in flight, the second ends at once."""

from __future__ import annotations

import signal

import pytest

from tests.cli.questions.examples import notice, writer
from tests.corpus.examples import write_folder
from tests.integration.conftest import TOY, Checkout, Result
from tests.integration.listening import Listening
from tests.servers import SimulatedServer, failing, right

SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
PROTOCOLS = "tests_longctx/test_line_retrieval.py"
STOPPED = (
    "Stopped: 2 of 4 trials were answered and are recorded, so the same command sends only the other 2.",
    "line_retrieval on toy: 2 of 2 correct, 1.00",
)
STOPPED_FUNCTIONS = "Stopped: 2 requests of test functions were answered and are recorded"
STOPPING = "Stopping: no more requests are sent. Waiting for 2 in flight, for up to 600 s each; a second signal"


CODES = """
import pytest


@pytest.mark.longctx(trials=20)
def test_code(ask, draw):
    assert ask(f"The number is {draw.integer(100, 999)}.", max_tokens=50).text


@pytest.mark.longctx(trials=20)
def test_other(ask, draw):
    assert ask(f"The other number is {draw.integer(100, 999)}.", max_tokens=50).text
"""
SLOW = """
import threading


def pytest_keyboard_interrupt():
    threading.Event().wait(60)
"""
"""A pytest that takes a minute to end after the first signal; the second ends that."""
FUNCTIONS = "tests_longctx/test_code.py", "--ctx-model=toy", "--ctx-profile=functions.toml"


@pytest.fixture
def functions(checkout: Checkout) -> None:
    checkout.file("functions.toml").write_text(TOY)
    checkout.file("tests_longctx/test_code.py").write_text(CODES)


def asking(server: SimulatedServer, *more: str) -> tuple[str, ...]:
    return (f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-concurrency=2", *more)


def check_ended(result: Result) -> None:
    assert result.code == 2, result.out
    assert "KeyboardInterrupt" not in result.out
    assert "!!!" not in result.out


@SIGNALS
@pytest.mark.parametrize(
    ("given", "stopped", "then"),
    [
        ((PROTOCOLS,), STOPPED, ("2 of 4 trials need a request", "Asked 2 of 2 trials")),
        ((PROTOCOLS, "-n2"), STOPPED, ("2 of 4 trials need a request", "Asked 2 of 2 trials")),
        (
            FUNCTIONS,
            (f"{STOPPED_FUNCTIONS}, so the same command sends only the others.",),
            ("Asked 38 requests of 40",),
        ),
    ],
    ids=["protocols", "workers", "functions"],
)
@pytest.mark.usefixtures("functions")
def test_the_first_waits_for_what_is_in_flight(
    checkout: Checkout,
    server: SimulatedServer,
    number: int,
    given: tuple[str, ...],
    stopped: tuple[str, ...],
    then: tuple[str, ...],
) -> None:
    server.hold_after = 0
    with Listening(checkout, *asking(server, *given)) as run:
        server.wait_for(2)
        run.signal(number)
        run.until(STOPPING)
        server.release.set()
        result = run.end()
    check_ended(result)
    assert result.says(*stopped), result
    assert "is lost" not in result.out
    assert checkout.episodes() == len(server.asked) == 2
    assert checkout.record(server, *given).says(*then)


@pytest.mark.usefixtures("functions")
def test_an_interrupted_run_of_functions_reports_the_outcomes_of_the_trials_that_ended(
    checkout: Checkout, server: SimulatedServer
) -> None:
    server.hold_after = 20  # those of the first function
    one_by_one = [each.replace("concurrency=2", "concurrency=1") for each in asking(server, *FUNCTIONS)]
    with Listening(checkout, *one_by_one) as run:
        server.wait_for(21)
        run.signal(signal.SIGINT)
        run.until(STOPPING.replace("for 2 in", "for 1 in"))
        server.release.set()
        result = run.end()
    check_ended(result)
    outcomes = "test_code on toy: 20 of 20 correct, 1.00 [0.84, 1.00].", "The cost of 21 answers is not known."
    assert result.says(*outcomes, "Stopped: 21 requests of test functions were answered"), result
    assert "test_other on toy" not in result.out


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize(
    ("given", "stopped"), [((PROTOCOLS,), "0 of 4 trials were answered"), (FUNCTIONS, "0 requests of test functions")]
)
@SIGNALS
@pytest.mark.usefixtures("functions")
def test_the_second_ends_at_once(
    checkout: Checkout, server: SimulatedServer, number: int, given: tuple[str, ...], stopped: str, slow: bool
) -> None:
    """Also while pytest still ends."""
    checkout.file("tests_longctx/conftest.py").write_text(SLOW if slow else "")
    server.hold_after = 0
    with Listening(checkout, *asking(server, *given)) as run:
        server.wait_for(2)
        run.signal(signal.SIGINT)
        run.until(STOPPING)
        run.signal(number)
        result = run.end()
    check_ended(result)
    assert result.says(f"Stopped: {stopped}", "Requests in flight are lost, and may be billed."), result
    assert not server.release.is_set()
    assert len(server.asked) == 2


def test_what_fails_meanwhile_is_not_sent_again(checkout: Checkout, server: SimulatedServer) -> None:
    server.hold_after = 0
    server.script = failing(529)
    with Listening(checkout, *asking(server)) as run:
        server.wait_for(2)
        run.signal(signal.SIGINT)
        run.until(STOPPING)
        server.release.set()
        check_ended(run.end())
    assert len(server.asked) == 2
    server.script = right
    assert checkout.record(server).says("Asked 4 of 4 trials")


def test_a_pause_that_the_server_asks_for_is_not_waited_for(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = failing(429, **{"retry-after": "500"})
    with Listening(checkout, *asking(server)) as run:
        run.until("Waiting for a pause of")
        run.signal(signal.SIGINT)
        check_ended(run.end())


def test_sigterm_before_anything_is_asked(checkout: Checkout, server: SimulatedServer) -> None:
    server.held = ("/v1/models",)
    with Listening(checkout, *asking(server)) as run:
        server.wait_for(1, "/v1/models/toy")
        run.signal(signal.SIGTERM)
        result = run.end()
    check_ended(result)
    assert result.says("Stopped: no requests were sent.")


def test_a_command_that_asks_waits_as_well(checkout: Checkout) -> None:
    files = {f"d{n}.txt": notice(n) for n in range(1, 5)}
    write_folder(checkout.file("docs"), {**files, "corpus.toml": "min_tokens = 0"})
    command = ("data", "questions", "write", "--corpus=docs", "--model=toy", "--per-section=2", "--out=mine.jsonl")
    with SimulatedServer(writer, hold_after=0) as server:
        live = ("--record=once", f"--base-url={server.url}", "--concurrency=2")
        with Listening(checkout, "longctx", *command, *live) as run:
            server.wait_for(2)
            run.signal(signal.SIGTERM)
            run.until(STOPPING)
            server.release.set()
            check_ended(run.end())
        assert checkout.episodes() == 2


def test_signals_are_pytests_own_once_the_asking_is_over(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("tests_longctx/test_other.py").write_text(
        "import signal\n\n\ndef test_handlers():\n"
        "    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL\n"
        "    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
    )
    assert checkout.record(server).says("Asked 4 of 4 trials", "3 passed")


def test_a_pause_of_more_than_ten_minutes_ends_the_run(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = failing(429, **{"retry-after": "100000000000000000000"})
    result = checkout.record(server)
    assert result.code == 4, result
    assert result.says("requests a pause of more than a year, but a run waits for 10 minutes at most. The same command")
