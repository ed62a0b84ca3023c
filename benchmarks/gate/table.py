"""Tables in Markdown; shares with their Wilson interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from longctx.stats.rates import wilson


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def share(count: int, n: int) -> str:
    """Return the share in percent, with its Wilson 95% interval."""
    lo, hi = wilson(count, n)
    return f"{100 * count / n:.1f}% [{100 * lo:.1f}, {100 * hi:.1f}]"
