"""The digests of the parts of a request: model, system, tools, messages, and parameters, which are the rest."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from longctx.recording.apis import api_at, chat, messages
from longctx.recording.request import canonical, joined
from longctx.results.parts import as_mapping

PART_OF = {
    "model": "model",
    "system": "system",
    "instructions": "system",
    "systemInstruction": "system",
    "system_instruction": "system",
    "tools": "tools",
    "tool_choice": "tools",
    "toolConfig": "tools",
    "tool_config": "tools",
    "messages": "messages",
    "input": "messages",
    "contents": "messages",
}
"""The part of each field of a request, in all APIs; all others are parameters."""
SYSTEM_ROLES = ("system", "developer")
SHORT = 8
"""The characters of a digest: a change goes unseen in one of four billion."""


def parts_of(body: Mapping[str, Any], headers: Mapping[str, str] | None = None, path: str = messages.PATH) -> str:
    """Return the digest of each part that a request has, as in `messages=0a1b2c3d system=4e5f6a7b`, sorted by name."""
    api = api_at(path) or messages
    parts: dict[str, dict[str, Any]] = defaultdict(dict)
    for name, value in body.items():
        if name not in api.TRANSPORT_ONLY:
            parts[PART_OF.get(name, "parameters")][name] = joined(value) if api is messages else value
    if api is chat and isinstance(turns := parts["messages"].get("messages"), list):
        of_system = [turn for turn in turns if isinstance(turn, Mapping) and turn.get("role") in SYSTEM_ROLES]
        if of_system:
            parts["system"]["messages"] = of_system
            parts["messages"]["messages"] = [turn for turn in turns if turn not in of_system]
    if headers:
        parts["parameters"]["headers"] = dict(headers)
    return " ".join(f"{name}={_digest(parts[name])}" for name in sorted(parts) if parts[name])


def in_all(requests: Sequence[str]) -> str | None:
    """Return the parts of several requests as those of one; None if those of any are not known."""
    if not requests or not all(requests):
        return None
    several = [as_mapping(request) for request in requests]
    if len(several) == 1:
        return requests[0]
    names = sorted({name for parts in several for name in parts})
    return " ".join(f"{name}={_digest([parts.get(name) for parts in several])}" for name in names)


def _digest(content: object) -> str:
    sha256 = hashlib.sha256()
    for piece in canonical(content):
        sha256.update(piece)
    return sha256.hexdigest()[:SHORT]
