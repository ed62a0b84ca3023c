"""Short answers: the questions of long-context QA whose answer is a few words, without answers to choose from.

Nothing is gained by guessing, or by a liking for a letter. Source of the judgement, by normalised match:
P. Rajpurkar et al., "SQuAD", 2016, https://arxiv.org/abs/1606.05250, section 6; collages are those of long-context QA.
The wording is our own: docs/protocols/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from longctx import (
    Bank,
    Context,
    Identity,
    Mark,
    Outcome,
    Piece,
    Reply,
    Scenario,
    Trial,
    Words,
    lexically_right,
    mark,
    unanswered,
)
from longctx.families.long_context_qa.collage import Collage, around, evidence
from longctx.vocabulary.bank import Item, documents_digest
from longctx.vocabulary.occurrence import core, plain, simplified
from longctx.vocabulary.shapes import unwrapped

MOST_WORDS = 6
"""The most words of a right answer that can be compared word by word."""
MOST_GIVEN = 25
"""The most words of an answer in which an accepted form is looked for: a longer one is no short answer."""
MOST_SHOWN = 200
"""The most characters that a row keeps of an answer that is too long."""
QUANTITY = re.compile(r"(\d+(?:[.,]\d+)*) [^\W\d]+(?: [^\W\d]+)?")
"""A number with its unit, which is understood without the unit, too."""


@dataclass(frozen=True, slots=True)
class ShortAnswerFacts:
    """The facts that a trial's judge and its shapes need."""

    item: Item
    sections: tuple[str, ...]
    """The texts of the record's sections, in their order."""
    place: int
    """The place of the needle among them."""


@dataclass(frozen=True, slots=True)
class ShortAnswers(Scenario):
    """A collage as in long-context QA, and a question about one of its sections that a few words answer."""

    family: ClassVar[str] = "short_answers"
    version: ClassVar[int] = 2
    identified_by: ClassVar[tuple[str, ...]] = ("budget", "longest", "depth", "distractors")
    treatments: ClassVar[tuple[str, ...]] = identified_by
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {"system": (), "prompt": ("record", "question")}

    budget: int
    longest: int
    depth: int
    max_tokens: int = field(default=64, kw_only=True)
    bank: Callable[[], Bank] = field(kw_only=True, repr=False, compare=False)
    """Loads the sections and questions when they are first needed, not when tests are collected."""
    distractors: int | None = field(default=None, kw_only=True)
    """As in Collage."""

    def __post_init__(self) -> None:
        self._collage()

    def _collage(self) -> Collage:
        """Return the scenario that makes the same records. Raises ValueError if it cannot."""
        return Collage(self.budget, self.longest, self.depth, "none", bank=self.bank, distractors=self.distractors)

    def indices(self, trials: int) -> Sequence[int]:
        bank = self.bank()
        if not bank.literal:
            return []
        asked = self._collage().indices(len(bank.items))
        return [index for index in asked if is_short(bank.items[index].right)][:trials]

    @property
    def run_facts(self) -> Mapping[str, int]:
        return self._collage().run_facts

    @property
    def why_empty(self) -> str:
        if not self.bank().literal:
            return "its bank's answers are paraphrases, which cannot be judged by their words"
        if self._collage().indices(1):
            return f"none of the questions that it may ask has a right answer of at most {MOST_WORDS} words"
        return self._collage().why_empty

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        bank = self.bank()
        record = self._collage().record(index, seed)
        question = bank.items[index].question
        before, after = _around(words, question)
        user = before + record.text + after
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=bank.items[index].right,
            max_tokens=self.max_tokens,
            depth=(len(before) + record.depth * len(record.text)) / len(user),
            prefix=self.prefix(words, seed, index),
            recorded={"sections": len(record.sections)},
            documents=documents_digest(bank, record.sections),
            facts=ShortAnswerFacts(
                bank.items[index],
                tuple(bank.sections[section].text for section in record.sections),
                record.sections.index(bank.items[index].section),
            ),
        )

    @property
    def piece_count(self) -> int:
        return self._collage().piece_count

    def in_pieces(self, words: Words, trial: Trial) -> Context:
        asked: ShortAnswerFacts = trial.facts
        opening, question = unwrapped(*_around(words, asked.item.question))
        return Context(
            pieces=tuple(map(Piece, asked.sections)),
            question=question,
            opening=opening,
            needle=asked.place,
            evidence=evidence(asked.item.right, asked.sections[asked.place]),
        )

    def prefix(self, words: Words, seed: int, index: int) -> str:
        distractors = "" if self.distractors is None else f"/{self.distractors:02d}"
        return f"{self.family}/{self.budget}/{index:06d}/{self.depth:03d}{distractors}"

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        """Judge the content of the last <Answer> tags, or the reply without any.

        It is right if it holds an accepted form, and no wrong answer of the question beside it.
        """
        tagged = re.findall(r"<answer\s*>(.*?)(?:</answer|$)", reply.text, re.IGNORECASE | re.DOTALL)
        given = " ".join((tagged[-1] if tagged else reply.text).split())
        words = plain(simplified(given))
        if reply.stop_reason == "refusal" or not words or (reply.cut_off and not tagged):
            return unanswered(reply, "no answer in the reply")
        if len(words.split()) > MOST_GIVEN:
            return Outcome("unparseable", given[:MOST_SHOWN], f"more than {MOST_GIVEN} words")
        item: Item = trial.facts.item
        rest = without(words, [form for each in (item.right, *item.accepted) for form in forms(each)])
        beside = next((each for each in item.wrong if without(rest, forms(each)) != rest), None)
        if beside is not None:
            return Outcome("wrong", given, f"it holds {beside!r}")
        if rest != words:
            return Outcome("correct", given, "an accepted form of the right answer")
        return Outcome("wrong", given, f"it does not hold {item.right!r}")

    def lexical(self, trial: Trial) -> bool:
        """Return whether the section that matching words picks holds the answer: a reader of it would know."""
        asked: ShortAnswerFacts = trial.facts
        return lexically_right(asked.sections, asked.item.question, asked.item.right)

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        asked: ShortAnswerFacts = trial.facts
        marks = mark("needle", trial.user, asked.sections[asked.place])
        start = trial.user.rindex(asked.item.question)
        return [*marks, Mark("question", start, start + len(asked.item.question))]

    @property
    def length(self) -> int:
        """The tokens of the record."""
        return self.budget

    def cluster(self, index: int) -> str:
        """Return the section that is asked about."""
        return self.bank().items[index].section

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return self._collage().size_tokens(tokens)

    def identity(self, seed: int, index: int, repeat: int) -> Identity:
        return self.bank().named(super(ShortAnswers, self).identity(seed, index, repeat), index)

    def index_of(self, name: str) -> int:
        return self.bank().index_of(name)


def is_short(right: str) -> bool:
    """Return whether an answer can be judged without answers to choose from."""
    return 0 < len(core(right).split()) <= MOST_WORDS


def forms(answer: str) -> Iterator[str]:
    """Yield the normalised forms of an answer: without leading words, and a quantity without its unit, too."""
    yield core(answer)
    if quantity := QUANTITY.fullmatch(core(answer)):
        yield quantity[1]


def without(words: str, wanted: Iterable[str]) -> str:
    """Return normalised words without these forms, the longest first; a bar is where one was."""
    for form in sorted(filter(None, wanted), key=len, reverse=True):
        words = f" {words} ".replace(f" {form} ", " | ").strip()
    return words


def _around(words: Words, question: str) -> tuple[str, str]:
    """Return the text before the record, and the text after it with the question."""
    return around(words["prompt"], {"question": question})
