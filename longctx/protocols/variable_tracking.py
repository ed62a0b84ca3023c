"""Variable tracking: name all variables that a chain of assignments gives one value, among other chains.

Source: C.-P. Hsieh et al., RULER, 2024, section 3.2 and Table 8, https://arxiv.org/abs/2404.06654; its program,
scripts/data/synthetic/variable_tracking.py of https://github.com/NVIDIA/RULER. What differs: docs/protocols.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

import numpy as np

from longctx import Answer, Count, Counts, Outcome, ProtocolAsk, ProtocolCell, ProtocolDraw, TrialNumber, fill, protocol
from longctx.protocols.haystack import (
    FEW,
    MANY,
    SAMPLE,
    AnswerBegun,
    checked,
    fillers_in,
    haystack,
    per_unit,
    places,
    shared_prefix,
    spare,
)
from longctx.protocols.named_sets import (
    BY_DEPTH,
    NamedAnswers,
    Needle,
    by_number,
    judged_names,
    report_of_sets,
    shown,
    text_of,
)
from longctx.text import count
from longctx.vocabulary.grid import QUESTIONS, WindowAxes, questions_of
from longctx.vocabulary.point import Templates
from longctx.vocabulary.protocol_cell import ASKED
from longctx.vocabulary.stream import distinct, frozen_stream, letters, numbers

NAME, VALUE = 5, 5
"""The letters of a variable's name, and the digits of a value."""
OTHER_CHAIN, EXAMPLE = "of_another_chain", "of_the_example"
PROBED = {
    "filler": (f"{FEW} fillers", f"{MANY} fillers", MANY - FEW),
    "first": ("1 chain", f"{SAMPLE} chains", SAMPLE - 1),
    "hop": ("1 chain", f"{SAMPLE} hops", SAMPLE),
}


class VariableTrackingAxes(WindowAxes):
    """Every number of chains of every length in every window. RULER has one chain of four hops."""

    chains: tuple[Count, ...] = (1,)
    """How many chains of variables are in the text."""
    hops: tuple[Count, ...] = (4,)
    """How many assignments after its first each chain has."""
    questions: int = QUESTIONS
    """How many trials ask about one text, each about another of its chains."""
    max_tokens: Count = 128
    """The most tokens of a reply."""
    difficulty: ClassVar[str] = "hops"

    def cells(self) -> Iterator[dict[str, object]]:
        for window, chains, hops in product(self.windows, self.chains, self.hops):
            yield {"window": window, "chains": chains, "hops": hops, "questions": questions_of(self.questions)}


@dataclass(frozen=True, slots=True)
class Chains:
    """The assignments of all chains."""

    names: tuple[tuple[str, ...], ...]
    """The names of each chain, in order of assignment."""
    values: tuple[str, ...]
    asked: int
    """A chain's index."""

    @classmethod
    def drawn(cls, stream: np.random.RandomState, chains: int, hops: int) -> Chains:
        names = distinct(lambda more: letters(stream, "A", NAME, more), chains * (hops + 1))
        values = distinct(lambda more: numbers(stream, VALUE, more), chains)
        asked = int(stream.randint(chains, dtype=np.int64))
        by_chain = (names[start : start + hops + 1] for start in range(0, len(names), hops + 1))
        return cls(tuple(map(tuple, by_chain)), tuple(values), asked)

    def statement(self, words: Templates, chain: int, step: int) -> str:
        name = self.names[chain][step]
        if step == 0:
            return fill(words["first"], {"name": name, "value": self.values[chain]})
        return fill(words["hop"], {"name": name, "before": self.names[chain][step - 1]})

    @property
    def question(self) -> dict[str, str]:
        """The values for the question's templates."""
        return {"value": self.values[self.asked], "count": str(len(self.names[self.asked]))}


def _probes(words: Templates) -> dict[str, str]:
    def text(chains: int, hops: int, fillers: int = 0) -> str:
        drawn = Chains.drawn(frozen_stream("variable_tracking", "probe"), chains, hops)
        lines = [(0, drawn.statement(words, chain, step)) for chain in range(chains) for step in range(hops + 1)]
        return AnswerBegun.filled(words, drawn.question, haystack(words["filler"], fillers, lines)[0]).probe

    return {
        "1 chain": text(1, 0),
        f"{SAMPLE} chains": text(SAMPLE, 0),
        f"{SAMPLE} hops": text(1, SAMPLE),
        f"{FEW} fillers": text(1, 0, FEW),
        f"{MANY} fillers": text(1, 0, MANY),
    }


def _values(counts: Mapping[str, int]) -> dict[str, float]:
    units = per_unit(counts, PROBED)
    alone = max(counts["1 chain"], counts[f"{FEW} fillers"] - FEW * units["filler"])
    return checked({**units, "fixed": alone - units["first"]})


