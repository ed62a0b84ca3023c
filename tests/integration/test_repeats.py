"""--ctx-repeats: the same prompt asked again, each answer its own."""

from __future__ import annotations

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer, saying


def test_each_repeat_is_asked_and_replayed_as_it_was(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = lambda body: saying(str(len(server.asked)))(body)
    three = ("--ctx-repeats=3", "--ctx-concurrency=1", "-k", "lines-3")
    assert checkout.record(server, *three).code == 0
    prompts = [body["messages"][0]["content"] for body in server.asked]
    assert (len(prompts), len(set(prompts))) == (6, 2)
    rows = checkout.rows()
    assert [(row["trial"], row["repeat"]) for row in rows] == [
        (trial, repeat) for trial in (0, 1) for repeat in range(3)
    ]
    assert len({row["returned"] for row in rows}) == 6
    assert checkout.pytest(*three).code == 0
    assert [row["returned"] for row in checkout.rows()] == [row["returned"] for row in rows]
    assert "n=6" in checkout.pytest(*three).out
