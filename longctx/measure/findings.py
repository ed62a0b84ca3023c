"""What stands out in a run: sentences for a reader with one minute, each backed by numbers that do not overlap."""

from __future__ import annotations

from collections.abc import Iterator

from longctx.measure import words
from longctx.measure.families import grouped
from longctx.measure.heatmap import SIZES
from longctx.measure.paired import Paired
from longctx.measure.rates import Rate
from longctx.measure.summary import PasskeySummary, ScenarioSummary, Summary
from longctx.measure.words import family, order, position

UNUSABLE = ("unparseable", "truncated", "refusal")
NOTABLE = 0.05
"""The share of a family's replies that must be unusable to be worth a sentence."""


def findings(summary: Summary) -> list[str]:
    """The most urgent first."""
    return [
        *_unmeasured(summary),
        *_windows(summary),
        *_lengths(summary),
        *_unusable(summary),
        *_origins(summary),
        *_favourites(summary),
        *_effects(summary),
    ]


def _unmeasured(summary: Summary) -> Iterator[str]:
    if summary.unmeasured:
        total = summary.live + summary.replayed + summary.unmeasured
        causes = ", ".join(f"{count:,} {cause}" for cause, count in summary.errors.items())
        yield f"{summary.unmeasured:,} of {total:,} trials were not measured ({causes}): they count in no rate."


def _windows(summary: Summary) -> Iterator[str]:
    for one in summary.passkey:
        k_max, (lo, hi) = one.effective.k_max, one.interval
        where = f"Passkey, {one.subject}: in a window of {one.window:,} tokens"
        if k_max is None:
            yield f"{where}, the key is not found even at the smallest distance."
        elif k_max == one.farthest and (low := _lowest(summary, one)) is not None:
            yield (
                f"{where}, k_max is the farthest distance, {k_max:,}, by its 20% rule; the key is found least often at "
                f"{low.params['k']:,} tokens: {low.rate}."
            )
        elif k_max == one.farthest:
            yield f"{where}, the key is found from every distance (k_max {k_max:,})."
        else:
            yield f"{where}, the key is found up to k_max {k_max:,} [{lo:,}, {hi:,}] and not reliably beyond."


def _lowest(summary: Summary, one: PasskeySummary) -> ScenarioSummary | None:
    """The distance at which the key is found least often, if it is missed there more often than one time in ten."""
    distances = [
        scenario
        for scenario in summary.scenarios
        if scenario.subject == one.subject and scenario.params.get("window") == one.window and scenario.rate.n
    ]
    low = min(distances, key=lambda scenario: scenario.rate.rate, default=None)
    return low if low is not None and low.rate.rate < 0.9 else None


def _lengths(summary: Summary) -> Iterator[str]:
    """Rates that fall with length: the shortest and the longest context whose intervals do not overlap."""
    series: dict[tuple[str, str], list[tuple[int, Rate]]] = {}
    for one in summary.scenarios:
        if one.family == "line_retrieval" and one.rate.n:
            series.setdefault((str(one.subject), order(one.params.get("block_size"))), []).append(
                (_size(one), one.rate)
            )
    for (subject, how), points in series.items():
        short, first = min(points, key=lambda pair: pair[0])
        long, last = max(points, key=lambda pair: pair[0])
        if first.lo > last.hi:
            fall = f"{first.rate:.2f} at {short:,} lines falls to {last.rate:.2f} at {long:,}"
            yield f"Line retrieval, {subject}, {how}: {fall}."


def _unusable(summary: Summary) -> Iterator[str]:
    for (name, subject), group in grouped(summary.scenarios).items():
        total = sum(one.rate.n for one in group)
        for kind in UNUSABLE:
            count = sum(one.outcomes.get(kind, 0) for one in group)
            if total and count / total >= NOTABLE:
                yield f"{family(name)}, {subject}: {count / total:.0%} of {total:,} replies are {kind}."


def _origins(summary: Summary) -> Iterator[str]:
    for one in summary.origins:
        if one.wrong and one.other_line / one.wrong >= 0.5:
            near = sum(count for distance, count in one.by_place.items() if abs(distance) <= 1)
            yield (
                f"Line retrieval, {one.subject}: {one.other_line:,} of {one.wrong:,} wrong answers are another line's "
                f"value, {near:,} of them of the line next to the target in place."
            )


def _favourites(summary: Summary) -> Iterator[str]:
    """Variants in which the model says one letter whatever it is asked."""
    for one in summary.qa:
        fixed: dict[str, list[str]] = {}
        for variant, favourite in one.favourites.items():
            if favourite.fixed:
                share = favourite.share
                fixed.setdefault(favourite.letter, []).append(
                    f"{words.variant(variant)} ({share.correct:,} of {share.n:,})"
                )
        for letter, variants in fixed.items():
            yield (
                f"Long-context QA, {one.subject}: the answer is nearly always {letter} with {', '.join(variants)}: "
                f"these rates say how often {letter} is right, not what was read."
            )


def _effects(summary: Summary) -> Iterator[str]:
    """What each change does where its interval does not hold 0, and where it does most."""
    for one in summary.qa:
        for change in dict.fromkeys(effect.change for effect in one.effects):
            tried = [effect for effect in one.effects if effect.change == change]
            shown = [effect for effect in tried if not _holds_0(effect.paired)]
            if shown:
                most = max(shown, key=lambda effect: abs(effect.paired.difference))
                where = f"{words.variant(most.before)}, needle at {position(most.depth)}"
                yield (
                    f"Long-context QA, {one.subject}: with {change}, the rate differs in {len(shown)} of {len(tried)} "
                    f"comparisons, most from {where}: {most.paired}."
                )


def _holds_0(paired: Paired) -> bool:
    lo, hi = paired.interval()
    return lo <= 0 <= hi


def _size(one: ScenarioSummary) -> int:
    return int(one.params[SIZES[one.family]] or 0)
