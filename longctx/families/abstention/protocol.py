"""Abstention: a question about a collage that holds its section, or does not; every question offers "not in there".

Sources: P. Rajpurkar, R. Jia, P. Liang, "Know What You Don't Know: Unanswerable Questions for SQuAD", 2018,
https://arxiv.org/abs/1806.03822, for questions without an answer in the text; collages are those of long-context QA.
The wording is our own: docs/protocols/.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    fill,
    lexically_right,
    mark,
)
from longctx.families.long_context_qa import choices as multiple_choice
from longctx.families.long_context_qa.choices import Choices
from longctx.families.long_context_qa.collage import SEPARATOR, Collage, around, evidence, fitting
from longctx.vocabulary.bank import Section, documents_digest
from longctx.vocabulary.shapes import unwrapped

SECTIONS = "present", "absent"
"""Whether the record holds the section that answers the question."""
NOT_THERE, NEEDLESS, INVENTED = "not_there", "needless_refusal", "invented"
"""Keys of a trace: the reply says that the record does not answer; it says so though the record does; it gives an
answer though the record has none."""


@dataclass(frozen=True, slots=True)
class AbstentionFacts:
    """The facts that a trial's judge and its shapes need."""

    choices: Choices
    not_there: str
    """The letter of the answer that the record does not say."""
    sections: tuple[Section, ...]
    """The sections of the record, in their order."""
    place: int
    """The place of the needle among them, or of what is in its place."""
    asks: str
    """The section that answers the question."""


