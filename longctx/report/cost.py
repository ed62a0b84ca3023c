"""What a run cost, in a sentence for each model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.measure.costs import Cost


def sentences(costs: Sequence[Cost]) -> Iterator[str]:
    """Of what cost something, or may have. A server of one's own costs nothing, and has no sentence."""
    for one in costs:
        parts = []
        if one.live and one.live_usd != 0:
            parts.append(f"{_answers(one.live)} asked live cost {_usd(one.live_usd)}")
        if one.replayed and one.replayed_usd:
            parts.append(f"{_answers(one.replayed)} replayed had cost {_usd(one.replayed_usd)} when asked")
        if parts:
            dated = f", at prices of {one.dated}" if one.dated else ""
            yield f"{one.model}: {'; '.join(parts)}{dated}."


def _answers(number: int) -> str:
    return f"{number:,} {'answer' if number == 1 else 'answers'}"


def _usd(value: float | None) -> str:
    return "what is not known, for want of prices" if value is None else f"${value:,.2f}"
