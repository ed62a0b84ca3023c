"""The rounds of an asking pass that may stop early; each round holds the same share of every scenario.

The round of a question depends on the seed and on no answer. All trials of a cluster, in all variants and positions,
are in one round, and a round keeps the order of the questions, so that shared prefixes stay next to each other.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

from longctx.recording.case import Case, Question
from longctx.vocabulary.shapes import TEXT

ROUNDS = 20
"""The most rounds, and so the most looks at the verdict."""

Unit = tuple[str, ...]


def in_rounds(cases: Iterable[Case], questions: Iterable[Question]) -> list[list[Question]]:
    """Divide questions of `cases` into rounds, each in the order given. No round is empty."""
    places: dict[Unit, dict[Unit, str]] = defaultdict(dict)
    for case in cases:
        for question in case.questions():
            unit = _unit(question)
            places[_stratum(question)].setdefault(unit, _lot(case.seed, unit))
    number: dict[Unit, int] = {}
    for units in places.values():
        number |= zip(sorted(units, key=units.__getitem__), round_of(len(units)), strict=True)
    rounds: dict[int, list[Question]] = defaultdict(list)
    for question in questions:
        rounds[number[_unit(question)]].append(question)
    return [rounds[place] for place in sorted(rounds)]


def round_of(units: int) -> Sequence[int]:
    """Return the round, from 0, of each of this number of units; the rounds have even shares."""
    return [place * ROUNDS // units for place in range(units)]


def _stratum(question: Question) -> Unit:
    """Return what each round has its share of: a scenario, or a band if clusters extend over scenarios."""
    case = question.case
    scenario = case.scenario
    shape = () if case.shape == TEXT else (case.shape,)
    common = (case.model.model, case.wording.prompt_set, scenario.family, case.band, *shape)
    return common if scenario.cluster(question.index) else (*common, scenario.slug)


def _unit(question: Question) -> Unit:
    """Return what is never divided between rounds: a cluster, or a trial with its repeats."""
    return (*_stratum(question), question.case.scenario.cluster(question.index) or str(question.index))


def _lot(seed: int, unit: Unit) -> str:
    return hashlib.sha256("/".join(("rounds", str(seed), *unit)).encode()).hexdigest()
