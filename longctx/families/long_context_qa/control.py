"""The controls of long-context QA: can a question be answered from its section alone, and only from it?

Source: the notebook of the collage family. It asks with the right section alone (387 of 430 right), and with the
section of the question half a list away (155 of 430). The control without a record is our own: it
measures guesses and prior knowledge.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from longctx import Bank, Identity, Mark, Outcome, Reply, Scenario, Trial, Words, fill, lexically_right, mark
from longctx.families.long_context_qa import choices as multiple_choice
from longctx.families.long_context_qa.choices import Choices
from longctx.vocabulary.bank import Section, documents_digest

RECORDS = ("right", "wrong", "none")
WITHOUT_RECORD, MOST_WITHOUT_RECORD = 160, 250
"""About the tokens of a prompt without its record: on average, and at most."""


@dataclass(frozen=True, slots=True)
class ControlFacts:
    """The facts that a trial's judge and its marks need."""

    choices: Choices
    record: str


@dataclass(frozen=True, slots=True)
class Control(Scenario):
    """A control. record: the `right` section alone, a `wrong` section, or `none`. longest: as in Collage."""

    family: ClassVar[str] = "control"
    version: ClassVar[int] = 2
    identified_by: ClassVar[tuple[str, ...]] = ("longest", "record")
    treatments: ClassVar[tuple[str, ...]] = identified_by
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "prefill": (),
        "no_record_prefill": (),
        "without_prefill": ("prefill",),
        "record": ("record", "question", "answers"),
        "no_record": ("question", "answers"),
    }

    longest: int
    record: str
    max_tokens: int = field(default=3000, kw_only=True)
    bank: Callable[[], Bank] = field(kw_only=True, repr=False, compare=False)
    """Loads the sections and questions when they are first needed, not when tests are collected."""

    def __post_init__(self) -> None:
        if self.record not in RECORDS:
            raise ValueError(f"`records`: there is no record {self.record!r}: choose from {', '.join(RECORDS)}.")

    def indices(self, trials: int) -> Sequence[int]:
        """Return the indices of all questions, kept or not, since the filter is made from them."""
        return self.bank().order(self.longest)[:trials]

    @property
    def why_empty(self) -> str:
        return self.bank().why_none(self.longest, filtered=False)

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        bank = self.bank()
        choices = multiple_choice.choices_in(bank, index, seed)
        section = self._section(bank, index, seed)
        record = section.text if section else ""
        values = {"record": record, "question": bank.items[index].question, "answers": str(choices)}
        user = fill(words["no_record" if self.record == "none" else "record"], values)
        prefill = words["no_record_prefill" if self.record == "none" else "prefill"]
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=choices.right,
            max_tokens=self.max_tokens,
            depth=user.index(record) / len(user),
            prefix=self.prefix(words, seed, index),
            documents=documents_digest(bank, [section.id] if section else ()),
            facts=ControlFacts(choices, record),
            prefill=prefill,
            without_prefill=fill(words["without_prefill"], {"prefill": prefill}),
        )

    def prefix(self, words: Words, seed: int, index: int) -> str:
        bank = self.bank()
        return f"{self.family}/{bank.items[index].section}"

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        return multiple_choice.judge(trial.facts.choices, reply)

    def lexical(self, trial: Trial) -> bool | None:
        """Return whether the option that is verbatim in the right section is the right one; None for other records."""
        choices, record = trial.facts.choices, trial.facts.record
        right = choices.answer(choices.right)
        return lexically_right([record], choices.question, right, choices.answers) if self.gated else None

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        asked = multiple_choice.marks(trial.facts.choices, trial.user, outcome.returned)
        return asked + mark("record", trial.user, trial.facts.record)

    @property
    def gated(self) -> bool:
        """Whether the record is the right section: other rates measure guesses and prior knowledge."""
        return self.record == "right"

    def cluster(self, index: int) -> str:
        """Return the section that is asked about."""
        return self.bank().items[index].section

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return self._record_tokens(statistics.fmean, tokens) + WITHOUT_RECORD

    def longest_tokens(self, tokens: Mapping[str, float]) -> int:
        return self._record_tokens(max, tokens) + MOST_WITHOUT_RECORD

    def _record_tokens(self, of: Callable[[Sequence[int]], float], tokens: Mapping[str, float]) -> int:
        """Return the tokens of a record, of the mean or the largest of the sections that are asked about."""
        sections = () if self.record == "none" else _section_tokens(self.bank(), self.longest)
        return int(of(sections or [0]) * tokens["reference"])

    def identity(self, seed: int, index: int, repeat: int) -> Identity:
        return self.bank().named(super(Control, self).identity(seed, index, repeat), index)

    def index_of(self, name: str) -> int:
        return self.bank().index_of(name)

    def _section(self, bank: Bank, index: int, seed: int) -> Section | None:
        """Return the needle, a wrong section, or none.

        With version 1 of a bank, the wrong one is half a list of questions away, or the next one that fits.
        """
        if self.record == "right":
            return bank.needle(index)
        if self.record == "none":
            return None
        if bank.version > 1:
            return next(bank.others(index, seed, self.longest))
        own = bank.needle(index)
        half = len(bank.items) // 2
        away = (bank.needle((index + half + step) % len(bank.items)) for step in range(len(bank.items)))
        return next(other for other in away if other.id != own.id and other.tokens <= self.longest)


@functools.lru_cache(maxsize=64)
def _section_tokens(bank: Bank, longest: int) -> tuple[int, ...]:
    """Return the tokens of the section that each question is about, by the reference vocabulary."""
    return tuple(bank.needle(index).tokens for index in bank.order(longest))
