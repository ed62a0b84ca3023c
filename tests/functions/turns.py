"""The turns of a session as text."""

from __future__ import annotations

from longctx.functions.transcript import Transcript


def texts(session: Transcript) -> list[str]:
    """Return what was said, called and returned, in its order."""
    found = []
    for turn in session.messages:
        content = turn["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            found.append(str(block.get("text") or block.get("content") or f"call {block.get('id')}"))
    return found
