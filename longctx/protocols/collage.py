"""Long-context QA: a multiple-choice question about one section of a randomized collage of notices.

Source: the notebook "Experimentally Testing Claude's Long-Context QA Abilities" (Anthropic, 2023). Where its text and
its program differ, the text is followed: one copy of the needle section, the true middle, one answer per line, and no
examples from the needle's section.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from dataclasses import asdict, replace

from longctx import Answer, Bank, Count, Outcome, ProtocolAsk, ProtocolCell, TrialNumber, fill, mark, protocol
from longctx.protocols import choices as multiple_choice
from longctx.protocols.choices import CHANCE, LETTERS, LETTERS_OF, OWN, Choices, choices_in, letters_of
from longctx.protocols.collages import (
    PERCENTS,
    CollageItems,
    CollagesAxes,
    Depth,
    Distractors,
    Record,
    around,
    collage_tokens,
    count,
    examples,
    look_up,
    needles_of,
    others_of,
    record_of,
    section_count,
    validate_collage,
)
from longctx.vocabulary.bank import Section
from longctx.vocabulary.grid import QUESTIONS, questions_of
from longctx.vocabulary.lexical import lexically_right
from longctx.vocabulary.point import Templates

EXAMPLES = {"none": 0, "unrelated": 0, "two": 2, "five": 5}
"""How many examples each variant takes from the same collage. Each variant exists with and without a scratchpad."""
PREFILLS = {"none": "prefill", "unrelated": "unrelated_prefill", "examples": "examples_prefill"}
"""The template that begins the answer without a scratchpad. The notebook begins it only without examples."""
VARIANTS = tuple(f"{name}{pad}" for pad in ("", "_scratchpad") for name in EXAMPLES)


class CollageAxes(CollagesAxes):
    """Every budget (tokens), depth and variant. trials: how many of the filtered questions are sent."""

    depths: tuple[Depth, ...] = tuple(PERCENTS)
    variants: tuple[str, ...] = VARIANTS
    """Prompts: which examples, with or without a scratchpad."""
    spread: bool = False
    """Whether the cells of a budget use different questions."""
    questions: int = QUESTIONS
    """How many trials ask about one collage: it contains the sections of all of them, one after another."""
    distractors: Distractors = (None,)
    """How many sections share the most words with the question without answering it, 0 to 16; by default, as many as
    the random draw contains."""
    letters: LETTERS_OF = OWN
    """`"own"`: the letters of the answers are drawn for collages; `"control"`: they are those of the control, as in
    earlier recordings. A filter that is made from the control selects the model's favourite letter among these."""
    max_tokens: Count = 3000

    def cells(self) -> Iterator[dict[str, object]]:
        placed = list(itertools.product(self.percents, self.variants))
        for budget, (place, (depth, variant)) in itertools.product(self.budgets, enumerate(placed)):
            for distractors in self.distractors:
                yield {
                    "budget": budget,
                    "longest": self.longest,
                    "depth": depth,
                    "variant": variant,
                    "questions": questions_of(self.questions),
                    "distractors": distractors,
                    "letters": letters_of(self.letters),
                    "share": (place, len(placed)) if self.spread else None,
                }


def template_of(variant: str) -> tuple[str, bool]:
    """Return the template of a variant, which those with examples share, and whether it requests a scratchpad."""
    name, _, pad = variant.partition("_")
    return "examples" if EXAMPLES[name] else name, bool(pad)


def answered_by_words(cell: ProtocolCell, index: int, seed: int = 0) -> bool:
    """Return whether the lexical baseline answers a question. Where its section is placed makes no difference."""
    sections = (*others_of(cell, index, seed), *needles_of(cell, index))
    return _answered_by_words(choices_in(cell.bank(), index, seed, cell.letters), sections)


@functools.lru_cache(maxsize=2048)
def _answered_by_words(choices: Choices, sections: tuple[Section, ...]) -> bool:
    texts = [section.text for section in sections]
    return lexically_right(texts, choices.question, choices.answer(choices.right), choices.answers)


def _prefix(cell: ProtocolCell, words: Templates, seed: int, index: int) -> str:
    name, _, _ = cell.variant.partition("_")
    first = cell.items.together(index)[0]
    shared = f"/{cell.questions}" if cell.questions else ""
    return f"collage/{cell.budget}/{first:06d}/{cell.depth:03d}{shared}/{EXAMPLES[name]}-{template_of(name)[0]}"


