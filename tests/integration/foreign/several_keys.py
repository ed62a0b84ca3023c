"""Several keys are in a text that says nothing of them, and the model must name all of those it is asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from longctx import (
    Account,
    Axes,
    Count,
    Kind,
    Mark,
    Outcome,
    Rank,
    Reply,
    mark,
    protocol,
    unanswered,
)

if TYPE_CHECKING:
    from longctx import RateView, Row, ScenarioSummary, Subject, Table

NAMES = "Anna", "Boris", "Clara", "David", "Emma", "Felix", "Greta", "Hugo"


class SeveralKeysAxes(Axes):
    """Every number of keys in every number of sentences."""

    keys: tuple[Count, ...]
    sentences: tuple[Count, ...]
    max_tokens: Count = 60

    def cells(self) -> Iterator[dict[str, object]]:
        for keys in self.keys:
            for sentences in self.sentences:
                yield {"keys": keys, "sentences": sentences}


def check(cell: Any) -> None:
    if not 1 <= cell.keys <= len(NAMES):
        raise ValueError(f"{cell.keys} keys cannot be asked for: give 1 to {len(NAMES)}.")


@protocol(
    axes=SeveralKeysAxes,
    title="Several keys",
    unit="sentences",
    templates={"system": (), "opening": (), "sentence": (), "needle": ("name", "key"), "question": ("names",)},
    size=lambda cell, tokens: 12 * (cell.sentences + cell.keys) + 40,
    length="sentences",
    context="sentences",
    check=check,
    report=f"{__name__}:KeysAccount",
)
def several_keys(ask: Any, draw: Any, prompt: Any, keys: int, sentences: int) -> Outcome:
    """`keys` keys of five digits, at random places between `sentences` sentences."""
    stream = draw.stream()
    drawn = [str(key) for key in 10_000 + stream.choice(90_000, keys, replace=False)]
    places = sorted(stream.randint(0, sentences + 1, keys), reverse=True)
    needles = [prompt("needle", name=name, key=key) for name, key in zip(NAMES, drawn, strict=False)]
    lines = [prompt("sentence")] * sentences
    for place, needle in zip(places, reversed(needles), strict=True):
        lines.insert(place, needle)
    text = "\n".join([prompt("opening"), *lines, prompt("question", names=", ".join(NAMES[:keys]))])

    reply = ask(text, expected=" ".join(drawn), needle=needles[0])

    outcome, named = judged(reply, drawn), re.findall(r"\d+", reply.text, re.ASCII)
    marks: list[Mark] = []
    for key, needle in zip(drawn, needles, strict=True):
        marks += mark("needle" if key in named else "needle that was not found", text, needle)
    return replace(outcome, marks=marks)


def judged(reply: Reply, asked: Sequence[str]) -> Outcome:
    """Judge a reply by all numbers in it."""
    named = re.findall(r"\d+", reply.text, re.ASCII)
    if reply.stop_reason == "refusal" or not named:
        return unanswered(reply, lacks="no key in the reply")
    found, strange = set(asked) & set(named), set(named) - set(asked)
    why = f"{len(found)} of {len(asked)} keys are named" + (f", and {len(strange)} that are none" if strange else "")
    right = len(found) == len(asked) and not strange
    kind: Kind = "correct" if right else "truncated" if reply.cut_off else "wrong"
    return Outcome(kind, " ".join(named), why, {"found": len(found)})


@dataclass(frozen=True, slots=True)
class Found:
    """The number of keys that the trials of a scenario asked for, and the number that replies named."""

    subject: Subject
    scenario: str
    found: int
    asked: int

    @property
    def share(self) -> float:
        return self.found / self.asked


class KeysAccount(Account):
    """Beside the rate of trials in which all keys were named: the share of keys. analysis: one Found a scenario."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[Found, ...]:
        found: Counter[tuple[Subject, str]] = Counter()
        asked: Counter[tuple[Subject, str]] = Counter()
        for row in rows:
            asked[row.subject, row.scenario] += int(row.params["keys"] or 0)
            found[row.subject, row.scenario] += row.trace.get("found", 0)  # a refusal has none
        return tuple(Found(*key, found[key], asked[key]) for key in asked)

    def views(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Found]) -> Iterator[RateView]:
        from longctx import RatePoint, RateView

        yield RateView(
            points=[
                RatePoint(
                    int(each.params["sentences"] or 0), f"{each.params['keys']} keys", each.rate, str(each.subject)
                )
                for each in scenarios
            ],
            name="several-keys-by-length",
            heading="Several keys",
            title="All keys named, by length",
            x="sentences",
            axis="sentences of the text",
            unit="sentences",
            table="all named [95% interval]",
        )

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Found]) -> Iterator[Table]:
        from longctx import Table

        yield from super().tables(scenarios, analysis) or ()
        columns = {
            "scenario": [keys.scenario for keys in analysis],
            "keys named": [f"{keys.found} of {keys.asked}" for keys in analysis],
        }
        yield Table.by_subject("Several keys, each counted", [keys.subject for keys in analysis], columns)

    def findings(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[Found]) -> Iterator[tuple[Rank, str]]:
        yield from super().findings(scenarios, analysis)
        rates = {(scenario.subject, scenario.scenario): scenario.rate for scenario in scenarios}
        for keys in analysis:
            rate = rates[keys.subject, keys.scenario]
            if rate.rate < 0.5 <= keys.share:
                sentence = (
                    f"{keys.share:.0%} of the keys are named, but all of them in {rate.correct} of {rate.n} trials only"
                )
                yield Rank.CAUSE, f"Several keys, {keys.subject}, {keys.scenario}: {sentence}."

    def data(self, analysis: Sequence[Found]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return {
            "several_keys": [
                {**keys.subject.fields, "scenario": keys.scenario, "found": keys.found, "asked": keys.asked}
                for keys in analysis
            ]
        }
