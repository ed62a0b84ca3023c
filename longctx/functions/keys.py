"""Texts in a session that look like a key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from longctx.functions.strategies import blocks_of
from longctx.functions.transcript import Transcript, read_block

PATTERNS = {
    "an Anthropic key": r"sk-ant-[\w-]{16,}",
    "a key of OpenAI": r"sk-(?!ant-)(?:proj-)?[A-Za-z0-9_-]{20,}",
    "a token of GitHub": r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}",
    "a key of AWS": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "a key of Google": r"\bAIza[\w-]{35}",
    "a token of Slack": r"\bxox[abeoprs]-[\w-]{10,}",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "a JSON web token": r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+",
    "a password in an address": r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]{3,}@",
    "a secret": r"(?i)(?:api_?key|secret|passwo?rd|access_?token)\w*[\"']?\s*[:=]\s*[\"']?[^\s\"'<>{}$]{8,}",
}
SHOWN_OF_KEY = 6
"""How many characters of it are shown."""


@dataclass(frozen=True, slots=True)
class KeyFound:
    """A text that looks like a key."""

    turn: int
    """The number of its turn, from 1; 0 for the system prompt."""
    kind: str
    beginning: str

    def __str__(self) -> str:
        return f"{f'turn {self.turn:,}' if self.turn else 'the system prompt'} has {self.kind} ({self.beginning}…)"


def keys_in(session: Transcript) -> Iterator[KeyFound]:
    """Yield what looks like a key in a session, each text once."""
    seen = set()
    system = session.system if isinstance(session.system, str) else str(session.system)
    texts = [system, *("\n".join(map(read_block, blocks_of(message))) for message in session.messages)]
    for turn, text in enumerate(texts):
        for kind, pattern in PATTERNS.items():
            for match in re.finditer(pattern, text, re.ASCII):
                if match[0] not in seen:
                    seen.add(match[0])
                    yield KeyFound(turn, kind, match[0][:SHOWN_OF_KEY])
