"""The order of an asking pass that may stop early: rounds that each hold the same share of every scenario.

Which round a question falls in depends on the seed and on nothing that was answered. What a server can keep stays
together: all trials of one cluster, in all variants and positions, are of one round, and a round keeps the order of
the questions it is given.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

from longctx.recording.case import Case, Question

ROUNDS = 20
"""As many looks at what was answered, at most."""

Place = tuple[str, ...]


def in_rounds(cases: Iterable[Case], questions: Iterable[Question]) -> list[list[Question]]:
    """`questions`, which are among those of `cases`, by round; each in the order given. No round is empty."""
    places: dict[Place, dict[Place, str]] = defaultdict(dict)
    for case in cases:
        for question in case.questions():
            unit = _unit(question)
            places[_stratum(question)].setdefault(unit, _lot(case.seed, unit))
    number: dict[Place, int] = {}
    for units in places.values():
        number |= zip(sorted(units, key=units.__getitem__), round_of(len(units)), strict=True)
    rounds: dict[int, list[Question]] = defaultdict(list)
    for question in questions:
        rounds[number[_unit(question)]].append(question)
    return [rounds[place] for place in sorted(rounds)]


def round_of(units: int) -> Sequence[int]:
    """The round, from 0, of each of so many units: an even share a round, the same for all that are as many."""
    return [place * ROUNDS // units for place in range(units)]


def _stratum(question: Question) -> Place:
    """What each round holds its share of: a scenario, or a band where clusters reach over its scenarios."""
    case = question.case
    scenario = case.scenario
    common = (case.model.model, case.wording.prompt_set, scenario.family, case.band)
    return common if scenario.cluster(question.index) else (*common, scenario.slug)


def _unit(question: Question) -> Place:
    """What is asked in one round: a cluster, or a trial with its repeats."""
    return (*_stratum(question), question.case.scenario.cluster(question.index) or str(question.index))


def _lot(seed: int, unit: Place) -> str:
    return hashlib.sha256("/".join(("rounds", str(seed), *unit)).encode()).hexdigest()
