"""What a terminal shows of an estimate: the price of all, then a table; with -v what each price is estimated by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longctx.live.cost.estimate import Estimate, Estimates, headline, in_all
from longctx.report.blocks import bare_table
from longctx.report.gate_lines import COLUMNS
from longctx.results.grouping import grouped
from longctx.text import usd
from longctx.views.chart import Table

IN_FULL = "-v: what each is estimated by."
"""What a command with that option prints below the table."""


def estimate_lines(found: Estimates, batches: bool, cap: str = "", in_full: bool = False) -> Iterator[str]:
    """Yield the price of all, then a table or, in full, a sentence on each; then what must be known of them.

    batches: whether the run asks in batches. cap: in USD; empty for none.
    """
    yield headline(found.each, batches, cap)
    if in_full:
        yield from map(str, found.each)
        if total := in_all(found.each):
            yield total
        yield from (*found.remarks, *found.details)
    else:
        yield from ("", *_table(found.each, batches), "", *found.remarks)


NUMBERS = "price", "to send", "input tokens", "output tokens", "at most"


def _table(estimates: Sequence[Estimate], batches: bool) -> list[str]:
    """Return the lines of a table of tests, below the name of their model; the only model is named in the head."""
    by_model = grouped(estimates, lambda each: each.model)
    [head, *others] = by_model or [""]
    rows: list[tuple[str, ...]] = []
    for model, own in by_model.items():
        rows += [(model, *[""] * len(NUMBERS))] if others else []
        rows += [(f"  {each.test}" if others else each.test, *_numbers(each, batches)) for each in own]
    columns = ("" if others else head, *NUMBERS)
    widths = [max(len(row[index]) for row in (columns, *rows)) for index in range(1, len(columns))]
    room = COLUMNS - sum(2 + width for width in widths)
    cut = [(name if len(name) <= room else f"{name[: room - 1]}…", *numbers) for name, *numbers in (columns, *rows)]
    return bare_table(Table("", cut[0], tuple(cut[1:])), right=NUMBERS).splitlines()


def _numbers(each: Estimate, batches: bool) -> tuple[str, ...]:
    return (
        "unknown" if each.price is None else usd(each.price.paid(batches)),
        f"{each.to_ask:,} of {each.trials:,}",
        f"{each.input_tokens:,}",
        f"{each.output_tokens if each.expected_tokens is None else each.expected_tokens:,}",
        f"{each.output_tokens:,}",
    )