@dataclass(frozen=True, slots=True)
class Abstention(Scenario):
    """A collage as in long-context QA, with the section that is asked about, or with others in its place."""

    family: ClassVar[str] = "abstention"
    version: ClassVar[int] = 2
    identified_by: ClassVar[tuple[str, ...]] = ("budget", "longest", "depth", "section")
    treatments: ClassVar[tuple[str, ...]] = ("budget", "longest", "depth")
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "prompt": ("record", "question", "answers"),
        "not_there": (),
        "prefill": (),
        "without_prefill": ("prefill",),
    }

    budget: int
    longest: int
    depth: int
    section: str
    max_tokens: int = field(default=300, kw_only=True)
    bank: Callable[[], Bank] = field(kw_only=True, repr=False, compare=False)
    """Loads the sections and questions when they are first needed, not when tests are collected."""

    def __post_init__(self) -> None:
        if self.section not in SECTIONS:
            raise ValueError(f"`sections`: there is no {self.section!r}: choose from {', '.join(SECTIONS)}.")
        if not 1 <= self.longest < self.budget:
            raise ValueError(
                f"beside sections of up to {self.longest} tokens (the entry `longest`) a record of {self.budget} (the "
                f"entry `budgets`) has no others: set `longest` to a number from 1 to {self.budget - 1}."
            )
        self._collage()

    def _collage(self) -> Collage:
        """Return the scenario that asks the same questions. Raises ValueError if it cannot."""
        return Collage(self.budget, self.longest, self.depth, "none", bank=self.bank)

    def indices(self, trials: int) -> Sequence[int]:
        return self._collage().indices(trials)

    @property
    def run_facts(self) -> Mapping[str, int]:
        return self._collage().run_facts

    @property
    def why_empty(self) -> str:
        return self._collage().why_empty

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        bank = self.bank()
        asked = self._asked(bank, words, seed, index)
        before, after = _around(words, asked.choices)
        record = SEPARATOR.join(section.text for section in asked.sections)
        user = before + record + after
        start = len(before) + len("".join(section.text + SEPARATOR for section in asked.sections[: asked.place]))
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=asked.choices.right,
            max_tokens=self.max_tokens,
            depth=min(start / len(user), 1.0),
            prefix=self.prefix(words, seed, index),
            recorded={"sections": len(asked.sections)},
            documents=documents_digest(bank, [section.id for section in asked.sections]),
            facts=asked,
            prefill=words["prefill"],
            without_prefill=fill(words["without_prefill"], {"prefill": words["prefill"]}),
        )

    def _asked(self, bank: Bank, words: Words, seed: int, index: int) -> AbstentionFacts:
        """Return the question with five answers, and the record. Raises ValueError if there are no other sections."""
        needle = bank.needle(index)
        others, instead = _others(bank, index, seed, self.budget, self.longest)
        middle = (needle,) if self.section == "present" else instead
        place = round(self.depth / 100 * len(others))
        sections = (*others[:place], *middle, *others[place:])
        if not sections:
            raise ValueError(f"a record of {self.budget} tokens has no section beside {needle.id}: give a larger one.")
        four = multiple_choice.choices_in(bank, index, seed)
        at = int(bank.stream("not there", seed, bank.items[index].id).randint(len(four.answers) + 1))
        answers = (*four.answers[:at], words["not_there"], *four.answers[at:])
        five = Choices(four.question, answers, "")
        right = bank.items[index].right if self.section == "present" else words["not_there"]
        letter = five.letters[answers.index(right)]
        return AbstentionFacts(replace(five, right=letter), five.letters[at], sections, place, needle.text)

    @property
    def piece_count(self) -> int:
        return self._collage().piece_count

    def in_pieces(self, words: Words, trial: Trial) -> Context:
        asked: AbstentionFacts = trial.facts
        opening, question = unwrapped(*_around(words, asked.choices))
        present = self.section == "present"
        return Context(
            pieces=tuple(Piece(section.text) for section in asked.sections),
            question=question,
            opening=opening,
            needle=asked.place if present else None,
            evidence=evidence(asked.choices.answer(asked.choices.right), asked.asks) if present else "",
        )

    def prefix(self, words: Words, seed: int, index: int) -> str:
        return f"{self.family}/{self.budget}/{index:06d}/{self.depth:03d}"

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        asked: AbstentionFacts = trial.facts
        outcome = multiple_choice.judge(asked.choices, reply)
        if outcome.kind not in ("correct", "wrong"):
            return outcome
        if outcome.returned == asked.not_there:
            needless = {NEEDLESS: 1} if self.section == "present" else {}
            return replace(outcome, trace={NOT_THERE: 1, **needless})
        return replace(outcome, trace={INVENTED: 1} if self.section == "absent" else {})

    def checks(self, trial: Trial, outcome: Outcome) -> Mapping[str, bool]:
        """Return whether a question with an answer in the record is not refused, neither by the answer nor by the
        model: the rate of needless refusals is what is missing from this check's rate."""
        if self.section == "absent":
            return {}
        return {"answers": NEEDLESS not in outcome.trace and outcome.kind != "refusal"}

    def lexical(self, trial: Trial) -> bool:
        """Return whether the lexical baseline answers a trial: it looks for words, and abstains only by chance."""
        asked: AbstentionFacts = trial.facts
        right = asked.choices.answer(asked.choices.right)
        texts = [section.text for section in asked.sections]
        return lexically_right(texts, asked.choices.question, right, asked.choices.answers)

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        asked: AbstentionFacts = trial.facts
        needle = mark("needle", trial.user, asked.asks) if self.section == "present" else []
        return [*multiple_choice.marks(asked.choices, trial.user, outcome.returned), *needle]

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
        return self.bank().named(super(Abstention, self).identity(seed, index, repeat), index)

    def index_of(self, name: str) -> int:
        return self.bank().index_of(name)


@functools.lru_cache(maxsize=2048)
def _others(
    bank: Bank, index: int, seed: int, budget: int, longest: int
) -> tuple[tuple[Section, ...], tuple[Section, ...]]:
    """Return the sections that fit in the budget beside the needle, and further ones that fit in the needle's place."""
    needle = bank.needle(index)
    others = tuple(fitting(bank.others(index, seed, longest), budget - needle.tokens))
    taken = {section.id for section in others}
    rest = (section for section in bank.others(index, seed, longest) if section.id not in taken)
    return others, tuple(fitting(rest, budget - sum(section.tokens for section in others)))


def _around(words: Words, choices: Choices) -> tuple[str, str]:
    """Return the text before the record, and the text after it with the question."""
    return around(words["prompt"], {"question": choices.question, "answers": str(choices)})
