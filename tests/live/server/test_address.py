"""Which servers that a file names may get a key."""

from __future__ import annotations

import pytest

from longctx.live.server.addresses import CREDENTIALS, TRUSTED_HOSTS, check_key_may_be_sent
from tests.refusals import refused


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*CREDENTIALS, TRUSTED_HOSTS, "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-1")


@pytest.mark.parametrize(
    "base_url",
    [
        "https://stranger.test",
        "http://api.anthropic.com",
        "https://api.anthropic.com:8443",
        "https://api.anthropic.com.stranger.test",
        "https://api.anthropic.com@stranger.test",
        "https://stranger.test/api.anthropic.com",
        "http://127.0.0.1:8080",
        "http://localhost:8080",
    ],
)
def test_a_server_that_only_a_file_names(base_url: str) -> None:
    """docs/security.md, ledger-server."""
    with refused("server-not-confirmed", "batch.json", base_url):
        check_key_may_be_sent(base_url, "batch.json")


def test_the_providers_own() -> None:
    check_key_may_be_sent("https://api.anthropic.com/", "batch.json")


def test_what_the_person_typed_is_confirmed_and_nothing_else() -> None:
    check_key_may_be_sent("https://mine.test/v1", "batch.json", "https://mine.test")
    with refused("server-not-confirmed"):
        check_key_may_be_sent("https://stranger.test", "batch.json", "https://mine.test")
    with refused("server-not-confirmed"):
        check_key_may_be_sent("http://mine.test", "batch.json", "https://mine.test")


def test_the_server_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://mine.test")
    check_key_may_be_sent("https://mine.test", "batch.json")


@pytest.mark.parametrize("listed", ["mine.test", "other.test, MINE.test ", "mine.test:8080"])
def test_hosts_that_are_listed(monkeypatch: pytest.MonkeyPatch, listed: str) -> None:
    monkeypatch.setenv(TRUSTED_HOSTS, listed)
    check_key_may_be_sent("http://mine.test:8080", "batch.json")
    for other in ("http://mine.test.stranger.test:8080", "http://st.test/mine.test:8080", "http://mine.test@st.test"):
        with refused("server-not-confirmed"):
            check_key_may_be_sent(other, "batch.json")


def test_an_empty_list_trusts_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRUSTED_HOSTS, " , ")
    with refused("server-not-confirmed"):
        check_key_may_be_sent("http://stranger.test", "batch.json")


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:8080"])
def test_this_machine_may_be_asked_without_a_key(monkeypatch: pytest.MonkeyPatch, base_url: str) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    check_key_may_be_sent(base_url, "batch.json")
    with refused("server-not-confirmed"):
        check_key_may_be_sent(base_url, "batch.json", provider="bedrock")
    for stranger in ("http://stranger.test", "http://127.0.0.1.stranger.test", "http://10.0.0.1"):
        with refused("server-not-confirmed"):
            check_key_may_be_sent(stranger, "batch.json")


@pytest.mark.parametrize("name", CREDENTIALS)
def test_each_credential_of_the_environment_counts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv(name, "x-key: 1")
    with refused("server-not-confirmed"):
        check_key_may_be_sent("http://127.0.0.1:8080", "batch.json")
