"""What answers took, in words and in a table: price, tokens and latency."""

from __future__ import annotations

import math

from longctx.gate.usage import Growth, Usage, UsageChange
from longctx.stats.quantiles import Quantile
from longctx.text import usd
from longctx.views.chart import Table

PRICE = "$ per 1,000"
"""The column of a thousand trials' price."""
UNKNOWN = "-"
NOTABLE = 0.1
"""The change of the price from which a title names it."""


def thousand(usage: Usage) -> str:
    """Return the price of a thousand trials."""
    return UNKNOWN if usage.usd is None else usd(1000 * usage.usd)


def trials(number: float) -> str:
    """Return a number of trials, with a decimal if some were answered several times."""
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"


def seconds(quantile: Quantile | None) -> str:
    return UNKNOWN if quantile is None else f"{quantile.value:.2f} s"


def before_after(before: str, after: str) -> str:
    return UNKNOWN if before == after == UNKNOWN else f"{before} → {after}"


def usage_table(change: UsageChange) -> Table:
    """Return a table of what the answers took, before and after."""
    before, after = change.before, change.after
    rows = [
        {"mean per trial": "price of 1,000", "before": thousand(before), "after": thousand(after)}
        | {"change": _growth(change.cost)},
        _tokens("input tokens", before.input_tokens, after.input_tokens),
        {"mean per trial": "… of which tokenizer", "before": "", "after": "", "change": _share(change.tokenizer)},
        _tokens("output tokens", before.output_tokens, after.output_tokens),
        _tokens("… of which thinking", before.thinking_tokens, after.thinking_tokens),
        {"mean per trial": "latency, median", "before": spread(before.latency_p50)}
        | {"after": spread(after.latency_p50), "change": _growth(change.latency)},
        {"mean per trial": "latency, 95%", "before": spread(before.latency_p95)}
        | {"after": spread(after.latency_p95), "change": _ratio(before.latency_p95, after.latency_p95)},
    ]
    title = (
        f"Cost and latency, {before.trials:,} paired trials (95% intervals; latency excludes batched answers; list "
        "prices)"
    )
    nothing = (UNKNOWN, UNKNOWN), (usd(0), usd(0))
    told = [
        row
        for row in rows
        if (row["before"], row["after"]) not in nothing and (row["before"] or row["change"] != UNKNOWN)
    ]
    return Table.from_rows(title, told)


def price_change(change: UsageChange | None) -> str:
    """Return a clause on the price if it changed notably; else nothing."""
    cost = change.cost if change else None
    if cost is None or (-NOTABLE < cost.value < NOTABLE):
        return ""
    return f"; costs {factor(cost.value)}"


def factor(growth: float) -> str:
    """Return a growth as how many times as much."""
    return "money, which the baseline did not" if math.isinf(growth) else f"{1 + growth:.2g} times as much"


def _tokens(name: str, before: float | None, after: float | None) -> dict[str, str]:
    change = after / before - 1 if before and after is not None else None
    sides = ("-" if value is None else f"{value:,.0f}" for value in (before, after))
    return {"mean per trial": name, **dict(zip(("before", "after"), sides, strict=True)), "change": _share(change)}


def _share(share: float | None) -> str:
    return UNKNOWN if share is None else f"{share:+.1%}"


def _growth(growth: Growth | None) -> str:
    if growth is None or math.isinf(growth.value):
        return UNKNOWN
    ends = [f"{end:+.0%}" if math.isfinite(end) else "unbounded" for end in (growth.lo, growth.hi)]
    return f"{growth.value:+.1%} [{', '.join(ends)}]"


def _ratio(before: Quantile | None, after: Quantile | None) -> str:
    return _share(after.value / before.value - 1 if before and after and before.value else None)


def spread(quantile: Quantile | None) -> str:
    """Return a quantile with its interval, whose end is `?` where too few values bound it."""
    if quantile is None:
        return UNKNOWN
    lo, hi = ("?" if end is None else f"{end:.2f}" for end in (quantile.lo, quantile.hi))
    return f"{quantile.value:.2f} s [{lo}, {hi}]"
