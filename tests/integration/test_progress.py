"""Live progress on a terminal, of the asking and of the tests, with and without workers; without one, nothing."""

from __future__ import annotations

import re

import pytest

from tests.integration.conftest import LINES, PASSKEY, RECORD_ONLY, UNEVEN, Checkout
from tests.integration.terminal import Shown, on_terminal
from tests.servers import Answer, Body, SimulatedServer, failing, right, saying

PRICES = "[prices]\ninput = 1000000\noutput = 0\ndated = 2026-01-01\n"
USAGE = {"input_tokens": 100, "output_tokens": 1}
FOREIGN = "def test_passes():\n    pass\n\ndef test_fails():\n    assert not 'of ours'\n"
CRASH = "import os\n\ndef test_crash():\n    os._exit(1)\n"
OURS = "replaying", "asking ", "trials, "
"""Words that only the progress lines of longctx hold."""


def summary(shown: Shown) -> str:
    """Return what the line of replayed trials says after its bar."""
    [line] = [line for line in shown.screen if line.startswith("replaying")]
    return line.split(maxsplit=2)[2]


def test_the_asking_is_shown_and_then_gone(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("fixtures/models/toy.toml").write_text(PRICES)
    server.script = saying("13", usage=USAGE)
    shown = on_terminal(
        checkout, f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-max-cost=999", env=RECORD_ONLY
    )
    assert shown.code == 0
    assert "4 of 4 trials, 404 tokens, $400.00, 0 in flight" in shown.text
    assert "line_retrieval on toy  0 of 4 correct, 0.00 [0.00, 0.49]" in shown.text
    assert any(line.startswith("Asked 4 of 4 trials") for line in shown.screen)
    assert not any("in flight" in line or "on toy  0" in line for line in shown.screen)


def test_without_prices_no_cost_is_shown(checkout: Checkout, server: SimulatedServer) -> None:
    shown = on_terminal(checkout, f"--ctx-base-url={server.url}", "--ctx-record=once", env=RECORD_ONLY)
    assert shown.code == 0
    assert "tokens, 0 in flight" in shown.text
    assert "4 of 4 correct" in shown.text


def test_what_is_not_answered_is_counted_apart(checkout: Checkout, server: SimulatedServer) -> None:
    def script(body: Body) -> Answer:
        return failing(400)(body) if "line 5:" in body["messages"][0]["content"] else right(body)

    server.script = script
    shown = on_terminal(checkout, f"--ctx-base-url={server.url}", "--ctx-record=once", env=RECORD_ONLY)
    assert shown.code == 1
    assert "4 of 4 trials" in shown.text
    assert "0 in flight, 2 failed" in shown.text
    assert "2 of 2 correct" in shown.text


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_the_tests_are_shown_in_place_of_letters(checkout: Checkout, server: SimulatedServer, workers: str) -> None:
    checkout.profile(LINES, PASSKEY)
    checkout.record(server, "-k", "not lines-5")
    shown = on_terminal(checkout, workers)
    assert shown.code == 1
    collected = next(number for number, line in enumerate(shown.screen) if line.endswith(("4 items", "[4 items]")))
    _, *rates, empty = shown.screen[collected + 1 : collected + 5]
    assert summary(shown) == "4 of 4 tests, 8 of 8 trials, 1 failed"
    assert sorted(" ".join(line.split()) for line in rates) == [
        "line_retrieval on toy 2 of 2 correct, 1.00 [0.34, 1.00]",
        "passkey on toy 4 of 4 correct, 1.00 [0.51, 1.00]",
    ]
    assert empty == ""
    assert "1 failed, 3 passed" in shown.screen[-2]
    assert not re.search(r"\[[ \d]{3}%\]", shown.text)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_test_that_fails_at_the_end_is_counted(checkout: Checkout, server: SimulatedServer, workers: str) -> None:
    checkout.profile(UNEVEN)
    server.script = saying("13")
    checkout.record(server)
    checkout.options(min_rate=0.8)
    shown = on_terminal(checkout, workers)
    assert shown.code == 1
    assert summary(shown) == "2 of 2 tests, 6 of 6 trials, 2 failed"


def test_other_peoples_tests_are_counted_too(recorded: Checkout) -> None:
    recorded.file("tests_longctx/test_foreign.py").write_text(FOREIGN)
    shown = on_terminal(recorded)
    assert summary(shown) == "4 of 4 tests, 4 of 4 trials, 1 failed"
    alone = on_terminal(recorded, "tests_longctx/test_foreign.py")
    assert any(line.startswith("tests_longctx/test_foreign.py .F") for line in alone.screen)
    assert "replaying" not in alone.text


def test_a_test_that_each_worker_runs_is_counted_once(recorded: Checkout) -> None:
    shown = on_terminal(recorded, "-n2", "--dist=each")
    assert summary(shown) == "2 of 2 tests, 4 of 4 trials"
    assert "line_retrieval on toy  4 of 4 correct" in shown.text


def test_a_worker_that_crashes_is_still_read_of(recorded: Checkout) -> None:
    recorded.file("tests_longctx/test_crash.py").write_text(CRASH)
    shown = on_terminal(recorded, "-n2")
    assert shown.code == 1
    assert any("node down: Not properly terminated" in line for line in shown.screen)
    assert any(line.startswith("replacing crashed worker gw") for line in shown.screen)
    assert summary(shown)
    assert any("1 failed, 2 passed" in line for line in shown.screen)


@pytest.mark.parametrize("option", ["-v", "-q", "-s"])
def test_where_pytest_is_told_how_to_print_it_does(recorded: Checkout, option: str) -> None:
    shown = on_terminal(recorded, option)
    assert shown.code == 0
    assert "replaying" not in shown.text
    assert ("PASSED" if option == "-v" else "..") in shown.text


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_without_a_terminal_nothing_is_shown(checkout: Checkout, server: SimulatedServer, workers: str) -> None:
    """Nothing is shown even if colours are forced, as many CI services do."""
    env = {"FORCE_COLOR": "1", "TERM": "xterm"}
    asked = checkout.record(server, workers, env=env)
    assert asked.code == 0
    assert "[100%]" in asked.out
    assert not any(part in asked.out + asked.err for part in OURS)
    assert asked.err == ""


def test_a_terminal_that_cannot_draw_over_shows_letters(checkout: Checkout, server: SimulatedServer) -> None:
    shown = on_terminal(checkout, f"--ctx-base-url={server.url}", "--ctx-record=once", env={"TERM": "dumb"})
    assert shown.code == 0
    assert any(line.startswith("tests_longctx/test_line_retrieval.py ..") for line in shown.screen)
    assert not any(part in shown.text for part in OURS)
