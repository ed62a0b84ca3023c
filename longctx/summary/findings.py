"""What stands out in a run: sentences for a reader with one minute, each backed by numbers that do not overlap."""

from __future__ import annotations

from collections.abc import Iterator

from longctx.summary.families import grouped
from longctx.summary.summary import Summary
from longctx.vocabulary.account import Rank

UNUSABLE = ("unparseable", "truncated", "refusal")
NOTABLE = 0.05
"""The share of a family's replies that must be unusable to be worth a sentence."""


def findings(summary: Summary) -> list[str]:
    """The most urgent first; among equals in the order of the families."""
    found = [*_unmeasured(summary), *_unusable(summary)]
    for name, family in summary.families.items():
        found += family.account.findings(summary.of(name), family.analysis)
    return [sentence for _, sentence in sorted(found, key=lambda one: one[0])]


def _unmeasured(summary: Summary) -> Iterator[tuple[Rank, str]]:
    if summary.unmeasured:
        total = summary.live + summary.replayed + summary.unmeasured
        causes = ", ".join(f"{count:,} {cause}" for cause, count in summary.errors.items())
        yield (
            Rank.UNMEASURED,
            f"{summary.unmeasured:,} of {total:,} trials were not measured ({causes}): they count in no rate.",
        )


def _unusable(summary: Summary) -> Iterator[tuple[Rank, str]]:
    for (name, subject), group in grouped(summary.scenarios).items():
        total = sum(one.rate.n for one in group)
        for kind in UNUSABLE:
            count = sum(one.outcomes.get(kind, 0) for one in group)
            if total and count / total >= NOTABLE:
                yield (
                    Rank.UNUSABLE,
                    f"{summary.title(name)}, {subject}: {count / total:.0%} of {total:,} replies are {kind}.",
                )
