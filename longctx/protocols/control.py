"""The controls of long-context QA: can a question be answered from its section alone, and only from it?

Source: the notebook of the protocol `collage`. It asks with the right section alone (387 of 430 right), and with the
section of the question half a list away (155 of 430). The control without a record is our own: it
measures guesses and prior knowledge.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from longctx import Bank, BankAxes, Count, Outcome, ProtocolAsk, ProtocolCell, Report, TrialNumber, fill, mark, protocol
from longctx.protocols.choices import CHANCE, LETTERS, above_chance, choices_in, judge_answer
from longctx.vocabulary.bank import Section
from longctx.vocabulary.lexical import lexically_right
from longctx.vocabulary.point import Templates
from longctx.vocabulary.questions import BankItems

RECORDS = ("right", "wrong", "none")
WITHOUT_RECORD, MOST_WITHOUT_RECORD = 160, 250
"""About the tokens of a prompt without its record: on average, and at most."""


class ControlAxes(BankAxes):
    """The records that questions are sent with. trials: how many questions are sent, of all."""

    records: tuple[str, ...] = RECORDS
    """What a question is sent with: the right section alone, a wrong one, none."""
    max_tokens: Count = 3000
    """The most tokens of a reply."""

    def cells(self) -> Iterator[dict[str, object]]:
        yield from ({"longest": self.longest, "record": record} for record in self.records)


class ControlItems(BankItems):
    """All questions, kept or not, since the filter is made from them."""

    filtered = False


def section_of(bank: Bank, index: int, seed: int, longest: int, record: str) -> Section | None:
    """Return the right section of a question, a wrong one, or none.

    With version 1 of a bank, the wrong one is half a list of questions away, or the next one that fits.
    """
    own = bank.needle(index)
    if record != "wrong":
        return own if record == "right" else None
    if bank.version > 1:
        return next(bank.others(index, seed, longest))
    half = len(bank.items) // 2
    away = (bank.needle((index + half + step) % len(bank.items)) for step in range(len(bank.items)))
    return next(other for other in away if other.id != own.id and other.tokens <= longest)


def _validate(cell: ProtocolCell) -> None:
    if cell.record not in RECORDS:
        raise ValueError(f"`records`: there is no record {cell.record!r}: choose from {', '.join(RECORDS)}.")


def _record_tokens(cell: ProtocolCell, of: Callable[[Sequence[int]], float], tokens: Mapping[str, float]) -> int:
    """Return the tokens of a record, of the mean or the largest of the sections that are asked about."""
    sections = () if cell.record == "none" else _section_tokens(cell.bank(), cell.longest)
    return int(of(sections or [0]) * tokens["reference"])


@functools.lru_cache(maxsize=64)
def _section_tokens(bank: Bank, longest: int) -> tuple[int, ...]:
    """Return the tokens of the section that each question is about, by the reference vocabulary."""
    return tuple(bank.needle(index).tokens for index in bank.order(longest))


@protocol(
    axes=ControlAxes,
    title="Controls of the questions",
    version=2,
    templates={
        "system": (),
        "prefill": (),
        "no_record_prefill": (),
        "without_prefill": ("prefill",),
        "record": ("record", "question", "answers"),
        "no_record": ("question", "answers"),
    },
    size=lambda cell, tokens: _record_tokens(cell, statistics.fmean, tokens) + WITHOUT_RECORD,
    longest=lambda cell, tokens: _record_tokens(cell, max, tokens) + MOST_WITHOUT_RECORD,
    context=None,
    treatments=("longest", "record"),
    guessing=CHANCE,
    choices=len(LETTERS),
    prefix=lambda cell, words, seed, index: f"control/{cell.bank().items[index].section}",
    items=ControlItems,
    validate=_validate,
    gated=lambda cell: cell.record == "right",  # other rates measure guesses and prior knowledge
    report=Report(
        x="record",
        series=lambda params: f"sections of at most {params['longest']:,} tokens",
        names={"right": "the right section", "wrong": "a wrong section", "none": "no section"},
        guessing=CHANCE,
        columns={"above chance": lambda answers: f"{above_chance(answers.rate().rate):+.2f}"},
        by=("record",),
        data=lambda answers: {"record": answers.params["record"]},
        entries="control_letters",
        letters=lambda answers: "with the right section alone" * (answers.params["record"] == "right"),
    ),
)
def control(ask: ProtocolAsk, words: Templates, bank: Bank, trial: TrialNumber, longest: int, record: str) -> Outcome:
    """A question with the `right` section alone, a `wrong` one of at most `longest` tokens, or `none`."""
    choices = choices_in(bank, trial.index, trial.seed)
    section = section_of(bank, trial.index, trial.seed, longest, record)
    shown, kind = (section.text, "") if section else ("", "no_")
    values = {"record": shown, "question": choices.question, "answers": str(choices)}
    text = fill(words[f"{kind}record"], values)
    prefill = words["no_record_prefill" if kind else "prefill"]

    def lexical() -> bool | None:
        """Return whether the option that is verbatim in the right section is the right one; None for other records."""
        right = choices.answer(choices.right)
        return lexically_right([shown], choices.question, right, choices.answers) if record == "right" else None

    answer = ask(
        text,
        expected=choices.right,
        needle=shown,
        prefill=prefill,
        without_prefill=fill(words["without_prefill"], {"prefill": prefill}),
        documents=[section] if section else (),
        lexical=lexical,
    )

    outcome = judge_answer(answer, choices)
    return replace(outcome, marks=[*choices.marks(text, outcome.returned), *mark("record", text, shown)])
