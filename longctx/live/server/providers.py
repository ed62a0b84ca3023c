"""The SDK's clients for the providers of model profiles. Credentials, region and project come from the environment.

A missing one is reported before any request is sent.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import TypedDict

from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncAnthropicFoundry, AsyncAnthropicVertex
from anthropic import DefaultAsyncHttpxClient as HttpClient

from longctx.config.models import OF_APIS, ModelProfile
from longctx.errors import UserError

Client = AsyncAnthropic | AsyncAnthropicBedrock | AsyncAnthropicVertex
"""A client of the SDK. All have `messages`, `base_url` and `close`; Foundry's is an AsyncAnthropic."""

GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform"

NEEDED = {"bedrock": "boto3", "vertex": "google-auth[requests]"}
"""The additional package that a provider needs, pinned in requirements-providers.txt and an extra of longctx."""


class ClientSettings(TypedDict):
    """The settings of every client."""

    max_retries: int
    http_client: HttpClient


def provider_of(model: ModelProfile) -> str:
    """Return the provider of a model: that of the Messages API, or the vendor of another API, whoever serves it."""
    return OF_APIS.get(model.api, model.provider)


def open_bedrock(base_url: str | None, settings: ClientSettings) -> AsyncAnthropicBedrock:
    """Return a client of Bedrock. Raises UserError without credentials, ValueError without a region."""
    if not os.environ.get("AWS_BEARER_TOKEN_BEDROCK"):
        boto3 = _needed("boto3", "bedrock")
        failures = _needed("botocore.exceptions", "bedrock").BotoCoreError
        try:
            credentials = boto3.Session().get_credentials()
        except failures as error:
            raise UserError(
                "bad-aws-credentials",
                f"AWS credentials cannot be used: {error}. Check AWS_PROFILE and your AWS configuration.",
            ) from None
        if credentials is None:
            raise UserError(
                "no-aws-credentials",
                "No AWS credentials were found for Bedrock: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and "
                "AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.",
            )
    return AsyncAnthropicBedrock(base_url=base_url, **settings)


def open_vertex(base_url: str | None, settings: ClientSettings) -> AsyncAnthropicVertex:
    """Return a client of Vertex. Raises UserError without credentials or a project, ValueError without a region."""
    auth = _needed("google.auth", "vertex")
    failures = _needed("google.auth.exceptions", "vertex").GoogleAuthError
    request = _needed("google.auth.transport.requests", "vertex").Request
    try:
        credentials, project = auth.default(scopes=[GOOGLE_SCOPE])
        credentials.refresh(request())
    except failures as error:
        raise UserError(
            "no-google-credentials",
            f"No Google credentials were found for Vertex ({error}): set GOOGLE_APPLICATION_CREDENTIALS to a key file, "
            "or run gcloud auth application-default login.",
        ) from None
    project = os.environ.get("ANTHROPIC_VERTEX_PROJECT_ID") or project
    if not project:
        raise UserError(
            "no-google-project", "No Google Cloud project was given for Vertex: set ANTHROPIC_VERTEX_PROJECT_ID."
        )
    return AsyncAnthropicVertex(project_id=project, credentials=credentials, base_url=base_url, **settings)


def open_foundry(base_url: str | None, settings: ClientSettings) -> AsyncAnthropicFoundry:
    """Return a client of Foundry. Raises UserError without a key, ValueError without a resource."""
    if not os.environ.get("ANTHROPIC_FOUNDRY_API_KEY"):
        raise UserError(
            "no-foundry-key",
            "No API key was found for Foundry: set ANTHROPIC_FOUNDRY_API_KEY, and ANTHROPIC_FOUNDRY_RESOURCE to the "
            "name of your resource.",
        )
    if base_url is not None:
        return AsyncAnthropicFoundry(base_url=base_url, **settings)
    return AsyncAnthropicFoundry(**settings)


def _needed(module: str, provider: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UserError(
            "provider-package-missing",
            f"The provider {provider!r} needs a package that is not installed ({error}): "
            f"pip install '{NEEDED[provider]}'.",
        ) from None
