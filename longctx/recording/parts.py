"""The digests of the parts of a request: model, system, tools, messages, and parameters, which are the rest."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from longctx.recording.apis import api_at, chat, messages
from longctx.recording.request import canonical, digest_of_fields, fields_of, in_braces
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
    return _parts(body, fields_of(body, path), headers, path)


def digests(body: Mapping[str, Any], headers: Mapping[str, str], path: str) -> tuple[str, str]:
    """Return the digest of a request, and those of its parts."""
    fields = fields_of(body, path)
    return digest_of_fields(fields, headers, path), _parts(body, fields, headers, path)


def _parts(body: Mapping[str, Any], fields: Mapping[str, bytes], headers: Mapping[str, str] | None, path: str) -> str:
    parts: dict[str, dict[str, bytes]] = defaultdict(dict)
    for name, written in fields.items():
        parts[PART_OF.get(name, "parameters")][name] = written
    if api_at(path) is chat and isinstance(turns := body.get("messages"), list):
        of_system = [turn for turn in turns if isinstance(turn, Mapping) and turn.get("role") in SYSTEM_ROLES]
        if of_system:
            parts["system"]["messages"] = canonical(of_system)
            parts["messages"]["messages"] = canonical([turn for turn in turns if turn not in of_system])
    if headers:
        parts["parameters"]["headers"] = canonical(dict(headers))
    return " ".join(f"{name}={_digest(in_braces(parts[name]))}" for name in sorted(parts) if parts[name])


def in_all(requests: Sequence[str]) -> str | None:
    """Return the parts of several requests as those of one; None if those of any are not known."""
    if not requests or not all(requests):
        return None
    several = [as_mapping(request) for request in requests]
    if len(several) == 1:
        return requests[0]
    names = sorted({name for parts in several for name in parts})
    return " ".join(f"{name}={_digest(canonical([parts.get(name) for parts in several]))}" for name in names)


def _digest(written: bytes) -> str:
    return hashlib.sha256(written).hexdigest()[:SHORT]
