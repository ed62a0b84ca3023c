"""`provider` in a model's profile: a run that asks through it, and a replay that needs nothing of it."""

from __future__ import annotations

import pytest

from tests.integration.conftest import Checkout
from tests.providers import ENVIRONMENTS, SECRETS, ProviderServer


@pytest.mark.parametrize("provider", ["bedrock", "vertex"])
def test_a_run_through_a_provider_is_replayed_without_it(checkout: Checkout, provider: str) -> None:
    profile = checkout.file("fixtures/models/toy.toml")
    profile.write_text(f'provider = "{provider}"\nprovider_model = "there.toy-v1:0"\n')
    with ProviderServer() as server:
        env = {**ENVIRONMENTS[provider](server.url, checkout.folder.parent), "AWS_EC2_METADATA_DISABLED": "true"}
        result = checkout.pytest("--ctx-record=once", env=env)
        assert result.code == 0, result.out + result.err
        assert [body["model"] for body in server.asked] == ["there.toy-v1:0"] * 4
    assert checkout.pytest().code == 0
    assert {row["model"] for row in checkout.rows()} == {"toy"}
    kept = [path for path in checkout.folder.rglob("*.json*") if path.is_file()]
    assert kept
    assert not [secret for secret in SECRETS for path in kept if secret in path.read_text()]


def test_missing_credentials_are_reported_before_anything_is_asked(checkout: Checkout) -> None:
    checkout.file("fixtures/models/toy.toml").write_text('provider = "foundry"\n')
    result = checkout.pytest("--ctx-record=once")
    assert result.code == 4
    assert result.says("[no-foundry-key]")
