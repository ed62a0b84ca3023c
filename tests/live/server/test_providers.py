"""Bedrock, Vertex and Foundry are asked by their own clients, and recorded and replayed like any server."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longctx.cells.cell import Trial
from longctx.live.server.client import open_client
from longctx.live.server.counting import with_server_facts
from longctx.recording.tape import Tape
from longctx.workspace import Workspace
from tests.protocols import Passkey
from tests.providers import ENVIRONMENTS, SECRETS, VARIABLES, ProviderServer
from tests.recording.examples import line_cell, passkey_cell, place, send
from tests.refusals import refused

THERE = {"bedrock": "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.toy-v1:0", "vertex": "toy@20260101"}
"""The ids of the model at its providers."""


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture(params=ENVIRONMENTS)
def profile(
    request: pytest.FixtureRequest, server: ProviderServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> dict[str, Any]:
    """Return the settings of a model at a provider, and set the provider's credentials."""
    for name, value in ENVIRONMENTS[request.param](server.url, tmp_path).items():
        monkeypatch.setenv(name, value)
    provider = request.param.partition(" ")[0]
    return {"provider": provider, "provider_model": THERE.get(provider, "")}


def test_a_question_is_recorded_and_replayed(server: ProviderServer, profile: dict[str, Any], tmp_path: Path) -> None:
    cell = line_cell(extra_body={"temperature": 0}, effort="low", **profile)
    trial, folder = Trial(cell, 0), tmp_path / "tape"

    asked = asyncio.run(send(open_client(Tape(folder, "once"), None, 4, profile["provider"]), trial))

    assert [body["model"] for body in server.asked] == [cell.model.sent_as]
    assert server.asked[0]["temperature"] == 0
    reply = Tape(folder).reply(place(cell))
    assert reply is not None
    assert reply.text == asked.content[0].text == trial.build().expected
    kept = "".join(path.read_text() for path in folder.rglob("*") if path.is_file())
    assert not [secret for secret in SECRETS if secret in kept]
    assert server.url not in kept

    elsewhere = line_cell(extra_body={"temperature": 0}, effort="low")
    assert Tape(folder).reply(place(elsewhere)) == reply, "the same question, whoever is asked"


def test_what_is_recorded_is_played_without_the_network(
    server: ProviderServer, profile: dict[str, Any], tmp_path: Path
) -> None:
    trial = Trial(line_cell(**profile), 0)

    def ask() -> Any:
        return asyncio.run(send(open_client(Tape(tmp_path / "tape", "once"), None, 4, profile["provider"]), trial))

    first = ask()
    assert ask() == first
    assert len(server.asked) == 1


def test_tokens_are_counted_where_the_provider_counts_them(
    server: ProviderServer, profile: dict[str, Any], tmp_path: Path
) -> None:
    cell = passkey_cell(measured=(), **profile)

    async def run() -> Any:
        async with open_client(Tape(tmp_path), None, 4, profile["provider"]) as client:
            return (await with_server_facts(Workspace(tmp_path), client, [cell], print))[0]

    if profile["provider"] == "bedrock":
        with refused("tokens-not-counted", "toy", "not supported in Bedrock"):
            asyncio.run(run())
    else:
        [reply] = asyncio.run(run())
        assert reply.token_values
        counted = [request.body for request in server.received if request.path == "/v1/messages/count_tokens"]
        assert [body["model"] for body in counted] == [cell.model.sent_as] * len(
            Passkey.declared.counts.probes(cell.wording.templates)
        )


def opened(tmp_path: Path, provider: str) -> object:
    return open_client(Tape(tmp_path), None, 4, provider)


@pytest.mark.parametrize(
    ("provider", "environment", "code", "name"),
    [
        ("bedrock", {"AWS_REGION": "eu-west-1"}, "no-aws-credentials", "AWS_PROFILE"),
        ("bedrock", {"AWS_PROFILE": "nobody"}, "bad-aws-credentials", "nobody"),
        ("bedrock", {"AWS_BEARER_TOKEN_BEDROCK": "x"}, "bad-client-settings", "AWS region"),
        (
            "vertex",
            {"GOOGLE_APPLICATION_CREDENTIALS": "/none.json"},
            "no-google-credentials",
            "/none.json",
        ),
        ("foundry", {}, "no-foundry-key", "ANTHROPIC_FOUNDRY_API_KEY"),
        ("foundry", {"ANTHROPIC_FOUNDRY_API_KEY": "x"}, "bad-client-settings", "ANTHROPIC_FOUNDRY_RESOURCE"),
    ],
)
def test_what_is_missing_is_reported_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str, environment: dict[str, str], code: str, name: str
) -> None:
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    with refused(code, name):
        opened(tmp_path, provider)


@pytest.mark.parametrize("lacks", ["project_id", "region", "token"])
def test_what_lacks_of_vertex(
    server: ProviderServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacks: str
) -> None:
    environment = ENVIRONMENTS["vertex"](server.url, tmp_path)
    if lacks == "region":
        del environment["CLOUD_ML_REGION"]
    account = json.loads((tmp_path / "account.json").read_text())
    if lacks == "project_id":
        del account["project_id"]
    if lacks == "token":
        account["token_uri"] = f"{server.url}/nowhere"
    (tmp_path / "account.json").write_text(json.dumps(account))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    codes = {"project_id": "no-google-project", "region": "bad-client-settings", "token": "no-google-credentials"}
    with refused(codes[lacks]):
        opened(tmp_path, "vertex")


@pytest.mark.parametrize(("provider", "package"), [("bedrock", "boto3"), ("vertex", "google.auth")])
def test_a_package_that_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with refused("provider-package-missing", provider, package):
        opened(tmp_path, provider)
