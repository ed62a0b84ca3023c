"""What each question of a bank is worth, from its controls: how hard it is, and whether it takes reading to answer it.

Difficulty: the rate with the right section alone. Discrimination: that rate minus the one with a wrong section. The
words are those of classical test theory; the two conditions are the notebook's (see scenarios/control.py). A reply
without an answer that can be read is no evidence on a question: rates of questions are of the answers that were read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from longctx.families.long_context_qa.analysis import Favourite, favourite
from longctx.results.row import Row
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate
from longctx.vocabulary.scenario import MEASURED

RECORDS = ("right", "wrong", "none")

READ = ("correct", "wrong")
"""Outcomes of a reply whose answer could be read."""

Answers = dict[str, list[str]]
"""Record -> outcomes, repeat by repeat."""


@dataclass(frozen=True, slots=True)
class ItemQuality:
    """A question, or the questions of a group: `questions` of them. fact: as the question file says; often empty.

    right, wrong, none: rates with the right section alone, a wrong one, no record, of the answers that could be read.
    unread: record -> measured replies without one. paired: from a wrong section to the right one, same questions.
    """

    name: str
    section: str
    fact: str
    questions: int
    right: Rate
    wrong: Rate
    none: Rate
    paired: Paired
    unread: Mapping[str, int] = field(default_factory=dict)

    def measured(self, record: str) -> Rate:
        """The rate over all replies: one without a readable answer is not correct."""
        rate: Rate = getattr(self, record)
        return Rate(rate.correct, rate.n + self.unread.get(record, 0))

    @property
    def discrimination(self) -> float | None:
        """-1 to 1; None where one of the two has no answer that was read."""
        return self.right.rate - self.wrong.rate if self.right.n and self.wrong.n else None

    @property
    def fault(self) -> str:
        """What is wrong with it, as far as these answers tell; empty where nothing is."""
        found = self.discrimination
        if found is None:
            return "no readable answer" if any(self.unread.values()) else "not measured"
        if found < 0:
            return "better with a wrong section"
        if not self.right.correct:
            return "missed with its own section"
        return "" if found else "as good with a wrong section"


@dataclass(frozen=True, slots=True)
class Quality:
    """One model's answers to a bank, in one wording. whole: of all questions; each list has the worst first.

    facts, sections: those with several questions. favourite: the letter it gives most often; None without any.
    """

    model: str
    prompt_set: str
    whole: ItemQuality
    items: tuple[ItemQuality, ...]
    facts: tuple[ItemQuality, ...]
    sections: tuple[ItemQuality, ...]
    favourite: Favourite | None = None


def quality(rows: Sequence[Row], facts: Mapping[str, str]) -> Quality:
    """rows: of the control family, of one model and prompt set. facts: by question."""
    answers: dict[str, Answers] = defaultdict(lambda: defaultdict(list))
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
        whole=_item("all", "", "", answers.values()),
        items=_worst_first(each),
        facts=_grouped(answers, named, lambda name, found: _item(name, "", name, found)),
        sections=_grouped(answers, sections, lambda name, found: _item(name, name, "", found)),
        favourite=favourite(row.returned for row in rows),
    )


def _grouped(
    answers: Mapping[str, Answers], groups: Mapping[str, str], make: Callable[[str, list[Answers]], ItemQuality]
) -> tuple[ItemQuality, ...]:
    """groups: question -> the name of its group."""
    found: dict[str, list[Answers]] = defaultdict(list)
    for question, group in groups.items():
        found[group].append(answers[question])
    return _worst_first(make(name, held) for name, held in found.items() if len(held) > 1)


def _item(name: str, section: str, fact: str, held: Iterable[Answers]) -> ItemQuality:
    questions = list(held)
    outcomes = {record: [one for answers in questions for one in answers.get(record, ())] for record in RECORDS}
    pairs = Counter(
        pair
        for answers in questions
        for pair in zip(answers.get("wrong", ()), answers.get("right", ()), strict=False)
        if pair[0] in READ and pair[1] in READ
    )
    return ItemQuality(
        name,
        section,
        fact,
        len(questions),
        **{
            record: Rate(found.count("correct"), sum(one in READ for one in found))
            for record, found in outcomes.items()
        },
        paired=Paired(pairs["wrong", "correct"], pairs["correct", "wrong"], pairs.total()),
        unread={
            record: sum(one in MEASURED and one not in READ for one in found) for record, found in outcomes.items()
        },
    )


def _worst_first(items: Iterable[ItemQuality]) -> tuple[ItemQuality, ...]:
    """By discrimination, then by the rate with the right section; what was not measured comes last."""

    def place(one: ItemQuality) -> tuple[bool, float, float, str]:
        found = one.discrimination
        return (found is None, 0.0 if found is None else found, one.right.rate if one.right.n else 0.0, one.name)

    return tuple(sorted(items, key=place))
