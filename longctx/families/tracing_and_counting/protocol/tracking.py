"""Variable tracking: name all variables that a chain of assignments gives one value, among other chains.

Source: C.-P. Hsieh et al., RULER, 2024, section 3.2 and Table 8, https://arxiv.org/abs/2404.06654; its program,
scripts/data/synthetic/variable_tracking.py of https://github.com/NVIDIA/RULER. What differs: docs/protocols/.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from longctx import Outcome, Reply, Trial, Words, fill
from longctx.families.tracing_and_counting.protocol import answers
from longctx.families.tracing_and_counting.protocol.answers import NamedAnswers, Needle
from longctx.families.tracing_and_counting.protocol.haystack import (
    FEW,
    MANY,
    SAMPLE,
    beginning,
    checked,
    fillers_in,
    haystack,
    per_unit,
    places,
    probe_text,
    prompt,
    spare,
)
from longctx.families.tracing_and_counting.protocol.named_set import NamedSetScenario
from longctx.vocabulary.stream import distinct, frozen_stream, letters, numbers

NAME, VALUE = 5, 5
"""The letters of a variable's name, and the digits of a value."""
OTHER_CHAIN, EXAMPLE = "of_another_chain", "of_the_example"
PROBED = {
    "filler": (f"{FEW} fillers", f"{MANY} fillers", MANY - FEW),
    "first": ("1 chain", f"{SAMPLE} chains", SAMPLE - 1),
    "hop": ("1 chain", f"{SAMPLE} hops", SAMPLE),
}


@dataclass(frozen=True, slots=True)
class Chains:
    """The assignments of all chains. names: those of each chain, in order of assignment. asked: a chain's index."""

    names: tuple[tuple[str, ...], ...]
    values: tuple[str, ...]
    asked: int

    def statement(self, words: Words, chain: int, step: int) -> str:
        name = self.names[chain][step]
        if step == 0:
            return fill(words["first"], {"name": name, "value": self.values[chain]})
        return fill(words["hop"], {"name": name, "before": self.names[chain][step - 1]})

    @property
    def question(self) -> dict[str, str]:
        """The values for the question's templates."""
        return {"value": self.values[self.asked], "count": str(len(self.names[self.asked]))}


