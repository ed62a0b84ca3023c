"""The grids of long-context QA: collages, and the controls of their questions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from longctx import Bank, Count, Grid, Scenario
from longctx.families.long_context_qa.collage import MOST_DISTRACTORS, OTHER_TOKENS, POSITIONS, VARIANTS, Collage
from longctx.families.long_context_qa.control import RECORDS, Control
from longctx.vocabulary.bank import SHIPPED
from longctx.vocabulary.grid import QUESTIONS, Size, questions_of


def _depth(value: Any) -> str | int:
    if value in POSITIONS or (type(value) is int and 0 <= value <= 100):
        return value  # type: ignore[no-any-return]
    raise ValueError(f"a depth is {', '.join(POSITIONS)}, or a percentage of 0 to 100")


Depth = Annotated[Any, BeforeValidator(_depth)]


def _several(value: Any) -> Any:
    return (value,) if type(value) is int else value


DistractorCount = Annotated[int, Field(ge=0, le=MOST_DISTRACTORS, strict=True)]
Distractors = Annotated[tuple[DistractorCount | None, ...], BeforeValidator(_several), Field(min_length=1)]


class BankGrid(Grid):
    """The entries of a family that asks the questions of a bank."""

    bank: str = Field(default=SHIPPED, min_length=1)
    """The name of documents and questions, fixtures/NAME and fixtures/questions/NAME.jsonl."""

    @property
    def draws_on(self) -> str:
        return self.bank


class CollageGrid(BankGrid):
    """Every budget (tokens), depth and variant. trials: how many of the filtered questions are asked."""

    sizes: ClassVar[str] = "budgets"
    budgets: tuple[Size, ...] = Field(min_length=1)
    """Tokens of the record, by the reference vocabulary; or shares of the model's window."""
    longest: Count = 5000
    """Tokens: longer sections, and questions about them, are left out."""
    depths: tuple[Depth, ...] = tuple(POSITIONS)
    """Where the needle's section is: `"beginning"`, `"middle"`, `"end"`, or a percentage."""
    variants: tuple[str, ...] = VARIANTS
    """Prompts: which examples, with or without a scratchpad."""
    spread: bool = False
    """Whether the scenarios of a budget ask different questions, rather than the same."""
    questions: int = QUESTIONS
    """How many trials ask about one collage: it holds the sections of all of them, one after another."""
    distractors: Distractors = (None,)
    """How many sections resemble that of the question in words and do not answer it: 0 to 16, or several such numbers;
    without the entry, as many as chance brings."""
    max_tokens: Count = 3000
    """The most tokens of a reply."""

    def size_in(self, room: int, tokens: Mapping[str, float]) -> float:
        return (room - self.max_tokens - OTHER_TOKENS) / tokens["reference"]

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        placed = list(itertools.product(self.depths, self.variants))
        for budget, (place, (depth, variant)) in itertools.product(self.budgets, enumerate(placed)):
            share = (place, len(placed)) if self.spread else None
            percent, most = POSITIONS.get(depth, depth), self.max_tokens
            several = questions_of(self.questions)
            for distractors in self.distractors:
                yield Collage(
                    budget,
                    self.longest,
                    percent,
                    variant,
                    max_tokens=most,
                    bank=bank,
                    share=share,
                    questions=several,
                    distractors=distractors,
                )


class ControlGrid(BankGrid):
    """The records that questions are asked with. trials: how many questions are asked, of all."""

    longest: Count = 5000
    """Tokens: longer sections, and questions about them, are left out."""
    records: tuple[str, ...] = RECORDS
    """What a question is asked with: the right section alone, a wrong one, none."""
    max_tokens: Count = 3000
    """The most tokens of a reply."""

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for record in self.records:
            yield Control(self.longest, record, max_tokens=self.max_tokens, bank=bank)
