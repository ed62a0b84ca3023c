"""How many requests are in flight, against servers that are simulated in virtual time."""

from __future__ import annotations

import math

import pytest

from tests.live.clients import Told
from tests.live.slotted import HOST, Slotted, ask, seconds
from tests.recording.examples import line_cell

TRIALS = 200


@pytest.mark.parametrize("answer_s", [2.0, 20.0])
@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_a_server_of_one_slot_takes_no_longer(answer_s: float, spread: float) -> None:
    """Nor does an answer come too late, which 32 in flight would cause."""
    fixed, grown = (seconds(Slotted(1, answer_s, spread), most, TRIALS) for most in (4, 32))
    assert grown <= 1.05 * fixed


@pytest.mark.parametrize(("slots", "at_most_s", "most"), [(16, 36, 32), (math.inf, 28, 32), (4, 101, 32)])
def test_a_larger_one_is_used(slots: float, at_most_s: float, most: int) -> None:
    server = Slotted(slots, 2.0)
    assert seconds(server, 32, TRIALS) <= at_most_s
    assert server.most == most


@pytest.mark.parametrize("ceiling", [1, 4, 6, 12])
def test_what_a_user_sets_is_not_exceeded(ceiling: int) -> None:
    server = Slotted(math.inf, 2.0)
    seconds(server, ceiling, TRIALS)
    assert server.most == ceiling


def test_what_one_server_refuses_holds_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both together have no more in flight than a user allows."""
    monkeypatch.setenv("LONGCTX_TRUSTED_HOSTS", "slow.test,quick.test")
    slow, quick = Slotted(math.inf, 2.0, pause_s=300), Slotted(math.inf, 2.0)
    names = {"SLOW_API_KEY": "slow.test", "QUICK_API_KEY": "quick.test"}
    cells = []
    for key, host in names.items():
        monkeypatch.setenv(key, "key")
        cells.append(line_cell(trials=40, model=host, api="openai-chat", base_url=f"https://{host}", key=key))
    told = Told()
    asked = ask(cells, {"slow.test": slow, "quick.test": quick}, 8, told)
    assert asked.answered == 80, asked
    assert slow.ended > 300
    assert quick.ended <= 40
    assert " (8 before a 429 of https://slow.test), 1 retry" in told.notes
    assert told.most_in_flight <= 8


def test_the_progress_tells_of_retries_and_why_the_limit_fell() -> None:
    told = Told()
    ask([line_cell(trials=60)], {HOST: Slotted(1, 2.0)}, 32, told)
    assert list(dict.fromkeys(told.notes)) == ["", " (it answers one at a time)", " (2 were no faster)"]
    told = Told()
    ask([line_cell(trials=60)], {HOST: Slotted(math.inf, 2.0, bears=10)}, 32, told)
    assert " (16 before a 429), 1 retry" in told.notes
    assert told.notes[-1].endswith("retries")
