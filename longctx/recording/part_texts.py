"""The parts of the requests of a trial as text that people read: the system prompt, the tools and the parameters."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longctx.recording.request import parts_of
from longctx.recording.trials import Exchange, Role
from longctx.redaction import REDACTED, SECRET
from longctx.results.request_parts import as_mapping
from longctx.results.sent_texts import SentText, TextKind, shortened

KINDS: tuple[TextKind, ...] = ("system", "tools", "parameters")
OF_ROLE: Mapping[Role, str] = {"test": "request", "judge": "to the judge", "strategy": "of the strategy"}
"""What stands above the text of a request if those of a trial have several."""
MOST_READ = 64
"""The most parts that are kept as text while a cell is measured."""
MOST_DEPTH = 20
"""The deepest level of nesting that is written in lines."""
IN_SYSTEM = (
    "text",
    "content",
    "parts",
    "system",
    "instructions",
    "messages",
    "systemInstruction",
    "system_instruction",
)
"""The fields in which a system prompt has text, in all APIs."""


@dataclass(slots=True)
class PartTexts:
    """Reads the parts of requests, each as seldom as possible."""

    compared: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    """Returns the body of a request whose digest identifies it."""
    _read: dict[tuple[str, str], str] = field(default_factory=dict)
    """The texts by the name and the digest of their parts."""

    def of_trial(self, parts: str | None, exchanges: Sequence[Exchange], order: str) -> Iterator[SentText]:
        """Yield the texts of a trial's requests. parts: the digests of its row. order: see SentText."""
        for kind, digest in as_mapping(parts or "").items():
            if kind in KINDS and (text := self._text_of_all(kind, exchanges)) is not None:
                yield SentText(kind, digest, text, order)

    def _text_of_all(self, kind: TextKind, exchanges: Sequence[Exchange]) -> str | None:
        """Return the text of a part of several requests, each different one once; None if one is not known."""
        found: dict[tuple[str, Role], None] = {}
        for exchange in exchanges:
            digest = as_mapping(exchange.place.parts).get(kind)
            if digest is None:
                continue
            if (kind, digest) not in self._read:
                self._read_parts(exchange)
            text = self._read.get((kind, digest))
            if text is None:
                return None
            found[text, exchange.role] = None
        if len({text for text, _ in found}) == 1:
            return next(text for text, _ in found)
        return shortened("\n\n".join(f"[{OF_ROLE[role]}]\n{text}" for text, role in found))

    def _read_parts(self, exchange: Exchange) -> None:
        if len(self._read) > MOST_READ:
            self._read.clear()
        place = exchange.place
        headers = dict(line.split(": ", 1) for line in place.headers.splitlines() if ": " in line)
        for name, (digest, written) in parts_of(self.compared(exchange.body), headers, place.path).items():
            if name in KINDS:
                fields = {field: json.loads(value.decode("utf-8", "surrogatepass")) for field, value in written.items()}
                self._read[name, digest] = shortened("\n".join(_lines_of_part(name, fields)))


def _lines_of_part(name: str, fields: Mapping[str, Any]) -> Iterator[str]:
    if name == "system":
        yield from _texts_in(fields)
    elif name == "tools" and set(fields) == {"tools"}:
        yield from _lines(fields["tools"])
    else:
        yield from _lines({field: fields[field] for field in sorted(fields)})


def _texts_in(value: Any) -> Iterator[str]:
    """Yield the lines of all texts of a system prompt."""
    match value:
        case str():
            yield from value.splitlines()
        case list():
            for entry in value:
                yield from _texts_in(entry)
        case dict():
            for name in IN_SYSTEM:
                if name in value:
                    yield from _texts_in(value[name])


def _lines(value: Any, indent: str = "") -> Iterator[str]:
    """Yield data as lines, one for each entry, and one for each line of a text."""
    entries = value.items() if isinstance(value, dict) else (("-", entry) for entry in value)
    for name, entry in entries:
        label = name if name == "-" else f"{name}:"
        if isinstance(entry, str) and isinstance(value, dict) and SECRET.search(name):
            yield f"{indent}{label} {REDACTED}"
        elif isinstance(entry, str) and "\n" in entry:
            yield f"{indent}{label}"
            yield from (f"{indent}  {line}" for line in entry.splitlines())
        elif isinstance(entry, dict | list) and entry and len(indent) < 2 * MOST_DEPTH:
            yield f"{indent}{label}"
            yield from _lines(entry, f"{indent}  ")
        else:
            yield f"{indent}{label} {entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False)}"
