"""Short answers: the questions of long-context QA whose answer is a few words, without answers to choose from.

Nothing is gained by guessing, or by a liking for a letter. Source of the judgement, by normalised match:
P. Rajpurkar et al., "SQuAD", 2016, https://arxiv.org/abs/1606.05250, section 6; collages are those of long-context QA.
The wording is our own: docs/protocols.md.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from longctx import (
    Answer,
    Bank,
    Count,
    Mark,
    Outcome,
    ProtocolAsk,
    ProtocolCell,
    TrialNumber,
    mark,
    protocol,
    unanswered,
)
from longctx.protocols.collages import (
    CollageItems,
    CollagesAxes,
    Distractors,
    around,
    collage_tokens,
    record_of,
    section_count,
    validate_collage,
)
from longctx.vocabulary.bank import Item
from longctx.vocabulary.lexical import lexically_right
from longctx.vocabulary.occurrence import core, plain
from longctx.vocabulary.point import Templates
from longctx.vocabulary.reading import simplified

MOST_WORDS = 6
"""The most words of a right answer that can be compared word by word."""
MOST_GIVEN = 25
"""The most words of an answer in which an accepted form is looked for: a longer one is no short answer."""
MOST_SHOWN = 200
"""The most characters that a row keeps of an answer that is too long."""
QUANTITY = re.compile(r"(\d+(?:[.,]\d+)*) [^\W\d]+(?: [^\W\d]+)?")
"""A number with its unit, which is understood without the unit, too."""


class ShortAnswersAxes(CollagesAxes):
    """Every budget (tokens), depth and number of distractors. trials: how many questions are sent."""

    distractors: Distractors = (None,)
    """How many sections resemble that of the question in words and do not answer it, as in long-context QA."""
    max_tokens: Count = 64

    def cells(self) -> Iterator[dict[str, object]]:
        for budget, depth, distractors in itertools.product(self.budgets, self.percents, self.distractors):
            yield {"budget": budget, "longest": self.longest, "depth": depth, "distractors": distractors}


class ShortItems(CollageItems):
    """The questions that a few words answer."""

    def asked(self) -> Iterable[int]:
        items = self.bank.items
        return (index for index in super().asked() if is_short(items[index].right)) if self.bank.literal else ()

    @property
    def why_empty(self) -> str:
        if not self.bank.literal:
            return "its bank's answers are paraphrases, which cannot be judged by their words"
        if any(True for _ in super().asked()):
            return f"none of the questions that it may ask has a right answer of at most {MOST_WORDS} words"
        return super().why_empty


def is_short(right: str) -> bool:
    """Return whether an answer can be judged without answers to choose from."""
    return 0 < len(core(right).split()) <= MOST_WORDS


def _prefix(cell: ProtocolCell, words: Templates, seed: int, index: int) -> str:
    distractors = "" if cell.distractors is None else f"/{cell.distractors:02d}"
    return f"short_answers/{cell.budget}/{index:06d}/{cell.depth:03d}{distractors}"


@protocol(
    axes=ShortAnswersAxes,
    title="Short answers",
    version=2,
    templates={"system": (), "prompt": ("record", "question")},
    size=collage_tokens,
    length="budget",
    context="budget",
    position="depth",
    treatments=("budget", "longest", "depth", "distractors"),
    prefix=_prefix,
    items=ShortItems,
    pieces=section_count,
    validate=validate_collage,
)
def short_answers(
    ask: ProtocolAsk,
    words: Templates,
    bank: Bank,
    trial: TrialNumber,
    cell: ProtocolCell,
    budget: int,
    longest: int,
    depth: int,
    distractors: int | None = None,
) -> Outcome:
    """A collage as in long-context QA, and a question about one of its sections that a few words answer."""
    item, needle = bank.items[trial.index], bank.needle(trial.index).text
    record = record_of(cell, trial.index, trial.seed)
    before, after = around(words["prompt"], {"question": item.question})
    text = before + record.text + after

    def lexical() -> bool:
        """Return whether the section that matching words picks contains the answer: a reader of it would know."""
        return lexically_right([section.text for section in record.sections], item.question, item.right)

    answer = ask(
        text,
        expected=item.right,
        accepted=item.accepted,
        depth=(len(before) + record.start) / len(text),
        params={"sections": len(record.sections)},
        documents=record.sections,
        pieces=lambda: record.in_pieces(before, after, item.right),
        lexical=lexical,
    )

    start = text.rindex(item.question)
    question = Mark("question", start, start + len(item.question))
    return replace(judge_answer(answer, item), marks=[*mark("needle", text, needle), question])


def judge_answer(answer: Answer, item: Item) -> Outcome:
    """Judge the content of the last <Answer> tags, or the text without any.

    It is right if it contains an accepted form, and no wrong answer of the question besides it.
    """
    tagged = re.findall(r"<answer\s*>(.*?)(?:</answer|$)", answer.text, re.IGNORECASE | re.DOTALL)
    given = " ".join((tagged[-1] if tagged else answer.text).split())
    words = plain(simplified(given))
    if answer.stop_reason == "refusal" or not words or (answer.cut_off and not tagged):
        return unanswered(answer, "no answer in the reply")
    if len(words.split()) > MOST_GIVEN:
        return Outcome("unparseable", given[:MOST_SHOWN], f"more than {MOST_GIVEN} words")
    rest = without(words, [form for each in (item.right, *item.accepted) for form in forms(each)])
    beside = next((each for each in item.wrong if without(rest, forms(each)) != rest), None)
    if beside is not None:
        return Outcome("wrong", given, f"it holds {beside!r}")
    if rest != words:
        return Outcome("correct", given, "an accepted form of the right answer")
    return Outcome("wrong", given, f"it does not hold {item.right!r}")


def forms(answer: str) -> Iterator[str]:
    """Yield the normalised forms of an answer: without leading words, and a quantity without its unit, too."""
    yield core(answer)
    if quantity := QUANTITY.fullmatch(core(answer)):
        yield quantity[1]


def without(words: str, forms: Iterable[str]) -> str:
    """Return normalised words without these forms, the longest first; a bar is where one was."""
    for form in sorted(filter(None, forms), key=len, reverse=True):
        words = f" {words} ".replace(f" {form} ", " | ").strip()
    return words
