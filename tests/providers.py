"""A local server that simulates Bedrock, Vertex and Foundry, with made-up credentials. It is no model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.servers import Answer, Received, SimulatedServer, failing

Environment = dict[str, str]

SECRETS = "AKIAFAKE", "secret-key", "secret-session", "secret-token", "AWS4-HMAC-SHA256", "Signature=", "Bearer"
"""Parts of credentials, which no file may hold after a run."""

VARIABLES = (
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE"),
    *("AWS_REGION", "AWS_DEFAULT_REGION", "ANTHROPIC_BEDROCK_BASE_URL"),
    *("GOOGLE_APPLICATION_CREDENTIALS", "CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID", "ANTHROPIC_VERTEX_BASE_URL"),
    *("ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_FOUNDRY_RESOURCE", "ANTHROPIC_FOUNDRY_BASE_URL", "ANTHROPIC_API_KEY"),
)
"""Environment variables that the tests of providers unset first."""

BEDROCK = re.compile(r"/model/([^/]+)/invoke")
VERTEX = re.compile(r"/v1/projects/a-project/locations/europe-west1/publishers/anthropic/models/([^/]+):rawPredict")


class ProviderServer(SimulatedServer):
    """A server that answers at the paths of the providers, checks their credentials, and grants tokens as Google does.

    sent: the requests as they came. `received` holds them as the Messages API would have received them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Received] = []

    def answer(self, request: Received) -> Answer:
        self.sent.append(request)
        if request.path == "/token":
            return 200, {}, json.dumps({"access_token": "secret-token", "expires_in": 3600}).encode()
        key = request.headers.get("x-api-key") or request.headers.get("authorization", "")
        if not any(secret in key for secret in SECRETS):
            return failing(401, "no such credentials")({})
        return super().answer(_as_messages(request))


def _as_messages(request: Received) -> Received:
    body = {name: value for name, value in request.body.items() if name != "anthropic_version"}
    if matched := BEDROCK.fullmatch(request.path) or VERTEX.fullmatch(request.path):
        assert request.body["anthropic_version"]
        if matched[1] == "count-tokens":
            return Received("/v1/messages/count_tokens", request.headers, body)
        assert "model" not in request.body
        return Received("/v1/messages", request.headers, body | {"model": unquote(matched[1])})
    return Received(request.path.removeprefix("/anthropic"), request.headers, body)


def bedrock(url: str, folder: Path) -> Environment:
    key = {
        "AWS_ACCESS_KEY_ID": "AKIAFAKE",
        "AWS_SECRET_ACCESS_KEY": "secret-key",
        "AWS_SESSION_TOKEN": "secret-session",
    }
    return {**key, "AWS_REGION": "eu-west-1", "ANTHROPIC_BEDROCK_BASE_URL": url}


def bedrock_by_token(url: str, folder: Path) -> Environment:
    return {
        "AWS_BEARER_TOKEN_BEDROCK": "secret-token",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "ANTHROPIC_BEDROCK_BASE_URL": url,
    }


def vertex(url: str, folder: Path) -> Environment:
    """Write the key file of a service account, with a new private key, and return the environment that names it."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    account = {
        "type": "service_account",
        "project_id": "a-project",
        "private_key_id": "1",
        "private_key": private.decode(),
        "client_email": "tester@a-project.test",
        "token_uri": f"{url}/token",
    }
    file = folder / "account.json"
    file.write_text(json.dumps(account))
    return {
        "GOOGLE_APPLICATION_CREDENTIALS": str(file),
        "CLOUD_ML_REGION": "europe-west1",
        "ANTHROPIC_VERTEX_BASE_URL": f"{url}/v1",
    }


def foundry(url: str, folder: Path) -> Environment:
    return {"ANTHROPIC_FOUNDRY_API_KEY": "secret-key", "ANTHROPIC_FOUNDRY_BASE_URL": f"{url}/anthropic"}


ENVIRONMENTS: dict[str, Callable[[str, Path], Environment]] = {
    "bedrock": bedrock,
    "bedrock by token": bedrock_by_token,
    "vertex": vertex,
    "foundry": foundry,
}
