"""A server that cannot count tokens, or describe its models, or does so in another shape: the asking goes on."""

from __future__ import annotations

import pytest

from tests.integration.conftest import LINES, PASSKEY, Checkout
from tests.live.server.shapes import NO_COUNTS, NO_MODELS
from tests.servers import SimulatedServer


@pytest.mark.parametrize("shape", ["html", "null", "negative", "not found"])
def test_lines_are_asked_whatever_counts_look_like(checkout: Checkout, server: SimulatedServer, shape: str) -> None:
    server.counting = NO_COUNTS[shape]
    result = checkout.record(server)
    assert result.code == 0
    assert result.says("Tokens by the profile.", "Asked 4 of 4 trials", "4 live")
    assert ("Tokens are taken from the profile, not counted" in result.out) == (shape != "not found")


@pytest.mark.parametrize("shape", ["html", "a list"])
def test_lines_are_asked_whatever_a_models_description_looks_like(
    checkout: Checkout, server: SimulatedServer, shape: str
) -> None:
    server.telling = NO_MODELS[shape]
    result = checkout.record(server)
    assert result.code == 0
    assert result.says("The window of toy is not known", "no description of a model", "Asked 4 of 4 trials")
    assert not checkout.file("fixtures/models/toy.toml").exists()


def test_passkeys_that_need_a_count_say_how_they_get_one(checkout: Checkout, server: SimulatedServer) -> None:
    """The lines are asked all the same, and the tests of the passkeys tell what the asking was told."""
    checkout.profile(LINES, PASSKEY)
    server.counting = NO_COUNTS["negative"]
    result = checkout.record(server)
    assert result.code == 1
    assert result.says(
        "toy: passkey cannot build its prompts, because its tokens could not be counted: the server's answer is no "
        "count of tokens (its input_tokens are -12); it begins with b'{\"input_tokens\": -12}'.",
        f"python -m longctx models probe toy --ask --base-url {server.url}",
        "Asked 4 of 4 trials",
        "invalid: toy: passkey cannot build its prompts, because its tokens could not be counted",
    )
    assert {row["error"] for row in checkout.rows() if row["test"] == "passkey"} == {"not_counted"}
    probed = checkout.longctx("models", "probe", "toy", "--ask", "--base-url", server.url)
    assert probed.code == 0
    again = checkout.record(server)
    assert again.code == 0
    assert again.says("Asked 4 of 4 trials", "4 live, 4 replayed")


def test_where_nothing_else_is_selected_nothing_is_asked(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(PASSKEY)
    server.counting = NO_COUNTS["html"]
    result = checkout.record(server)
    assert result.code == 4
    assert result.says("ERROR: toy: ", "[tokens-not-counted]", "it begins with b'<html>It works!</html>'.")
    assert not server.asked
