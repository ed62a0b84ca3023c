"""Abstention: a question about a collage that contains its section, or does not; every question offers "not in there".

Sources: P. Rajpurkar, R. Jia, P. Liang, "Know What You Don't Know: Unanswerable Questions for SQuAD", 2018,
https://arxiv.org/abs/1806.03822, for questions without an answer in the text; collages are those of long-context QA.
The wording is our own: docs/protocols.md.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import Field

from longctx import Answer, Bank, Outcome, ProtocolAsk, ProtocolCell, Report, Shares, TrialNumber, fill, mark, protocol
from longctx.protocols import choices as multiple_choice
from longctx.protocols.choices import LETTERS, LETTERS_OF, OWN, Choices, choices_in, earlier, letters_of, version_of
from longctx.protocols.collages import (
    CollagesAxes,
    Record,
    around,
    collage_tokens,
    fitting,
    section_count,
    validate_collage,
)
from longctx.vocabulary.bank import Section
from longctx.vocabulary.lexical import lexically_right
from longctx.vocabulary.point import Point, Templates

if TYPE_CHECKING:
    from longctx import Answers, Rate

SECTIONS = "present", "absent"
RIGHT = {"present": "right answer, section in the record", "absent": "abstention, section left out"}
OFTEN = 0.2
"""The share from which inventions or needless refusals are a finding."""
"""Whether the record contains the section that answers the question."""
NOT_THERE, NEEDLESS, INVENTED = "not_there", "needless_refusal", "invented"
"""Keys of a trace: the reply states that the record does not answer; it says so though the record does; it gives an
answer though the record has none."""

GUESSED = 0.2
"""The accuracy that guessing alone reaches."""


class AbstentionAxes(CollagesAxes):
    """Every budget (tokens) and depth, with the section that answers and without it.

    The gate judges the two apart, in bands such as `long present` and `long absent`. trials: how many questions of a
    band are asked in each.
    """

    sections: tuple[str, ...] = Field(default=SECTIONS, min_length=1)
    """`"present"`: the record contains the section that answers; `"absent"`: it does not, and the right
    answer is that there is none. In a table with both, half of the trials need an abstention."""
    letters: LETTERS_OF = OWN
    """The letters of the answers, as in long-context QA: `"own"` or those of the `"control"`."""

    def gate_band(self, cell: Point) -> str:
        return f"{self.band(cell)} {cell.params['section']}"

    def cells(self) -> Iterator[dict[str, object]]:
        letters = letters_of(self.letters)
        for budget, depth, section in itertools.product(self.budgets, self.percents, self.sections):
            yield {
                "budget": budget,
                "longest": self.longest,
                "depth": depth,
                "section": section,
                "letters": letters,
            }


def record_with(bank: Bank, index: int, seed: int, cell: ProtocolCell) -> Record:
    """Return the record. Raises ValueError if there are no other sections."""
    needle, present = bank.needle(index), cell.section == "present"
    others, instead = _others(bank, index, seed, cell.budget, cell.longest)
    place = round(cell.depth / 100 * len(others))
    sections = (*others[:place], *((needle,) if present else instead), *others[place:])
    if not sections:
        raise ValueError(
            f"a record of {cell.budget} tokens has no room for another section than {needle.id}: use a larger one."
        )
    return Record(sections, place, needle if present else None)


@functools.lru_cache(maxsize=2048)
def _others(
    bank: Bank, index: int, seed: int, budget: int, longest: int
) -> tuple[tuple[Section, ...], tuple[Section, ...]]:
    """Return the sections that fit in the budget with the needle, and further ones that fit in the needle's place."""
    needle = bank.needle(index)
    others = tuple(fitting(bank.others(index, seed, longest), budget - needle.tokens))
    taken = {section.id for section in others}
    rest = (section for section in bank.others(index, seed, longest) if section.id not in taken)
    return others, tuple(fitting(rest, budget - sum(section.tokens for section in others)))


def five_choices(bank: Bank, index: int, seed: int, not_there: str, cell: ProtocolCell) -> tuple[Choices, str]:
    """Return a question with its four answers and `not_there`, and the letter of that."""
    four = choices_in(bank, index, seed, cell.letters)
    at = int(bank.stream("not there", seed, bank.items[index].id).randint(len(four.answers) + 1))
    five = Choices(four.question, (*four.answers[:at], not_there, *four.answers[at:]), "")
    right = bank.items[index].right if cell.section == "present" else not_there
    return replace(five, right=five.letters[five.answers.index(right)]), five.letters[at]


def _validate(cell: ProtocolCell) -> None:
    if cell.section not in SECTIONS:
        raise ValueError(f"`sections`: there is no {cell.section!r}: choose from {', '.join(SECTIONS)}.")
    if not 1 <= cell.longest < cell.budget:
        raise ValueError(
            f"besides sections of up to {cell.longest} tokens (the entry `longest`) a record of {cell.budget} (the "
            f"entry `budgets`) has no others: set `longest` to a number from 1 to {cell.budget - 1}."
        )
    validate_collage(cell)


