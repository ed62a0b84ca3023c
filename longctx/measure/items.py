"""What each question of a bank is worth, from its controls: how hard it is, and whether it takes reading to answer it.

Difficulty: the rate with the right section alone. Discrimination: that rate minus the one with a wrong section. The
words are those of classical test theory; the two conditions are the notebook's (see scenarios/control.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from longctx.measure.paired import Paired
from longctx.measure.rates import Rate
from longctx.measure.summary import MEASURED

RECORDS = ("right", "wrong", "none")

Answers = dict[str, list[bool | None]]
"""Record -> right or wrong, repeat by repeat; None where a repeat was not measured."""


@dataclass(frozen=True, slots=True)
class Item:
    """A question, or the questions of a group: `questions` of them. fact: as the question file says; often empty.

    right, wrong, none: rates with the right section alone, a wrong one, no record. paired: from a wrong section to the
    right one, on the same questions.
    """

    name: str
    section: str
    fact: str
    questions: int
    right: Rate
    wrong: Rate
    none: Rate
    paired: Paired

    @property
    def discrimination(self) -> float | None:
        """-1 to 1; None where one of the two was not measured."""
        return self.right.rate - self.wrong.rate if self.right.n and self.wrong.n else None

    @property
    def fault(self) -> str:
        """What is wrong with it, as far as these answers tell; empty where nothing is."""
        found = self.discrimination
        if found is None:
            return "not measured"
        if found < 0:
            return "better with a wrong section"
        if not self.right.correct:
            return "missed with its own section"
        return "" if found else "as good with a wrong section"


@dataclass(frozen=True, slots=True)
class Quality:
    """One model's answers to a bank, in one wording. whole: of all questions; each list has the worst first.

    facts, sections: those with several questions.
    """

    model: str
    prompt_set: str
    whole: Item
    items: tuple[Item, ...]
    facts: tuple[Item, ...]
    sections: tuple[Item, ...]


def quality(rows: pd.DataFrame, facts: Mapping[str, str]) -> Quality:
    """rows: of the control family, of one model and prompt set, as results.store loads them. facts: by question."""
    answers: dict[str, Answers] = defaultdict(lambda: defaultdict(list))
    sections: dict[str, str] = {}
    columns = ("item", "cluster", "params", "repeat", "outcome")
    order = rows.sort_values("repeat", kind="stable")
    for item, cluster, params, _, outcome in zip(*(order[name] for name in columns), strict=True):
        name = str(item).rpartition("@")[0]
        sections[name] = str(cluster or "")
        answers[name][params["record"]].append(outcome == "correct" if outcome in MEASURED else None)
    each = [_item(name, sections[name], facts.get(name, ""), [answers[name]]) for name in answers]
    named = {name: fact for name, fact in facts.items() if fact and name in answers}
    return Quality(
        model=str(rows["model"].iloc[0]),
        prompt_set=str(rows["prompt_set"].iloc[0]),
        whole=_item("all", "", "", answers.values()),
        items=_worst_first(each),
        facts=_grouped(answers, named, lambda name, found: _item(name, "", name, found)),
        sections=_grouped(answers, sections, lambda name, found: _item(name, name, "", found)),
    )


def _grouped(
    answers: Mapping[str, Answers], groups: Mapping[str, str], make: Callable[[str, list[Answers]], Item]
) -> tuple[Item, ...]:
    """groups: question -> the name of its group."""
    found: dict[str, list[Answers]] = defaultdict(list)
    for question, group in groups.items():
        found[group].append(answers[question])
    return _worst_first(make(name, held) for name, held in found.items() if len(held) > 1)


def _item(name: str, section: str, fact: str, held: Iterable[Answers]) -> Item:
    questions = list(held)
    rates = {record: _rate(one for answers in questions for one in answers.get(record, ())) for record in RECORDS}
    pairs = [
        (wrong, right)
        for answers in questions
        for wrong, right in zip(answers.get("wrong", ()), answers.get("right", ()), strict=False)
        if wrong is not None and right is not None
    ]
    paired = Paired(pairs.count((False, True)), pairs.count((True, False)), len(pairs))
    return Item(name, section, fact, len(questions), **rates, paired=paired)


def _rate(answers: Iterable[bool | None]) -> Rate:
    measured = [one for one in answers if one is not None]
    return Rate(sum(measured), len(measured))


def _worst_first(items: Iterable[Item]) -> tuple[Item, ...]:
    """By discrimination, then by the rate with the right section; what was not measured comes last."""

    def place(one: Item) -> tuple[bool, float, float, str]:
        found = one.discrimination
        return (found is None, 0.0 if found is None else found, one.right.rate if one.right.n else 0.0, one.name)

    return tuple(sorted(items, key=place))
