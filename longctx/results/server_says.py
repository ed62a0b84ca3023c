"""What a server says of itself. It never decides a verdict.

Servers with different answers may say the same: llama-server does, whatever its KV cache is quantized to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from longctx.text import visible

LONGEST = 120
"""The most characters that are kept of a text."""


@dataclass(frozen=True, slots=True)
class ServerSays:
    """What one server says of itself; empty or None where it says nothing."""

    software: str = ""
    """Such as `vLLM 0.29.0` or `llama.cpp b11434`."""
    window: int | None = None
    """The most tokens of a request and its reply."""
    model: str = ""
    """The file or the repository of the weights."""
    chat_template: str = ""
    """The beginning of its SHA-256."""
    system_fingerprint: str = ""
    """What its answers of OpenAI's chat completions name; of several, the last."""

    def __str__(self) -> str:
        """Return, for instance, `vLLM 0.29.0, window 131,072`."""
        window = f"window {self.window:,}" if self.window else ""
        return ", ".join(filter(None, [self.software, window])) or "says nothing of itself"

    @classmethod
    def of(cls, kept: object) -> ServerSays:
        """Return what a line of a file kept; what it cannot have kept is left out."""
        given = kept if isinstance(kept, dict) else {}
        texts = {
            name: text_of(given.get(name)) for name in ("software", "model", "chat_template", "system_fingerprint")
        }
        return cls(window=window if type(window := given.get("window")) is int and window > 0 else None, **texts)

    def differences(self, other: ServerSays) -> Iterator[str]:
        """Yield a phrase on each thing that both servers say, and say differently."""
        for field in fields(self):
            was, now = getattr(self, field.name), getattr(other, field.name)
            if was and now and was != now:
                yield f"{field.name.replace('_', ' ')} {was} → {now}"


def text_of(value: object) -> str:
    """Return a text that a server wrote, as it can be shown; empty for anything else."""
    return visible(value)[:LONGEST] if isinstance(value, str) else ""
