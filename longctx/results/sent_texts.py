"""The texts that the tests of a run sent, by the digests in its rows: the manifest keeps them, so that a gate can show
what changed. Each kind has its own room, and what is longer is kept as its beginning.
"""

from __future__ import annotations

import bisect
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from longctx.redaction import without_keys

TextKind = Literal["system", "tools", "parameters", "case", "document", "strategy"]
ROOM: Mapping[TextKind, int] = {
    "system": 192_000,
    "tools": 192_000,
    "parameters": 64_000,
    "case": 320_000,
    "document": 192_000,
    "strategy": 64_000,
}
"""The most characters of the kept texts of each kind, their digests included."""
LONGEST = 64_000
"""The most characters of a text; of a longer one, its beginning is kept."""
LEAST_DIGEST = 4
"""The fewest characters of a digest by which a text is found: those that a baseline keeps of a part of a request."""
DIGEST = re.compile(rf"[0-9a-f]{{{LEAST_DIGEST},64}}")
KeptByDigest = Mapping[str, Mapping[str, str]]
"""Texts as a manifest keeps them: by their kind and their digests, which spaces separate."""


class SentText(NamedTuple):
    """A text that was sent, in a form that workers can hand over."""

    kind: TextKind
    digest: str
    """As the column of a row has it."""
    text: str
    order: str = ""
    """What it is sorted by: of texts that do not all fit, the first are kept."""


def digest_of_name(name: str) -> str:
    """Return the digest that stands for the name of a strategy, which rows hold themselves."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def shortened(text: str, most: int = LONGEST) -> str:
    """Return a text without keys; of a longer one its beginning, with the length and the digest of the rest."""
    clean = without_keys(text).encode("utf-8", "backslashreplace").decode()
    if len(clean) <= most:
        return clean
    rest = hashlib.sha256(clean[most:].encode()).hexdigest()[:8]
    return f"{clean[:most]}\n… {len(clean) - most:,} more characters, SHA-256 {rest}…"


@dataclass(slots=True)
class _OfKind:
    """The first texts of a kind that fit, whatever the order in which they are added."""

    room: int
    digests: dict[str, dict[str, None]] = field(default_factory=dict)
    """The digests of each text. Several trials may have the same texts, and another number of requests."""
    orders: dict[str, str] = field(default_factory=dict)
    sorted: list[tuple[str, str]] = field(default_factory=list)
    """The order and the text of each, ascending."""
    limit: tuple[str, str] | None = None
    """The first that did not fit."""

    def add(self, sent: SentText) -> None:
        text, order = sent.text, min(sent.order, self.orders.get(sent.text, sent.order))
        if text not in self.digests and self.limit is not None and (order, text) >= self.limit:
            return
        if text in self.digests:
            del self.sorted[bisect.bisect_left(self.sorted, (self.orders[text], text))]
        else:
            self.digests[text] = {}
            self.room -= len(text)
        self.orders[text] = order
        bisect.insort(self.sorted, (order, text))
        if sent.digest not in self.digests[text]:
            self.digests[text][sent.digest] = None
            self.room -= len(sent.digest) + 1
        while self.room < 0:
            self.limit = self.sorted.pop()
            _, last = self.limit
            del self.orders[last]
            self.room += len(last) + sum(len(digest) + 1 for digest in self.digests.pop(last))


class SentTexts:
    """The texts of a run, or of a part of it: which are kept does not depend on the order in which they are added."""

    def __init__(self, texts: Iterable[SentText] = ()) -> None:
        self._of = {kind: _OfKind(room) for kind, room in ROOM.items()}
        self.update(texts)

    def __iter__(self) -> Iterator[SentText]:
        for kind, texts in self._of.items():
            for order, text in texts.sorted:
                yield from (SentText(kind, digest, text, order) for digest in texts.digests[text])

    def update(self, texts: Iterable[SentText]) -> None:
        """Add texts, which `shortened` made, if they are among the first that fit."""
        for sent in texts:
            self._of[sent.kind].add(sent)

    def may_take(self, kind: TextKind, order: str) -> bool:
        """Return whether a text with this order may be among the first that fit."""
        limit = self._of[kind].limit
        return limit is None or order <= limit[0]

    @property
    def kept(self) -> dict[str, dict[str, str]]:
        """The texts as a manifest keeps them."""
        return {
            kind: {" ".join(sorted(texts.digests[text])): text for _, text in texts.sorted}
            for kind, texts in self._of.items()
            if texts.sorted
        }


def sent_texts(kept: KeptByDigest) -> Iterator[SentText]:
    """Yield the texts that a manifest keeps, without those of a kind or a digest that no version of longctx writes."""
    for kind in ROOM:
        for digests, text in kept.get(kind, {}).items():
            yield from (SentText(kind, digest, text) for digest in digests.split() if DIGEST.fullmatch(digest))


class KnownTexts:
    """Finds the texts that a manifest keeps. It comes from a file that anybody may have written."""

    def __init__(self, kept: KeptByDigest) -> None:
        self._by_start: dict[tuple[TextKind, str], dict[str, str]] = defaultdict(dict)
        for sent in sent_texts(kept):
            self._by_start[sent.kind, sent.digest[:LEAST_DIGEST]][sent.digest] = sent.text

    def text(self, kind: TextKind, digest: str | None) -> str | None:
        """Return the text of a digest, which may be its beginning: empty without a digest, None if it is not known."""
        if digest is None:
            return ""
        alike = self._by_start.get((kind, digest[:LEAST_DIGEST]), {}).items()
        found = {text for known, text in alike if known.startswith(digest) or digest.startswith(known)}
        return found.pop() if len(found) == 1 and len(digest) >= LEAST_DIGEST else None
