"""Several keys are in a text that says nothing of them, and the model must name all of those it is asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from longctx import (
    Account,
    Bank,
    Count,
    Family,
    Grid,
    Kind,
    Mark,
    Outcome,
    Rank,
    Reply,
    Scenario,
    Trial,
    Words,
    fill,
    mark,
    unanswered,
)

if TYPE_CHECKING:
    from longctx import RateView, Row, ScenarioSummary, Subject, Table

NAMES = "Anna", "Boris", "Clara", "David", "Emma", "Felix", "Greta", "Hugo"


@dataclass(frozen=True, slots=True)
class SeveralKeys(Scenario):
    """`keys` keys of five digits, at random places between `sentences` sentences."""

    family: ClassVar[str] = "several_keys"
    version: ClassVar[int] = 1
    identified_by: ClassVar[tuple[str, ...]] = ("keys", "sentences")
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "opening": (),
        "sentence": (),
        "needle": ("name", "key"),
        "question": ("names",),
    }

    keys: int
    sentences: int

    def __post_init__(self) -> None:
        if not 1 <= self.keys <= len(NAMES):
            raise ValueError(f"{self.keys} keys cannot be asked for: give 1 to {len(NAMES)}.")

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        stream = self.stream(seed, index)
        keys = [str(key) for key in 10_000 + stream.choice(90_000, self.keys, replace=False)]
        places = sorted(stream.randint(0, self.sentences + 1, self.keys), reverse=True)
        text = [words["sentence"]] * self.sentences
        needles = _needles(words, keys)
        for place, needle in zip(places, reversed(needles), strict=True):
            text.insert(place, needle)
        question = fill(words["question"], {"names": ", ".join(NAMES[: self.keys])})
        user = "\n".join([words["opening"], *text, question])
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=" ".join(keys),
            max_tokens=self.max_tokens,
            depth=user.index(needles[0]) / len(user),
        )

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        asked, named = trial.expected.split(), re.findall(r"\d+", reply.text, re.ASCII)
        if reply.stop_reason == "refusal" or not named:
            return unanswered(reply, lacks="no key in the reply")
        found, strange = set(asked) & set(named), set(named) - set(asked)
        why = f"{len(found)} of {len(asked)} keys are named" + (
            f", and {len(strange)} that are none" if strange else ""
        )
        right = len(found) == len(asked) and not strange
        kind: Kind = "correct" if right else "truncated" if reply.cut_off else "wrong"
        return Outcome(kind, " ".join(named), why, {"found": len(found)})

    def size_tokens(self, tokens: Mapping[str, float]) -> int:
        return 12 * (self.sentences + self.keys) + 40

    @property
    def length(self) -> int:
        return self.sentences

    def marks(self, words: Words, trial: Trial, outcome: Outcome) -> list[Mark]:
        keys, named = trial.expected.split(), (outcome.returned or "").split()
        found = []
        for key, needle in zip(keys, _needles(words, keys), strict=True):
            found += mark("needle" if key in named else "needle that was not found", trial.user, needle)
        return found


def _needles(words: Words, keys: Sequence[str]) -> list[str]:
    return [fill(words["needle"], {"name": name, "key": key}) for name, key in zip(NAMES, keys, strict=False)]


class SeveralKeysGrid(Grid):
    """Every number of keys in every number of sentences."""

    keys: tuple[Count, ...]
    sentences: tuple[Count, ...]
    max_tokens: Count = 60

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for keys in self.keys:
            for sentences in self.sentences:
                yield SeveralKeys(keys, sentences, max_tokens=self.max_tokens)


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


FAMILY = Family(
    SeveralKeys,
    SeveralKeysGrid,
    title="Several keys",
    unit="sentences",
    size="sentences",
    account=f"{__name__}:KeysAccount",
)
