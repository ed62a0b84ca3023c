"""The controls of long-context QA: is a question answerable from its section alone, and only from it?

Source: the notebook of the collage family. It asks with the right section alone (387 of 430 right there), and with the
section of the question half a list away (155 of 430). No record at all is the suite's own: what is guessed or known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from longctx.families.long_context_qa import choices as multiple_choice
from longctx.vocabulary.bank import Bank
from longctx.vocabulary.scenario import Identity, Mark, Outcome, Reply, Scenario, Trial, Words
from longctx.vocabulary.text import fill, mark

RECORDS = ("right", "wrong", "none")


@dataclass(frozen=True, slots=True)
class Control(Scenario):
    """record: `right` section alone, `wrong` section, or `none`. longest: as in Collage."""

    family: ClassVar[str] = "control"
    version: ClassVar[int] = 1
    identified_by: ClassVar[tuple[str, ...]] = ("longest", "record")
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
    """Gives the sections and questions, which are read when first needed, not when tests are collected."""

    def __post_init__(self) -> None:
        if self.record not in RECORDS:
            raise ValueError(f"there is no record {self.record!r}: choose from {', '.join(RECORDS)}.")

    def indices(self, trials: int) -> Sequence[int]:
        """The trials of all questions, kept or not: the filter is made from these."""
        return self.bank().order(self.longest)[:trials]

    @property
    def why_empty(self) -> str:
        return self.bank().why_none(self.longest, filtered=False)

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        bank = self.bank()
        choices = multiple_choice.choices_in(bank, index, seed)
        record = self._text(bank, index)
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
            facts=choices,
            prefill=prefill,
            without_prefill=fill(words["without_prefill"], {"prefill": prefill}),
        )

    def prefix(self, words: Words, seed: int, index: int) -> str:
        bank = self.bank()
        return f"{self.family}/{bank.items[index].section}"

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        return multiple_choice.judge(trial.facts, reply)

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        asked = multiple_choice.marks(trial.facts, trial.user, outcome.returned)
        return asked + mark("record", trial.user, self._text(self.bank(), trial.identity.trial))

    @property
    def gated(self) -> bool:
        """With a wrong section or none, a rate says what is guessed or known."""
        return self.record == "right"

    def cluster(self, index: int) -> str:
        """The section that is asked about."""
        return self.bank().items[index].section

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return (0 if self.record == "none" else int(self.longest * tokens["reference"])) + 200

    def identity(self, seed: int, index: int, repeat: int) -> Identity:
        return replace(super(Control, self).identity(seed, index, repeat), item=self.bank().item_name(index))

    def _text(self, bank: Bank, index: int) -> str:
        """The record: the needle; the section half a list of questions away, or the next that fits; or nothing."""
        if self.record == "right":
            return bank.needle(index).text
        if self.record == "none":
            return ""
        own = bank.needle(index)
        half = len(bank.items) // 2
        away = (bank.needle((index + half + step) % len(bank.items)) for step in range(len(bank.items)))
        return next(one for one in away if one.id != own.id and one.tokens <= self.longest).text
