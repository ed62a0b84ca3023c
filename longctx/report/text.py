"""A run's summary as text: for the terminal, and as Markdown for a pull request."""

from __future__ import annotations

import pandas as pd
from tabulate import tabulate

from longctx.measure.summary import Summary, UsageSummary
from longctx.report.tables import tables


def as_terminal(summary: Summary) -> str:
    return _render(summary, "simple", "{}", "\n")


def as_markdown(summary: Summary, run: str) -> str:
    return f"# longctx run {run}\n\n" + _render(summary, "pipe", "## {}", "\n\n") + "\n"


def headline(summary: Summary) -> str:
    """Live, replayed and unmeasured trials in a sentence."""
    total = summary.live + summary.replayed + summary.unmeasured
    parts = [f"{summary.live:,} live ({_share(summary.live, total)})"]
    replayed = f"{summary.replayed:,} replayed ({_share(summary.replayed, total)})"
    if summary.recorded:
        first, last = summary.recorded
        replayed += f", recorded {first}" + (f" to {last}" if last != first else "")
    parts.append(replayed)
    if summary.unmeasured:
        parts.append(f"{summary.unmeasured:,} not measured")
    return f"{total:,} {'trial' if total == 1 else 'trials'}: {'; '.join(parts)}."


def _render(summary: Summary, style: str, title: str, separator: str) -> str:
    blocks = [separator.join([headline(summary), *map(_usage, summary.usage)])]
    for table in tables(summary):
        frame = _escaped(table.frame) if style == "pipe" else table.frame
        grid = tabulate(frame, headers="keys", tablefmt=style, disable_numparse=True)  # type: ignore[arg-type]
        blocks.append(f"{title.format(table.title)}\n\n{grid}")
    return "\n\n".join(blocks)


def _escaped(frame: pd.DataFrame) -> pd.DataFrame:
    """A bar in a name would end a cell of a Markdown table."""
    return frame.rename(index=_no_bar, columns=_no_bar).map(_no_bar)


def _no_bar(cell: object) -> str:
    return str(cell).replace("|", "\\|")


def _usage(one: UsageSummary) -> str:
    cached = f"{_share(one.cached, one.input)} of them read from the server's cache"
    return f"{one.family} on {one.model}: {one.input:,} input tokens, {cached}; {one.output:,} output tokens."


def _share(part: int, total: int) -> str:
    return f"{part / total:.0%}" if total else "0%"