@dataclass(frozen=True, slots=True)
class VariableTracking(NamedSetScenario):
    """A text with `chains` chains, one of which is asked about.

    In a chain, one variable is assigned a number, and each of `hops` others is assigned the variable before it.
    """

    family: ClassVar[str] = "variable_tracking"
    version: ClassVar[int] = 1
    identified_by: ClassVar[tuple[str, ...]] = ("window", "chains", "hops", "questions")
    templates: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "system": (),
        "prompt": ("context", "value"),
        "filler": (),
        "first": ("name", "value"),
        "hop": ("name", "before"),
        "prefill": ("count", "value"),
        "without_prefill": ("prefill",),
    }
    needs: ClassVar[tuple[str, ...]] = ("filler", "first", "hop", "fixed")

    chains: int
    hops: int
    questions: int | None = field(default=None, kw_only=True)
    """How many trials ask about one text, each about another chain; None for one."""

    @property
    def questions_per_context(self) -> int:
        return self.questions or 1

    def __post_init__(self) -> None:
        if self.questions and self.questions > self.chains:
            raise ValueError(
                f"a text of {self.chains} chains has no {self.questions} to ask about: give no more `questions` than "
                "chains."
            )
        if min(self.chains, self.hops) < 1:
            raise ValueError(f"{self.chains} chains of {self.hops} hops cannot be tracked: give at least 1 of each.")

    @classmethod
    def probes(cls, words: Words) -> dict[str, str]:
        def text(chains: int, hops: int, fillers: int = 0) -> str:
            drawn = _chains(chains, hops, frozen_stream(cls.family, "probe"))
            lines = [(0, drawn.statement(words, chain, step)) for chain in range(chains) for step in range(hops + 1)]
            return probe_text(words, drawn.question, haystack(words["filler"], fillers, lines)[0])

        return {
            "1 chain": text(1, 0),
            f"{SAMPLE} chains": text(SAMPLE, 0),
            f"{SAMPLE} hops": text(1, SAMPLE),
            f"{FEW} fillers": text(1, 0, FEW),
            f"{MANY} fillers": text(1, 0, MANY),
        }

    @classmethod
    def token_values(cls, counts: Mapping[str, int]) -> dict[str, float]:
        units = per_unit(counts, PROBED)
        alone = max(counts["1 chain"], counts[f"{FEW} fillers"] - FEW * units["filler"])
        return checked({**units, "fixed": alone - units["first"]})

    def check_room(self) -> None:
        self.fillers()

    def fillers(self) -> int:
        """Return how often the prompt repeats the filler. Raises ValueError if the window is too small."""
        tokens, names = self.counted, self.chains * (self.hops + 1)
        chain = tokens["first"] + self.hops * tokens["hop"]
        taken = tokens["fixed"] + self.chains * chain + spare([2] * names) + self.max_tokens
        return fillers_in(self.window, taken, tokens["filler"], least=self.hops)

    def build(self, words: Words, seed: int, index: int, repeat: int = 0) -> Trial:
        fillers = self.fillers()
        context_number, place = self.context_of(index)
        stream = self.stream(seed, context_number)
        chains = _chains(self.chains, self.hops, stream)
        chains = replace(chains, asked=(chains.asked + place) % self.chains)
        lines = sorted(
            (line, chain, step)
            for chain in range(self.chains)
            for step, line in enumerate(places(stream, fillers, self.hops + 1))
        )
        statements = [(line, chains.statement(words, chain, step)) for line, chain, step in lines]
        context, starts = haystack(words["filler"], fillers, statements)
        user, begin = prompt(words, chains.question, context)
        items: list[list[Needle]] = [[] for _ in range(self.chains)]
        for (_, chain, step), (_, statement), start in zip(lines, statements, starts, strict=True):
            items[chain].append(Needle.at(begin + start, statement, chains.names[chain][step], user))
        asked = tuple(items.pop(chains.asked))
        prefill, without_prefill = beginning(words, chains.question)
        return Trial(
            identity=self.identity(seed, index, repeat),
            system=words["system"],
            user=user,
            expected=" ".join(item.name for item in asked),
            max_tokens=self.max_tokens,
            depth=asked[0].start / len(user),
            prefix=self.shared_prefix(lines[0][0], context_number),
            recorded={"fillers": fillers},
            facts=_asked(words, asked, begin + len(context), tuple(item for chain in items for item in chain)),
            prefill=prefill,
            without_prefill=without_prefill,
        )

    def judge(self, trial: Trial, reply: Reply) -> Outcome:
        return answers.judge(trial, reply, _named(trial.facts, answers.answer_of(trial, reply)), "variable")


def _chains(chains: int, hops: int, stream: np.random.RandomState) -> Chains:
    names = distinct(lambda more: letters(stream, "A", NAME, more), chains * (hops + 1))
    values = distinct(lambda more: numbers(stream, VALUE, more), chains)
    asked = int(stream.randint(chains, dtype=np.int64))
    by_chain = (names[start : start + hops + 1] for start in range(0, len(names), hops + 1))
    return Chains(tuple(map(tuple, by_chain)), tuple(values), asked)


def _asked(words: Words, items: tuple[Needle, ...], question: int, others: tuple[Needle, ...]) -> NamedAnswers:
    """Return what a trial asks for. The example's names are those that the prompt's own wording assigns."""
    form = re.escape(words["hop"]).replace(r"\{name\}", r"(\w+)").replace(r"\{before\}", r"(\w+)")
    example = {name for pair in re.findall(form, words["prompt"]) for name in pair}
    chains = {item.name: OTHER_CHAIN for item in others}
    return NamedAnswers(items, dict.fromkeys(sorted(example), EXAMPLE) | chains, question, others)


def _named(asked: NamedAnswers, text: str) -> list[str]:
    """Return the variables that a reply names: those of the prompt, ignoring case, and others that look like names."""
    known = asked.known
    said = ((word, word.upper()) for word in re.findall("[A-Za-z]+", text))
    return [name for word, name in said if name in known or (word == name and len(word) == NAME)]
