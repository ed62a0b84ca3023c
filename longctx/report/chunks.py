"""How many chunks to retrieve, in one sentence per model, and the table of their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from longctx.live.cost.money import usd
from longctx.plural import count
from longctx.report.window import interval_of, measured_columns, point_data
from longctx.summary.chunks import MISSED, RETRIEVED, Retrieval
from longctx.views.table import Table


def chunks_sentences(found: Sequence[Retrieval]) -> list[str]:
    """Return how many chunks are enough for each model, and whether retrieval or the model misses the rest."""
    several = len({each.subject for each in found}) > 1
    return [f"{each.subject}: {_enough(each)}" if several else _enough(each) for each in found]


def chunks_tables(title: str, found: Sequence[Retrieval]) -> Iterator[Table]:
    """Yield a table with a row for each number of chunks."""
    rows = [(each, point) for each in found for point in each.points]
    worse = [{loss.value for loss in each.losses.lost} for each, _ in rows]
    columns = {
        "chunks": [f"{point.value:,.0f}" for _, point in rows],
        "accuracy [95% interval]": [str(point.rate) for _, point in rows],
        "answer retrieved": [f"{point.counts.get(RETRIEVED, 0) / point.rate.n:.0%}" for _, point in rows],
        "missed though retrieved": [f"{point.counts.get(MISSED, 0):,}" for _, point in rows],
        "significantly worse than the best": [
            "yes" if point.value in lost else "-" for (_, point), lost in zip(rows, worse, strict=True)
        ],
        **measured_columns([point for _, point in rows]),
    }
    yield Table.by_subject(f"{title}: accuracy by number of chunks", [each.subject for each, _ in rows], columns)


def chunks_data(name: str, found: Sequence[Retrieval]) -> Iterator[dict[str, Any]]:
    """Yield the entries of summary.json. name: the function's."""
    for each in found:
        yield {
            "function": name,
            **each.subject.fields,
            "chunks": [point_data("number", point) for point in each.points],
            "best": each.best.value,
            "cheapest": each.cheapest.value,
            "losses": [asdict(loss) for loss in each.losses.each],
        }


def _enough(found: Retrieval) -> str:
    chosen, best, most = found.cheapest, found.best, found.points[-1]
    if not best.rate.correct:
        return (
            f"No answer is right with up to {most.value:,.0f} chunks, though with {most.value:,.0f} the answer was "
            f"retrieved for {most.counts.get(RETRIEVED, 0):,} of {count(most.rate.n, 'question')}."
        )
    price = f" for {usd(1000 * chosen.usd)} per 1,000 questions" if chosen.usd else ""
    number = count(int(chosen.value), "chunk is", "chunks are")
    kind = "cheapest" if any(point.usd for point in found.points) else "fewest"
    against = "" if best.value == chosen.value else f"; the best are {best.value:,.0f}, with {interval_of(best.rate)}"
    there, missed = chosen.counts.get(RETRIEVED, 0), chosen.counts.get(MISSED, 0)
    return (
        f"{number} the {kind} not significantly worse than the best: {interval_of(chosen.rate)}{price}{against}. The "
        f"answer was retrieved for {there:,} of {count(chosen.rate.n, 'question')}; {missed:,} of these were missed."
    )
