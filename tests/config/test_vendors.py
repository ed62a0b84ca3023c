"""The vendors beside Anthropic: every API has one, and their hosts name the SDK's client on the recordings."""

from __future__ import annotations

import pytest

from longctx.config.models import OF_APIS, VENDORS, sdk_at
from longctx.recording.apis import APIS


def test_every_api_has_its_vendor() -> None:
    assert {name: api.VENDOR for name, api in APIS.items()} == {**OF_APIS, "anthropic": "anthropic"}
    assert {*OF_APIS.values()} == VENDORS.keys()


@pytest.mark.parametrize(
    ("host", "sdk"),
    [
        ("api.openai.com", "openai"),
        ("generativelanguage.googleapis.com", "google"),
        ("api.anthropic.com", ""),
        ("127.0.0.1:8080", ""),
        ("api.openai.com.stranger.test", ""),
    ],
)
def test_a_vendor_s_host_names_its_sdk(host: str, sdk: str) -> None:
    assert sdk_at(host) == sdk
