"""What a run cost, in a sentence for each model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.summary.costs import Cost

WHERE = "(--ctx-price, or [prices] in the model's profile)"
"""Where prices are given."""


def sentences(costs: Sequence[Cost]) -> Iterator[str]:
    """Sentences on what cost something, or may have. A server of one's own costs nothing, and has none."""
    for one in costs:
        parts = []
        if one.live and one.live_usd is None:
            parts.append(f"what {_answers(one.live)} asked live cost is not known, since prices are missing {WHERE}")
        elif one.live and one.live_usd:
            parts.append(f"{_answers(one.live)} asked live cost ${one.live_usd:,.2f}")
        if one.replayed and one.replayed_usd:
            parts.append(f"{_answers(one.replayed)} replayed had cost ${one.replayed_usd:,.2f} when asked")
        if parts:
            dated = f", at prices of {one.dated}" if one.dated else ""
            yield f"{one.model}: {'; '.join(parts)}{dated}."


def _answers(number: int) -> str:
    return f"{number:,} {'answer' if number == 1 else 'answers'}"
