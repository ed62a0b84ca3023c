"""How many requests are in flight, against servers that are simulated in virtual time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import httpx2
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


@dataclass(slots=True)
class Llama(Slotted):
    """llama-server, which tells how many requests it answers at once."""

    told: bytes = b"[{}, {}, {}, {}]"
    enquiries: int = 0

    async def answer(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/slots":
            self.enquiries += 1
            return httpx2.Response(200, content=self.told, request=request)
        answered = await Slotted.answer(self, request)
        answered.headers["server"] = "llama.cpp"
        return answered


def test_llama_server_tells_how_many_it_answers_at_once() -> None:
    class Numbers(Told):
        def in_flight(self, number: int, note: str = "") -> None:
            Told.in_flight(self, number, note)
            numbers.append(number)

    numbers: list[int] = []
    server = Llama(4, 2.0)
    asked = ask([line_cell(trials=60)], {HOST: server}, 32, Numbers())
    assert (asked.answered, server.enquiries) == (60, 1)
    assert max(numbers) == 16, "before the first answer"
    assert max(numbers[40:]) <= 8, "four, and a doubling that is tried"
    assert server.ended <= 1.05 * 60 / 4 * 2.0


def test_it_is_asked_at_its_root_by_other_apis_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGCTX_TRUSTED_HOSTS", "llama.test")
    monkeypatch.setenv("LLAMA_API_KEY", "key")
    server = Llama(4, 2.0)
    model = {"model": "llama", "api": "openai-chat", "base_url": "https://llama.test/v1", "key": "LLAMA_API_KEY"}
    assert ask([line_cell(trials=20, **model)], {"llama.test": server}, 32).answered == 20
    assert server.enquiries == 1


@pytest.mark.parametrize("told", [b"{}", b"[]", b"no", b"[" * 9999, b'"12"'])
def test_what_it_tells_otherwise_is_left_alone(told: bytes) -> None:
    server = Llama(math.inf, 2.0, told=told)
    assert ask([line_cell(trials=40)], {HOST: server}, 32).answered == 40
    assert (server.enquiries, server.most >= 16) == (1, True)


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
