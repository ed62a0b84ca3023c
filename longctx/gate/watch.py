"""A canary over nights: each asks a part of a kept baseline's items again, and their evidence of a drop adds up."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from longctx.compare.pairs import Treatments, match_runs, pairs
from longctx.gate.evidence import by_band
from longctx.results.row import Row
from longctx.stats.power import CanaryEvidence, CanaryNight, watch
from longctx.stats.rates import Rate
from longctx.vocabulary.protocol import Protocol
from longctx.vocabulary.test import is_check


@dataclass(frozen=True, slots=True)
class WatchedNight:
    """A night, and the evidence after it."""

    name: str
    night: CanaryNight
    before: Rate
    """The accuracy of the baseline in what the night asked again."""
    after: Rate
    """That of the night."""
    evidence: CanaryEvidence


def watched(
    before: Sequence[Row], nights: Mapping[str, Sequence[Row]], known: Mapping[str, Protocol]
) -> list[WatchedNight]:
    """Return the evidence after each night. nights: the rows of each by its name, the earliest first."""
    of_nights = [_night(before, rows, known) for rows in nights.values()]
    evidence = watch([night for night, *_ in of_nights])
    return [WatchedNight(name, *of, each) for name, of, each in zip(nights, of_nights, evidence, strict=True)]


def _night(
    before: Sequence[Row], after: Sequence[Row], known: Mapping[str, Protocol]
) -> tuple[CanaryNight, Rate, Rate]:
    """Return the clusters of a night that lost more than they gained, and the reverse, and the accuracies.

    The first answer of each run counts alone: only a change from one answer to another is as often a loss as a gain.
    """
    changes: dict[Hashable, float] = {}
    sides: list[tuple[float, float]] = []
    for match in match_runs(before, after)[0]:
        if is_check(match.test):
            continue
        for evidence in by_band(pairs(*match.rows, Treatments.of(known.get(match.test)))).values():
            for cluster, answers in evidence.answers.items():
                firsts = [(was[0], now[0]) for was, now in answers]
                changes[match.test, match.after, cluster] = sum(now - was for was, now in firsts)
                sides += firsts
    lost, gained = (sum(sign * change > 0 for change in changes.values()) for sign in (-1, 1))
    was, now = (Rate(sum(side), len(sides)) for side in (zip(*sides, strict=True) if sides else ((), ())))
    return CanaryNight(lost, gained, changes.keys()), was, now
