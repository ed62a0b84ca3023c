"""Headers of requests: which are credentials or transport, and which are treatments, on which an answer may depend."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

CUSTOM = "ANTHROPIC_CUSTOM_HEADERS"
"""The environment variable whose headers the SDK sends with every request."""
BETA = "anthropic-beta"
TRANSPORT = frozenset(
    (
        *("accept", "accept-encoding", "connection", "content-length", "content-type", "host", "idempotency-key"),
        *("keep-alive", "te", "transfer-encoding", "user-agent", "via", "forwarded", "cookie"),
        *("anthropic-workspace-id", "anthropic-dangerous-direct-browser-access", "x-api-key", "api-key"),
        *("openai-organization", "openai-project", "x-server-timeout"),
        *("x-request-id", "x-correlation-id", "x-client-request-id", "traceparent", "tracestate", "baggage", "b3"),
    )
)
"""Headers on which no answer depends: of the connection, credentials, and marks by which logs are joined."""
TRANSPORT_PREFIXES = ("x-stainless-", "x-amz-", "x-amzn-", "x-goog-", "x-b3-", "x-datadog-", "x-forwarded-", "sentry-")
CREDENTIAL = re.compile(r"(^|-)(authorization|auth|token|secret|(api|access|subscription|secret)-key)$|^cf-access-")
"""Matches the names that gateways give to credentials."""
CREDENTIAL_BETAS = frozenset({"oauth-2025-04-20", "oidc-federation-2026-04-01"})
"""The betas that the SDK sends with an OAuth token."""
VERSION = "anthropic-version"
"""The API's version, which the SDK chooses; a user's own choice is a treatment."""
NAME = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]+")
VALUE = re.compile(r"[!-~]([ -~]*[!-~])?")
BETA_NAME = re.compile(r"[A-Za-z0-9._-]+")


def is_transport(name: str) -> bool:
    """Return whether no answer depends on a header. name: in lower case."""
    return name in TRANSPORT or name.startswith(TRANSPORT_PREFIXES) or bool(CREDENTIAL.search(name))


def treatments(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the headers on which an answer may depend, with their names in lower case and the betas in order."""
    found: dict[str, str] = {}
    betas: set[str] = set()
    for given, value in headers:
        name = given.lower()
        if name == BETA:
            betas |= set(filter(None, map(str.strip, value.split(","))))
        elif not is_transport(name):
            found[name] = value
    return found | beta_header(betas)


def beta_header(betas: Iterable[str]) -> dict[str, str]:
    """Return the header of these betas, except those of credentials; empty without any."""
    return {BETA: ",".join(ordered)} if (ordered := sorted({*betas} - CREDENTIAL_BETAS)) else {}


def custom_headers() -> list[tuple[str, str]]:
    """Return the headers of ANTHROPIC_CUSTOM_HEADERS, read as the SDK reads them."""
    lines = (line.partition(":") for line in os.environ.get(CUSTOM, "").split("\n") if ":" in line)
    return [(name.strip(), value.strip()) for name, _, value in lines]


def as_lines(headers: Mapping[str, str]) -> str:
    """Return headers as text, one a line, in the order of their names."""
    return "\n".join(f"{name}: {value}" for name, value in sorted(headers.items()))