def _validate(cell: ProtocolCell) -> None:
    if cell.variant not in VARIANTS:
        raise ValueError(f"`variants`: there is no variant {cell.variant!r}: choose from {', '.join(VARIANTS)}.")
    validate_collage(cell)


@protocol(
    axes=CollageAxes,
    title="Long-context QA",
    version=2,
    templates={
        "system": (),
        "prefill": (),
        "unrelated_prefill": (),
        "examples_prefill": (),
        "without_prefill": ("prefill",),
        "example": ("question", "answers", "correct_answer"),
        **{
            f"{name}{pad}": ("record", "question", "answers", *(["examples"] if name == "examples" else []))
            for name in ("none", "unrelated", "examples")
            for pad in ("", "_scratchpad")
        },
    },
    size=collage_tokens,
    length="budget",
    context="budget",
    position="depth",
    variant="variant",
    treatments=("budget", "longest", "depth", "variant", "questions", "distractors"),
    guessing=CHANCE,
    choices=len(LETTERS),
    prefix=_prefix,
    items=CollageItems,
    pieces=section_count,
    validate=_validate,
    apart=("share",),
    earlier={"letters": 'letters = "control"'},
    report="longctx.protocols.reports.collage_report:REPORT",
)
def collage(
    ask: ProtocolAsk,
    words: Templates,
    bank: Bank,
    trial: TrialNumber,
    cell: ProtocolCell,
    budget: int,
    longest: int,
    depth: int,
    variant: str,
    questions: int | None = None,
    distractors: int | None = None,
    letters: str | None = None,
    share: tuple[int, int] | None = None,
) -> Outcome:
    """A collage of at most `budget` tokens with its needle at `depth` percent (0 = first section, 100 = last).

    Sections longer than `longest` tokens, and the questions about them, are left out. `questions` trials ask about one
    collage, which contains the sections of all of them; None for one. Of the MOST_DISTRACTORS sections that share most
    words with the question, and do not answer it, the collage holds `distractors`; None leaves it to chance. A question
    has the same collage in every `variant`. `letters`: its own ones, or None for those of the control. share: (place,
    of): the cell's index, from 0, among so many cells that share the questions out.
    """
    index, seed = trial.index, trial.seed
    record, choices = record_of(cell, index, seed), choices_in(bank, index, seed, letters)
    kind, padded = template_of(variant)
    values = {
        "question": choices.question,
        "answers": str(choices),
        "examples": examples(cell, words["example"], index, seed, EXAMPLES[variant.partition("_")[0]]),
    }
    before, after = around(words[f"{kind}_scratchpad" if padded else kind], values)
    text = before + record.text + after
    prefill = "" if padded else words[PREFILLS[kind]]

    answer = ask(
        text,
        expected=choices.right,
        depth=(len(before) + record.start) / len(text),
        prefill=prefill,
        without_prefill=fill(words["without_prefill"], {"prefill": prefill}),
        params={"sections": len(record.sections)},
        documents=record.sections,
        pieces=lambda: record.in_pieces(before, after, choices.answer(choices.right)),
        lexical=lambda: answered_by_words(cell, index, seed),
    )

    outcome = judge_answer(answer, choices, record, padded)
    marks = choices.marks(text, outcome.returned) + mark("needle", text, bank.needle(index).text)
    if outcome.kind == "wrong" and outcome.returned:
        wrong = re.escape(choices.answer(outcome.returned))
        if place := re.search(wrong, record.text, re.IGNORECASE):
            marks += mark("where the wrong answer is", text, place[0])
    return replace(outcome, marks=marks)


def judge_answer(answer: Answer, choices: Choices, record: Record, padded: bool) -> Outcome:
    """Judge the letter of an answer, and look up the quotes of its scratchpad."""
    outcome = multiple_choice.judge_answer(answer, choices)
    if not padded:
        return outcome
    assert record.needle is not None
    found = look_up(answer.text, record.text, record.needle.text)
    return replace(outcome, trace={**outcome.trace, **asdict(count(found))}, quotes=found)
