"""The parts of the requests of a trial as text that people read: the system prompt, the tools and the parameters."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longctx.recording.request import parts_of
from longctx.recording.trials import Exchange, Role
from longctx.results.data_lines import data_lines
from longctx.results.request_parts import as_mapping
from longctx.results.sent_texts import SentText, TextKind, shortened

KINDS: tuple[TextKind, ...] = ("system", "tools", "parameters")
OF_ROLE: Mapping[Role, str] = {"test": "request", "judge": "to the judge", "strategy": "of the strategy"}
"""What stands above the text of a request if those of a trial have several."""
MOST_READ = 64
"""The most parts that are kept as text while a cell is measured."""
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
        yield from data_lines(fields["tools"])
    else:
        yield from data_lines(fields)


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
