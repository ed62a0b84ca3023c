"""A run's summary as text: for the terminal, and as Markdown for a pull request."""

from __future__ import annotations

from tabulate import tabulate

from longctx.measure.summary import Summary
from longctx.report.tables import tables


def as_terminal(summary: Summary) -> str:
    return _render(summary, "simple", "{}")


def as_markdown(summary: Summary, run: str) -> str:
    return f"# longctx run {run}\n\n" + _render(summary, "pipe", "## {}") + "\n"


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
    return f"{total:,} trials: {'; '.join(parts)}."


def _render(summary: Summary, style: str, title: str) -> str:
    blocks = [headline(summary)]
    for table in tables(summary):
        grid = tabulate(table.frame, headers="keys", tablefmt=style, disable_numparse=True)  # type: ignore[arg-type]
        blocks.append(f"{title.format(table.title)}\n\n{grid}")
    return "\n\n".join(blocks)


def _share(part: int, total: int) -> str:
    return f"{part / total:.0%}" if total else "0%"
