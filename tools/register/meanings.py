"""Questions about the register that matching words does not answer.

After the recipe of NoLiMa (A. Modarressi et al., "NoLiMa: Long-Context Evaluation Beyond Literal Matching", 2025,
https://arxiv.org/abs/2502.05167): a question and its answer are paraphrases of what the section says, or follow
from it. Nothing of its data is used. A question gives two facts of a document in other words, which together no other
document of the bank has, and asks for a third.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Any

from longctx.corpus.questions import BankQuestion
from longctx.vocabulary.occurrence import gives_away, occurs_verbatim, plain
from tools.register.issue import Issue, Notice
from tools.register.pen import Pen, capital
from tools.register.prose import TEXTS

PROGRAM = "tools.register.meanings, version 1"


@dataclass(frozen=True, slots=True)
class Meaning:
    """A fact of a kind of document. means: the paraphrase of each item of its list."""

    name: str
    fact: str
    items: tuple[str, ...]
    means: tuple[str, ...]
    clue: str
    ask: str


@dataclass(frozen=True, slots=True)
class Known:
    """A document, which item of its list each of its facts is, and the items that its text says, if only in passing."""

    seed: int
    section: str
    kind: str
    places: Mapping[str, int]
    said: frozenset[tuple[str, int]]


Read = tuple[Issue, Sequence[tuple[str, str]]]
"""An issue, and the id and the text of the section of each of its documents."""


def paraphrased(issues: Sequence[Read]) -> list[BankQuestion]:
    """Make a question about each document whose facts have paraphrases, if it can. The same issues give the same."""
    known = [document for issue, sections in issues for document in _known(issue, sections)]
    held = Counter(pair for document in known for pair in _pairs(document))
    return [question for document in known if (question := _question(document, held))]


def _known(issue: Issue, sections: Sequence[tuple[str, str]]) -> Iterator[Known]:
    for document, (section, text) in zip(issue.documents, sections, strict=True):
        kind = document.genre.name
        if kind in meanings() and not document.is_example:
            said = frozenset(_said(kind, plain(text)))
            yield Known(issue.country.seed, section, kind, _places(document, said), said)


def _said(kind: str, text: str) -> Iterator[tuple[str, int]]:
    for meaning in meanings()[kind]:
        for place, item in enumerate(meaning.items):
            if occurs_verbatim(item, text):
                yield meaning.name, place


def _places(document: Notice, said: frozenset[tuple[str, int]]) -> dict[str, int]:
    """Return which item each fact is that the section says; optional paragraphs leave some out."""
    of_kind = meanings()[document.genre.name]
    places = {meaning.name: meaning.items.index(document.facts[meaning.fact]) for meaning in of_kind}
    return {name: place for name, place in places.items() if (name, place) in said}


def _pairs(document: Known) -> Iterator[tuple[object, ...]]:
    for pair in combinations(sorted(document.said), 2):
        yield document.kind, *pair


def _question(document: Known, held: Counter[tuple[object, ...]]) -> BankQuestion | None:
    """Return a question with two clues that no other document of the bank has together; None if there are none."""
    of_kind, pen = {meaning.name: meaning for meaning in meanings()[document.kind]}, Pen("meanings", document.section)
    tried = list(permutations(document.places, 3))
    for first, second, asked in pen.deal(tried, len(tried)):
        pair = sorted((name, document.places[name]) for name in (first, second))
        meaning = of_kind[asked]
        right = meaning.means[document.places[asked]]
        untrue = [means for place, means in enumerate(meaning.means) if (asked, place) not in document.said]
        options = combinations(pen.deal(untrue, len(untrue)), 3)
        wrong = next((some for some in options if not gives_away(right, some)), None)
        if wrong is None or held[document.kind, *pair] > 1:
            continue
        clues = [f"{of_kind[name].clue}: {of_kind[name].means[document.places[name]]}." for name in (first, second)]
        return BankQuestion(
            id=f"{document.section}-m",
            section=document.section,
            question=f"Two things are known of {thing(document.kind)}. {' '.join(clues)} {meaning.ask}",
            right=capital(right),
            wrong=(capital(wrong[0]), capital(wrong[1]), capital(wrong[2])),
            fact=f"{document.kind}.{asked}",
            provenance=f"made by {PROGRAM}, seed {document.seed}",
        )
    return None


@cache
def meanings() -> Mapping[str, tuple[Meaning, ...]]:
    """Return the facts that have paraphrases, by the kind of document."""
    from tools.register.prose import genres

    lists = {genre.name: genre.lists for genre in genres()}
    return {
        kind: tuple(
            Meaning(
                name=name,
                fact=entry.get("fact", name),
                items=tuple(
                    item if isinstance(item, str) else item[entry.get("fact", name)]
                    for item in lists[kind][entry["list"]]
                ),
                means=tuple(entry["means"]),
                clue=entry["clue"],
                ask=entry["ask"],
            )
            for name, entry in table.items()
            if name != "thing"
        )
        for kind, table in _read().items()
    }


def thing(kind: str) -> str:
    """Return what questions call a document of a kind."""
    return str(_read()[kind]["thing"])


@cache
def _read() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads((TEXTS / "meanings.toml").read_text(encoding="utf-8"))