def _invented(answers: Answers) -> Rate:
    """Return the share of trials without the section in which an answer is given all the same."""
    return answers.rate(lambda row: INVENTED in row.trace, lambda row: row.params["section"] == "absent")


def _refused(answers: Answers) -> Rate:
    """Return the share of trials with the section in which it is said not to be there, or the model refuses."""
    return answers.rate(
        lambda row: NEEDLESS in row.trace or row.outcome == "refusal", lambda row: row.params["section"] == "present"
    )


def _wrong(answers: Answers) -> Iterator[tuple[int, str, Rate]]:
    named = earlier(answers.params)
    yield answers.params["budget"], f"invention, section left out{named}", _invented(answers)
    yield answers.params["budget"], f"needless refusal, section in the record{named}", _refused(answers)


def _often(answers: Answers) -> Iterator[str]:
    invented, refused = _invented(answers), _refused(answers)
    if invented.n and invented.lo > OFTEN:
        yield f"in {invented.correct:,} of {invented.n:,} trials without the section an answer is invented"
    if refused.n and refused.lo > OFTEN:
        yield f"in {refused.correct:,} of {refused.n:,} trials with the section it is said not to be there"


REPORT = Report(
    x="budget",
    axis="tokens of the record",
    series=lambda params: RIGHT[params["section"]] + earlier(params),
    guessing=GUESSED,
    by=("budget", "letters"),
    charts=(
        Shares(
            name="wrong",
            title="Inventions and needless refusals",
            x="budget",
            axis="tokens of the record",
            points=_wrong,
            value="share of trials",
            table="inventions and needless refusals [95% interval]",
        ),
    ),
    findings=_often,
    letters=lambda answers: f"in {answers.params['budget']:,} tokens",
    data=lambda answers: {
        "budget": answers.params["budget"],
        "version": version_of(answers.params),
        "absent": _invented(answers).n,
        "invented": _invented(answers).correct,
        "present": _refused(answers).n,
        "needlessly_refused": _refused(answers).correct,
    },
)


@protocol(
    axes=AbstentionAxes,
    title="Abstention",
    version=2,
    templates={
        "system": (),
        "prompt": ("record", "question", "answers"),
        "not_there": (),
        "prefill": (),
        "without_prefill": ("prefill",),
    },
    size=collage_tokens,
    length="budget",
    context="budget",
    position="depth",
    treatments=("budget", "longest", "depth"),
    guessing=GUESSED,
    choices=len(LETTERS) + 1,
    prefix=lambda cell, words, seed, index: f"abstention/{cell.budget}/{index:06d}/{cell.depth:03d}",
    pieces=section_count,
    validate=_validate,
    earlier={"letters": 'letters = "control"'},
    report=REPORT,
)
def abstention(
    ask: ProtocolAsk,
    words: Templates,
    bank: Bank,
    trial: TrialNumber,
    cell: ProtocolCell,
    budget: int,
    longest: int,
    depth: int,
    section: str,
    letters: str | None = None,
) -> Outcome:
    """A collage as in long-context QA, with the `section` that is asked about, or with others in its place."""
    present = section == "present"
    record = record_with(bank, trial.index, trial.seed, cell)
    choices, not_there = five_choices(bank, trial.index, trial.seed, words["not_there"], cell)
    right, prefill = choices.answer(choices.right), words["prefill"]
    before, after = around(words["prompt"], {"question": choices.question, "answers": str(choices)})
    text = before + record.text + after

    def lexical() -> bool:
        """Return whether the lexical baseline answers: it looks for words, and abstains only by chance."""
        texts = [section.text for section in record.sections]
        return lexically_right(texts, choices.question, right, choices.answers)

    answer = ask(
        text,
        expected=choices.right,
        depth=min((len(before) + record.start) / len(text), 1.0),
        prefill=prefill,
        without_prefill=fill(words["without_prefill"], {"prefill": prefill}),
        params={"sections": len(record.sections)},
        documents=record.sections,
        pieces=lambda: record.in_pieces(before, after, right),
        lexical=lexical,
    )

    outcome = judge_answer(answer, choices, not_there, present)
    needle = mark("needle", text, record.needle.text) if record.needle else []
    return replace(outcome, marks=[*choices.marks(text, outcome.returned), *needle])


def judge_answer(answer: Answer, choices: Choices, not_there: str, present: bool) -> Outcome:
    """Judge an answer. not_there: the letter that says that the record does not answer.

    A check, whether a question with an answer in the record is not refused, neither by the answer nor by the model:
    the share of needless refusals is one minus this check's accuracy.
    """
    outcome = multiple_choice.judge_answer(answer, choices)
    if outcome.kind in ("correct", "wrong"):
        trace = {} if present else {INVENTED: 1}
        if outcome.returned == not_there:
            trace = {NOT_THERE: 1, **({NEEDLESS: 1} if present else {})}
        outcome = replace(outcome, trace=trace)
    answers = {"answers": NEEDLESS not in outcome.trace and outcome.kind != "refusal"} if present else {}
    return replace(outcome, checks=answers)
