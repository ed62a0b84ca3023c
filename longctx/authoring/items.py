"""Item analysis of a bank's questions, from its controls: how hard they are, and whether answering takes reading.

In the terms of classical test theory, an item's difficulty is the accuracy with the right section alone, and its
discrimination is that rate minus the rate with a wrong section; both conditions are the notebook's (see control.py).
Replies without a readable answer are no evidence about a question and are left out of its rates.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from longctx.protocols.choices import CHANCE, above_chance
from longctx.protocols.control import RECORDS
from longctx.protocols.reports.collage_analysis import Favourite, favourite
from longctx.report.document import Document
from longctx.results.export import cell
from longctx.results.row import Row
from longctx.stats.averaged import Averaged, difference
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate
from longctx.text import count
from longctx.views.chart import Table
from longctx.vocabulary.point import MEASURED

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
    """The kind of fact requested, from the question file; often empty."""
    questions: int
    right: Rate
    wrong: Rate
    none: Rate
    paired: Paired | Averaged
    """The difference between a wrong section and the right one on the same questions."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """The measured replies without a readable answer, by record."""

    def rate_of_replies(self, record: str) -> Rate:
        """Return the accuracy over all replies; those without a readable answer count as wrong."""
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
    """Analyse the rows of the control test for one model and prompt set. facts: the fact behind each question."""
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
    """Sort by discrimination, then by the accuracy with the right section; items that were not measured come last."""

    def place(item: ItemQuality) -> tuple[bool, float, float, str]:
        discrimination = item.discrimination
        return (
            discrimination is None,
            0.0 if discrimination is None else discrimination,
            item.right.rate if item.right.n else 0.0,
            item.name,
        )

    return tuple(sorted(items, key=place))


NAMES = {"right": "right section", "wrong": "wrong section", "none": "no record"}
WORST = {"questions": 10, "facts": 5, "sections": 5}
"""The most rows of each table in a terminal."""


def document(title: str, quality: Quality, notes: Sequence[str], asked: Mapping[str, str], short: bool) -> Document:
    """Return the report. notes: sentences above the tables. asked: the text of each question, by id. short: show only
    the worst, for a terminal."""
    groups = [_groups("facts", quality.facts, short), _groups("sections", quality.sections, short)]
    tables = (controls(quality.overall), _questions(quality.items, asked, short), *filter(None, groups))
    return Document(title, tuple(notes), tables)


def controls(overall: ItemQuality) -> Table:
    """Return the notebook's table: how many are right and wrong with the right section alone, a wrong one, and none."""
    read: list[Rate] = [getattr(overall, record) for record in RECORDS]
    rates = [overall.rate_of_replies(record) for record in RECORDS]
    unread = [rate.n - answers.n for rate, answers in zip(rates, read, strict=True)]
    columns = {
        "record": [NAMES[record] for record in RECORDS],
        "right": [str(answers.correct) for answers in read],
        "wrong": [str(answers.n - answers.correct) for answers in read],
        **({"not readable": list(map(str, unread))} if any(unread) else {}),
        "accuracy [95% interval]": [str(rate) for rate in rates],
        "above chance": [f"{above_chance(rate.rate):+.2f}" if rate.n else "" for rate in rates],
    }
    title = "With the right section alone, with a wrong one, with none"
    return Table.from_columns(title, columns, test="control")


