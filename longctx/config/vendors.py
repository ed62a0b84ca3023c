"""The vendors whose APIs are asked beside Anthropic's: their servers and the environment variables of their SDKs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor, and where its own SDK finds server and key."""

    name: str
    server: str
    address: str
    """The environment variable that names another server."""
    keys: tuple[str, ...]
    """The environment variables of the key, the first of which counts if several are set."""


VENDORS = {
    "openai": Vendor("OpenAI", "https://api.openai.com", "OPENAI_BASE_URL", ("OPENAI_API_KEY",)),
    "google": Vendor(
        "Google",
        "https://generativelanguage.googleapis.com",
        "GOOGLE_GEMINI_BASE_URL",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    ),
}
"""By the names of their SDKs in `ask.client(…)`."""
OF_APIS = {"openai-chat": "openai", "openai-responses": "openai", "gemini": "google"}
"""The vendor of each API."""


def sdk_at(host: str) -> str:
    """Return the name in `ask.client(…)` of the SDK whose vendor has this host; empty for Anthropic's and any other."""
    return next((sdk for sdk, vendor in VENDORS.items() if vendor.server == f"https://{host}"), "")
