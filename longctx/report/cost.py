"""Sentences on what a run cost, one for each model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.live.cost.money import usd
from longctx.plural import count
from longctx.summary.costs import Cost

WHERE = "(--ctx-price, or [prices] in the model's profile)"
"""Where a user gives prices."""


def sentences(costs: Sequence[Cost]) -> Iterator[str]:
    """Yield a sentence for each model whose answers cost something, or may have: none for a server of your own."""
    for cost in costs:
        parts = []
        if cost.live and cost.live_usd is None:
            parts.append(
                f"what {count(cost.live, 'answer')} asked live cost is not known, since prices are missing {WHERE}"
            )
        elif cost.live and cost.live_usd:
            parts.append(f"{count(cost.live, 'answer')} asked live cost {usd(cost.live_usd)}")
        if cost.replayed and cost.replayed_usd:
            parts.append(f"{count(cost.replayed, 'answer')} replayed had cost {usd(cost.replayed_usd)} when asked")
        if parts:
            dated = f", at prices of {cost.dated}" if cost.dated else ""
            yield f"{cost.model}: {'; '.join(parts)}{dated}."