def as_csv(quality: Quality, asked: Mapping[str, str]) -> str:
    """Return a line for each question, the worst first; cells are escaped so that spreadsheets see no formulas."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    counts = [f"{record}_{kind}" for record in RECORDS for kind in ("correct", "n", "unread")]
    writer.writerow(["question", "section", "fact", *counts, "difficulty", "discrimination", "fault", "text"])
    for item in quality.items:
        rates = {record: getattr(item, record) for record in RECORDS}
        numbers = [n for record, rate in rates.items() for n in (rate.correct, rate.n, item.unread.get(record, 0))]
        worth = [f"{item.right.rate:.4f}" if item.right.n else "", _number(item.discrimination, "")]
        names = [cell(text) for text in (item.name, item.section, item.fact)]
        writer.writerow([*names, *numbers, *worth, item.fault, cell(asked.get(item.name, ""))])
    return out.getvalue()


def _questions(items: Sequence[ItemQuality], asked: Mapping[str, str], short: bool) -> Table:
    shown = items[: WORST["questions"]] if short else items
    columns = {
        "question": [item.name for item in shown],
        **_rates(shown),
        "discrimination": [_number(item.discrimination, "-") for item in shown],
        "found": [item.fault for item in shown],
    }
    if not short:
        columns["text"] = [asked.get(item.name, "") for item in shown]
    return Table.from_columns(_title("Questions", len(shown), len(items)), columns, said=("text",))


def _groups(kind: str, items: Sequence[ItemQuality], short: bool) -> Table | None:
    """Return the table of the groups; None if there are none."""
    if not items:
        return None
    shown = items[: WORST[kind]] if short else items
    columns = {
        kind[:-1]: [group.name for group in shown],
        "questions": [str(group.questions) for group in shown],
        **_rates(shown),
        "discrimination [95% interval]": [str(group.paired) for group in shown],
    }
    title = _title(kind.capitalize(), len(shown), len(items))
    return Table.from_columns(title, columns)


def _rates(items: Sequence[ItemQuality]) -> dict[str, list[str]]:
    return {NAMES[record]: [_share(getattr(item, record)) for item in items] for record in RECORDS}


def _title(kind: str, shown: int, of: int) -> str:
    which = f"the worst {shown} of {of}" if shown < of else "worst first"
    return f"{kind} by what the right section is worth, {which}"


def _share(rate: Rate) -> str:
    return f"{rate.correct} of {rate.n}" if rate.n else "-"


def _number(value: float | None, missing: str) -> str:
    return missing if value is None else f"{value:+.2f}"


FEW = 50
"""With fewer questions, the rates of a collage have intervals wider than 14 points to either side."""


def warnings(quality: Quality, kept: int | None) -> Iterator[str]:
    """Yield the reasons why these questions measure little. kept: by the "too hard" filter; None if there is none.

    Most replies could not be read, so they do not count for the questions.
    """
    right, wrong = quality.overall.right, quality.overall.wrong
    if right.n < quality.overall.unread.get("right", 0):
        return
    if right.n and right.lo <= CHANCE:
        yield (
            f"With its right section alone the model is not significantly better than guessing (0.25): {right}. "
            f"{_guessing(quality.favourite)}"
        )
    elif right.n and wrong.n and wrong.rate >= right.rate:
        yield (
            f"These questions can be answered without reading: accuracy is {wrong.rate:.0%} with a wrong section and "
            f"{right.rate:.0%} with the right one."
        )
    elif wrong.n and quality.overall.paired.interval()[0] <= 0:
        yield (
            f"These questions may not require reading: the right section gains {quality.overall.paired} over a wrong "
            "one."
        )
    none = quality.overall.none
    if none.lo > CHANCE and none.n:
        yield f"Some can be guessed, or are known: without any record accuracy is {none}, more than 0.25."
    if kept and kept < FEW:
        yield (
            f"{count(kept, 'question is', 'questions are')} kept, few for a collage: the 95% interval of an accuracy "
            f"over {count(kept, 'answer')} reaches up to {100 * _reach(kept):.0f} points to either side. Try or write "
            "more questions."
        )


def _guessing(favourite: Favourite | None) -> str:
    """Suggest the cause."""
    if favourite and favourite.fixed:
        share = favourite.share
        return f"It answers {favourite.letter} to almost every question ({share.correct:,} of {share.n:,} replies)."
    return "The questions are too hard for it, or their right answers are wrong."


def _reach(n: int) -> float:
    """Return half the width of the interval of an accuracy of 1/2 with n trials."""
    half = Rate(n // 2, n)
    return (half.hi - half.lo) / 2