def filler_count(cell: ProtocolCell) -> int:
    """Return how often the prompt repeats the filler. Raises ValueError if the window is too small."""
    tokens, names = cell.counted, cell.chains * (cell.hops + 1)
    chain = tokens["first"] + cell.hops * tokens["hop"]
    taken = tokens["fixed"] + cell.chains * chain + spare([2] * names) + cell.max_tokens
    return fillers_in(cell.window, taken, tokens["filler"], least=cell.hops)


def _validate(cell: ProtocolCell) -> None:
    if cell.questions and cell.questions > cell.chains:
        raise ValueError(
            f"a text of {cell.chains} chains has no {cell.questions} to ask about: give no more `questions` than "
            "chains."
        )
    if min(cell.chains, cell.hops) < 1:
        raise ValueError(f"{cell.chains} chains of {cell.hops} hops cannot be tracked: use at least 1 of each.")


@protocol(
    axes=VariableTrackingAxes,
    title="Variable tracking",
    templates={
        "system": (),
        "prompt": ("context", "value"),
        "filler": (),
        "first": ("name", "value"),
        "hop": ("name", "before"),
        "prefill": ("count", "value"),
        "without_prefill": ("prefill",),
    },
    size=lambda cell, tokens: cell.window - cell.max_tokens,
    fills_window=True,
    length="window",
    context="window",
    counts=Counts(_probes, _values, ("filler", "first", "hop", "fixed"), fits=filler_count),
    prefix=ASKED,
    pieces=lambda cell: 1,
    validate=_validate,
    report=report_of_sets(
        lambda params: f"{count(params['chains'], 'chain')} of {count(params['hops'], 'hop')}",
        (OTHER_CHAIN, EXAMPLE),
        by_number("place in the chain", lambda number: f"hop {number - 1}" if number > 1 else "first"),
        BY_DEPTH,
    ),
)
def variable_tracking(
    ask: ProtocolAsk,
    draw: ProtocolDraw,
    words: Templates,
    cell: ProtocolCell,
    trial: TrialNumber,
    window: int,
    chains: int,
    hops: int,
    questions: int | None = None,
) -> Outcome:
    """A text with `chains` chains, one of which is asked about.

    In a chain, one variable is assigned a number, and each of `hops` others is assigned the variable before it.
    questions: how many trials ask about one text, each about another chain; None for one.
    """
    stream, fillers = draw.shared().stream(), filler_count(cell)
    drawn = Chains.drawn(stream, chains, hops)
    drawn = replace(drawn, asked=(drawn.asked + trial.question) % chains)
    lines = sorted(
        (line, chain, step) for chain in range(chains) for step, line in enumerate(places(stream, fillers, hops + 1))
    )
    statements = [(line, drawn.statement(words, chain, step)) for line, chain, step in lines]
    context, starts = haystack(words["filler"], fillers, statements)
    prompt = AnswerBegun.filled(words, drawn.question, context)
    text = prompt.text
    by_chain: list[list[Needle]] = [[] for _ in range(chains)]
    for (_, chain, step), (_, statement), start in zip(lines, statements, starts, strict=True):
        at = len(prompt.before) + start
        by_chain[chain].append(Needle.at(at, statement, drawn.names[chain][step], text))
    items = by_chain.pop(drawn.asked)
    others = tuple(item for chain in by_chain for item in chain)
    origins = dict.fromkeys(_example(words), EXAMPLE) | {item.name: OTHER_CHAIN for item in others}
    asked = NamedAnswers(tuple(items), origins, others)

    answer = ask(
        text,
        expected=" ".join(asked.names),
        depth=items[0].start / len(text),
        prefix=shared_prefix(cell, lines[0][0], trial.context),
        params={"fillers": fillers},
        prefill=prompt.prefill,
        without_prefill=prompt.without_prefill,
        pieces=prompt.pieces,
    )

    return shown(judge_answer(answer, asked, prompt.prefill), asked, prompt)


def judge_answer(answer: Answer, asked: NamedAnswers, prefill: str) -> Outcome:
    """Judge the variables that an answer names: names in the prompt, in any case, and words that look like one."""
    text, known = text_of(answer, prefill), asked.known
    said = ((word, word.upper()) for word in re.findall("[A-Za-z]+", text))
    named = [name for word, name in said if name in known or (word == name and len(word) == NAME)]
    return judged_names(answer, text, asked, named, "variable")


def _example(words: Templates) -> list[str]:
    """Return the names of the example: those that the prompt's own wording assigns."""
    form = re.escape(words["hop"]).replace(r"\{name\}", r"(\w+)").replace(r"\{before\}", r"(\w+)")
    return sorted({name for pair in re.findall(form, words["prompt"]) for name in pair})
