"""Betas and headers of a model's profile, and those that ANTHROPIC_CUSTOM_HEADERS adds to every request."""

from __future__ import annotations

import pytest

from tests.batch_server import BatchServer
from tests.integration.conftest import Checkout
from tests.providers import ENVIRONMENTS, ProviderServer
from tests.servers import SimulatedServer

CUSTOM = "ANTHROPIC_CUSTOM_HEADERS"
PROFILE = "fixtures/models/toy.toml"


def test_betas_and_headers_are_sent_and_make_other_recordings_stale(
    checkout: Checkout, server: SimulatedServer
) -> None:
    """docs/security.md, undeclared-header"""
    checkout.file(PROFILE).write_text('betas = ["b-1", "a-2"]\nheaders = { x-mode = "long" }\n')
    assert checkout.record(server, "-n1").code == 0
    paths = {request.path: request.headers for request in server.received}
    for path in ("/v1/messages", "/v1/messages/count_tokens"):
        assert (paths[path]["anthropic-beta"], paths[path]["x-mode"]) == ("a-2,b-1", "long")
    assert checkout.pytest().code == 0
    checkout.file(PROFILE).write_text("")
    stale = checkout.pytest()
    assert stale.code == 1
    assert stale.says("2 of 2 trials are stale: it was recorded with the headers anthropic-beta: a-2,b-1; x-mode: long")


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("anthropic-beta: long-2026", "beta-not-declared"),
        ("Anthropic-Beta: oauth-2025-04-20,long-2026", "beta-not-declared"),
        ("x-mode: secret", "header-not-declared"),
        ("anthropic-version: 2023-06-01", "header-not-declared"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--ctx-batch",)])
def test_a_header_that_no_profile_declares_is_refused(
    checkout: Checkout, header: str, code: str, more: tuple[str, ...]
) -> None:
    """docs/security.md, undeclared-header"""
    with BatchServer() as server:
        result = checkout.record(server, *more, env={CUSTOM: header})
        assert result.code == 4
        assert result.says(f"[{code}]", CUSTOM)
        assert "secret" not in result.out + result.err
        assert not server.received


@pytest.mark.parametrize(
    ("header", "profile"),
    [
        ("anthropic-beta: long-2026", 'betas = ["long-2026"]'),
        ("X-Mode: long", 'headers = { x-mode = "long" }'),
        ("anthropic-version: 2023-06-01", 'headers = { anthropic-version = "2023-06-01" }'),
        ("X-Team: secret", 'transport_headers = ["x-team"]'),
        ("cf-aig-authorization: Bearer secret", ""),
    ],
)
def test_a_header_that_is_declared_or_a_credential_is_sent(
    checkout: Checkout, server: SimulatedServer, header: str, profile: str
) -> None:
    name, _, value = header.partition(": ")
    checkout.file(PROFILE).write_text(profile)
    result = checkout.record(server, env={CUSTOM: header})
    assert result.code == 0, result.out + result.err
    assert {request.headers[name.lower()] for request in server.received} == {value}
    assert checkout.pytest().code == 0
    assert not [content for content in checkout.cassettes().values() if b"secret" in content]


def test_a_batch_gives_no_question_headers_of_its_own(checkout: Checkout) -> None:
    checkout.file(PROFILE).write_text('headers = { x-mode = "long" }')
    with BatchServer() as server:
        result = checkout.record(server, "--ctx-batch")
        assert (result.code, result.says("[headers-in-batch]", "x-mode")) == (4, True)
        assert not server.received


@pytest.mark.parametrize("provider", ["bedrock", "vertex"])
def test_betas_go_through_other_providers(checkout: Checkout, provider: str) -> None:
    checkout.file(PROFILE).write_text(f'provider = "{provider}"\nbetas = ["long-2026"]\n')
    with ProviderServer() as server:
        env = {**ENVIRONMENTS[provider](server.url, checkout.folder.parent), "AWS_EC2_METADATA_DISABLED": "true"}
        result = checkout.pytest("--ctx-record=once", env=env)
        assert result.code == 0, result.out + result.err
        asked = [request for request in server.sent if "messages" in request.body and "max_tokens" in request.body]
        assert {request.headers["anthropic-beta"] for request in asked} == {"long-2026"}
    assert checkout.pytest().code == 0


def test_a_gate_names_a_changed_beta(recorded: Checkout, server: SimulatedServer) -> None:
    recorded.pytest("--ctx-report=before")
    recorded.file(PROFILE).write_text('betas = ["long-2026"]')
    result = recorded.record(server, "--ctx-baseline=before", mode="new_episodes")
    assert result.says("headers of toy: none → anthropic-beta: long-2026")
