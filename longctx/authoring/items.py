"""Item analysis of a bank's questions, from its controls: how hard they are, and whether answering takes reading.

In the terms of classical test theory, an item's difficulty is the rate with the right section alone, and its
discrimination is that rate minus the rate with a wrong section; both conditions are the notebook's (see control.py).
Replies without a readable answer are no evidence about a question and are left out of its rates.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from longctx.protocols.control import RECORDS
from longctx.protocols.reports.collage_analysis import Favourite, favourite
from longctx.results.row import Row
from longctx.stats.averaged import Averaged, difference
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate
from longctx.vocabulary.cell import MEASURED

READ = ("correct", "wrong")
"""The outcomes of replies with a readable answer."""

HeldAnswers = dict[str, list[str]]
"""The outcomes with each record, one for each repeat."""


@dataclass(frozen=True, slots=True)
class ItemQuality:
    """The quality of a question, or of a group of `questions`.

    right, wrong, none: the rates, among readable answers, with the right section alone, a wrong one, and no record.
    """

    name: str
    section: str
    fact: str
    """What is asked for, from the question file; often empty."""
    questions: int
    right: Rate
    wrong: Rate
    none: Rate
    paired: Paired | Averaged
    """The difference between a wrong section and the right one on the same questions."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """The measured replies without a readable answer, by record."""

    def rate_of_replies(self, record: str) -> Rate:
        """Return the rate over all replies; those without a readable answer count as wrong."""
        rate: Rate = getattr(self, record)
        return Rate(rate.correct, rate.n + self.unread.get(record, 0))

    @property
    def discrimination(self) -> float | None:
        """The discrimination, -1 to 1; None if one of the two conditions has no readable answer."""
        return self.right.rate - self.wrong.rate if self.right.n and self.wrong.n else None

    @property
    def fault(self) -> str:
        """The fault that these answers show; empty if there is none."""
        discrimination = self.discrimination
        if discrimination is None:
            return "no readable answer" if any(self.unread.values()) else "not measured"
        if discrimination < 0:
            return "better with a wrong section"
        if not self.right.correct:
            return "missed with its own section"
        return "" if discrimination else "as good with a wrong section"


@dataclass(frozen=True, slots=True)
class Quality:
    """One model's answers to a bank with one prompt set.

    facts, sections: groups with several questions.
    """

    model: str
    prompt_set: str
    overall: ItemQuality
    """All questions; each list has the worst first."""
    items: tuple[ItemQuality, ...]
    facts: tuple[ItemQuality, ...]
    sections: tuple[ItemQuality, ...]
    favourite: Favourite | None = None
    """The letter that the model gives most often, if any."""


def quality(rows: Sequence[Row], facts: Mapping[str, str]) -> Quality:
    """Analyse the rows of the control test for one model and prompt set. facts: the fact of each question."""
    answers: dict[str, HeldAnswers] = defaultdict(lambda: defaultdict(list))
    sections: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: row.repeat):
        name = str(row.item).rpartition("@")[0]
        sections[name] = row.cluster or ""
        answers[name][str(row.params["record"])].append(row.outcome)
    each = [_item(name, sections[name], facts.get(name, ""), [answers[name]]) for name in answers]
    named = {name: fact for name, fact in facts.items() if fact and name in answers}
    return Quality(
        model=rows[0].model,
        prompt_set=rows[0].prompt_set,
        overall=_item("all", "", "", answers.values()),
        items=_worst_first(each),
        facts=_grouped(answers, named, lambda name, held: _item(name, "", name, held)),
        sections=_grouped(answers, sections, lambda name, held: _item(name, name, "", held)),
        favourite=favourite(row.returned for row in rows),
    )


def _grouped(
    answers: Mapping[str, HeldAnswers], groups: Mapping[str, str], make: Callable[[str, list[HeldAnswers]], ItemQuality]
) -> tuple[ItemQuality, ...]:
    """Analyse groups of several questions. groups: the group of each question."""
    held_by: dict[str, list[HeldAnswers]] = defaultdict(list)
    for question, group in groups.items():
        held_by[group].append(answers[question])
    return _worst_first(make(name, held) for name, held in held_by.items() if len(held) > 1)


def _item(name: str, section: str, fact: str, held: Iterable[HeldAnswers]) -> ItemQuality:
    questions = list(held)
    outcomes = {record: [outcome for answers in questions for outcome in answers.get(record, ())] for record in RECORDS}
    by_question = [
        [
            ((int(wrong == "correct"),), (int(right == "correct"),))
            for wrong, right in zip(answers.get("wrong", ()), answers.get("right", ()), strict=False)
            if wrong in READ and right in READ
        ]
        for answers in questions
    ]
    return ItemQuality(
        name,
        section,
        fact,
        len(questions),
        **{
            record: Rate(replies.count("correct"), sum(outcome in READ for outcome in replies))
            for record, replies in outcomes.items()
        },
        paired=difference(by_question),
        unread={
            record: sum(outcome in MEASURED and outcome not in READ for outcome in replies)
            for record, replies in outcomes.items()
        },
    )


def _worst_first(items: Iterable[ItemQuality]) -> tuple[ItemQuality, ...]:
    """Sort by discrimination, then by the rate with the right section; items that were not measured come last."""

    def place(item: ItemQuality) -> tuple[bool, float, float, str]:
        discrimination = item.discrimination
        return (
            discrimination is None,
            0.0 if discrimination is None else discrimination,
            item.right.rate if item.right.n else 0.0,
            item.name,
        )

    return tuple(sorted(items, key=place))
