"""The variables by which SDKs and programs find their servers, keys and proxies, as they lead to the endpoint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from longctx.config.models import ANTHROPIC, CUSTOM, VENDORS
from longctx.functions.clients import ROOT_PATHS
from longctx.own_environment import Values, variable

KEY = "not-needed"
"""What is given as a key: the endpoint asks for none, and SDKs do."""
ADDRESSES = {
    "ANTHROPIC_BASE_URL": "anthropic",
    "ANTHROPIC_API_BASE": "anthropic",
    "OPENAI_BASE_URL": "openai",
    "OPENAI_API_BASE": "openai",
    "GOOGLE_GEMINI_BASE_URL": "google",
}
"""The variables that name a server, and the SDK whose requests it takes."""
KEYS = tuple(key for vendor in (ANTHROPIC, *VENDORS.values()) for key in vendor.keys if key != "ANTHROPIC_AUTH_TOKEN")
HIDDEN = ("ANTHROPIC_AUTH_TOKEN", CUSTOM, "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "GOOGLE_GENAI_USE_VERTEXAI")
"""Credentials beside the keys, and what leads an SDK elsewhere: they are not set for code under test."""
SWITCHES = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "NODE_USE_ENV_PROXY": "1"}
"""By the first, LiteLLM fetches no price list when it is imported; by the second, Node uses the proxy."""
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
NO_PROXY = "NO_PROXY"
HERE = ("127.0.0.1", "localhost", "::1")


def both_cases(names: Iterable[str]) -> Iterable[str]:
    """Yield each name as it is and in lower case: programs read either."""
    for name in names:
        yield name
        yield name.lower()


def variables(address: str, more_keys: Iterable[str]) -> Values:
    """Return the variables that lead SDKs to an address without a real key. more_keys: the project's own."""
    return {
        **{name: f"{address}{ROOT_PATHS[sdk]}" for name, sdk in ADDRESSES.items()},
        **dict.fromkeys((*KEYS, *more_keys), KEY),
        **dict.fromkeys(HIDDEN),
        **SWITCHES,
        **dict.fromkeys(
            both_cases([NO_PROXY]), ",".join(filter(None, [variable(NO_PROXY) or variable(NO_PROXY.lower()), *HERE]))
        ),
    }


def proxies(proxy: str, allowed: Sequence[str]) -> Values:
    """Return the variables by which programs come to a proxy, except to this machine and to hosts that a test allows.

    Where a test allows hosts that a proxy of the person's own may lead to, that one stays.
    """
    if allowed and any(map(variable, both_cases(PROXIES))):
        return {}
    direct = ",".join([*HERE, *(host.rpartition(":")[0] or host for host in map(_suffix, allowed))])
    return dict.fromkeys(both_cases(PROXIES), proxy) | dict.fromkeys(both_cases([NO_PROXY]), direct)


def _suffix(pattern: str) -> str:
    """Return a pattern of hosts as NO_PROXY has it."""
    return pattern.removeprefix("*") or pattern
