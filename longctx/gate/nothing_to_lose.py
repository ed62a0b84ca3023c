"""Bands that no run can pass, because their baseline is no better than guessing or cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from longctx.results.constant import guessing_of
from longctx.results.grouping import grouped
from longctx.stats.rates import Rate, design_effect, wilson

if TYPE_CHECKING:
    from longctx.results.row import Row
    from longctx.vocabulary.declaration import Protocol


UNREADABLE = "unparseable", "truncated"
"""The outcomes of replies that could not be read, or were cut off before their answer."""
Z_ONE_SIDED = 1.6448536269514722
"""The 95% quantile of the normal distribution."""


def nothing_to_lose(baseline: Sequence[Row], guessing: float, margin: float) -> str:
    """Return why a band cannot pass whatever the run answers, without a full stop; empty if it can.

    baseline: its measured rows of the band. guessing: the accuracy that guessing reaches, or 0. The baseline's must
    exceed that significantly by more than the margin (95%, one-sided), with trials counted at their effective number,
    and its replies must not be significantly more often unreadable than not.
    """
    if not (n := len(baseline)):
        return ""
    unreadable = sum(row.outcome in UNREADABLE for row in baseline)
    least_unreadable, _ = wilson(unreadable, n, Z_ONE_SIDED)
    if least_unreadable > 0.5:
        return (
            f"{unreadable:,} of the baseline's {n:,} replies are unreadable or cut off, so its accuracy measures "
            "their format"
        )
    credits = [row.credit for row in baseline]
    clusters: dict[object, list[float]] = {}
    for row, credit in zip(baseline, credits, strict=True):
        clusters.setdefault(row.cluster_key, []).append(credit)
    rate, deff = Rate(sum(credits), n), design_effect([*clusters.values()])
    least, _ = wilson(rate.correct / deff, n / deff, Z_ONE_SIDED)
    if least > guessing + margin:
        return ""
    floor = f"guessing, {guessing:.2f}," if guessing else "0"
    return (
        f"the baseline has nothing to lose: its accuracy {rate} does not significantly exceed {floor} by more than "
        f"{margin:.1%}"
    )


def vacuous_bands(rows: Sequence[Row], known: Mapping[str, Protocol], margin: float) -> Iterator[str]:
    """Yield a sentence, without its full stop, for each band of a baseline that no run can pass."""
    judged = [row for row in rows if row.measured and row.band is not None]
    for (test, subject, band), members in grouped(judged, lambda row: (row.test, row.subject, row.band)).items():
        if why := nothing_to_lose(members, guessing_of(known.get(test), members), margin):
            yield f"{test} of {subject}, {band}: {why}"
