"""What survives context management: recall against retained tokens, by kind and by place, and what strategies cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from longctx.summary.retention import Retention
from longctx.views.table import Table
from longctx.views.view import RatePoint, RateView
from longctx.vocabulary.report import Rank

KEPT = "tokens kept, %"
FRONTIER = "Recall against retained tokens"
RECALL = ("recall", 0, 1)


def retention_views(title: str, stem: str, found: Sequence[Retention]) -> Iterator[RateView]:
    """Yield the views of a test function that asks about a transcript. stem: the beginning of the charts' names."""
    yield RateView(
        points=[RatePoint(round(100 * each.retained), each.strategy, each.recall, str(each.subject)) for each in found],
        name=f"{stem}-frontier",
        heading=title,
        title=FRONTIER,
        x=KEPT,
        from_zero=True,
        series="strategy",
        scale=RECALL,
        fewest=1,
        finding=False,
        note="A strategy is dominated if another one recalls as much from as few tokens, and is better in one of both.",
    )
    for kind, name in (("kind of fact", "kind"), ("place in the conversation", "place")):
        yield RateView(
            points=[
                RatePoint(value, each.strategy, rate, str(each.subject))
                for each in found
                for value, rate in (each.by_kind if name == "kind" else each.by_place).items()
            ],
            name=f"{stem}-by-{name}",
            heading=title,
            title=f"Recall by {kind}",
            x=kind,
            series="strategy",
            scale=RECALL,
            table=f"recall by {kind}",
            down=name == "kind",
            finding=False,
        )


def retention_tables(title: str, stem: str, found: Sequence[Retention]) -> Iterator[Table]:
    """Yield the table of the strategies, and those of the views."""
    columns = {
        "strategy": [each.strategy for each in found],
        "tokens kept": [f"{each.retained:.0%}" for each in found],
        "recall [95% interval]": [str(each.recall) for each in found],
        **{name: [f"{each.wrong[name]:,}" for each in found] for name in ("stale", "lost", "invented")},
        "strategy, $ per 1,000": ["?" if each.usd is None else f"{1000 * each.usd:.2f}" for each in found],
        "strategy, median s": ["?" if each.seconds is None else f"{each.seconds:.1f}" for each in found],
        "dominated by": [", ".join(each.dominated_by) or "-" for each in found],
    }
    yield Table.by_subject(f"{title}: strategies", [each.subject for each in found], columns)
    for view in retention_views(title, stem, found):
        yield from view.tables()


def retention_findings(title: str, found: Sequence[Retention]) -> Iterator[tuple[Rank, str]]:
    """Yield which strategies are dominated, and which edits a server did not make."""
    for each in found:
        for edit, number in each.not_applied.items():
            yield (
                Rank.UNMEASURED,
                f"{title}, {each.subject}, strategy {each.strategy}: in {number:,} of {each.recall.n:,} trials the "
                f"server did not apply {edit}, so these measure the conversation as it is.",
            )
        if each.dominated_by:
            recall = "recalls" if len(each.dominated_by) == 1 else "recall"
            yield (
                Rank.EFFECT,
                f"{title}, {each.subject}: {each.strategy} recalls {each.recall.rate:.2f} from {each.retained:.0%} of "
                f"the tokens; {' and '.join(each.dominated_by)} {recall} at least as much, from no more tokens.",
            )


def retention_data(name: str, found: Sequence[Retention]) -> list[dict[str, Any]]:
    """Return the entries of summary.json. name: the function's."""
    return [
        {
            "function": name,
            **each.subject.fields,
            "strategy": each.strategy,
            "retained": each.retained,
            "n": each.recall.n,
            "rate": each.recall.rate,
            "lo": each.recall.lo,
            "hi": each.recall.hi,
            **each.wrong,
            "strategy_usd": each.usd,
            "strategy_s": each.seconds,
            "by_kind": {kind: [rate.correct, rate.n] for kind, rate in each.by_kind.items()},
            "by_place": {place: [rate.correct, rate.n] for place, rate in each.by_place.items()},
            "not_applied": dict(each.not_applied),
            "dominated_by": list(each.dominated_by),
        }
        for each in found
    ]
