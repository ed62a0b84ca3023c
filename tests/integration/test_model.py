"""--ctx-model: whom to ask, instead of the profile's models."""

from __future__ import annotations

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer, saying


def test_it_may_be_given_more_than_once(checkout: Checkout, server: SimulatedServer) -> None:
    both = ("--ctx-model=a", "--ctx-model=org/b:7")
    assert checkout.record(server, *both).code == 0
    assert [body["model"] for body in server.asked].count("a") == 4
    assert [body["model"] for body in server.asked].count("org/b:7") == 4
    assert {row["model"] for row in checkout.rows()} == {"a", "org/b:7"}
    assert {name.split("/")[0] for name in checkout.cassettes()} == {"a", "org_b_7"}
    assert checkout.pytest(*both).code == 0


def test_a_model_that_was_not_recorded(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.record(server)
    result = checkout.pytest("--ctx-model=other")
    assert result.code == 1
    assert result.says("no recording in cassettes/other/", "--ctx-record once")


def test_the_profile_of_a_model_is_used(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("fixtures/models/a.toml").write_text("extra_body = { temperature = 0.5, max_tokens = 30 }\n")
    assert checkout.record(server, "--ctx-model=a", "-k", "lines-3").code == 0
    assert [(body["temperature"], body["max_tokens"]) for body in server.asked] == [(0.5, 30)] * 2


def test_how_a_model_thinks_is_part_of_the_question(checkout: Checkout, server: SimulatedServer) -> None:
    profile = checkout.file("fixtures/models/a.toml")
    profile.write_text('system = "Be terse."\nthinking = { type = "adaptive" }\neffort = "low"\n')
    assert checkout.record(server, "--ctx-model=a", "-k", "lines-3").code == 0
    asked = [(body["system"], body["thinking"], body["output_config"]) for body in server.asked]
    assert asked == [("Be terse.", {"type": "adaptive"}, {"effort": "low"})] * 2
    assert checkout.pytest("--ctx-model=a", "-k", "lines-3").code == 0
    profile.write_text(profile.read_text().replace("low", "high"))
    result = checkout.pytest("--ctx-model=a", "-k", "lines-3")
    assert result.code == 1
    assert result.says("2 of 2 trials are stale")


def test_the_model_that_answered_is_kept_beside_the_one_asked(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = saying("42", model="a-2026-01-01")
    checkout.record(server, "--ctx-model=a")
    assert {(row["model"], row["model_returned"]) for row in checkout.rows()} == {("a", "a-2026-01-01")}
