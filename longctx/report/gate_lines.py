"""What the terminal shows of a gate at the usual verbosity: its bands, what was lost, and what became dearer or slower.

gate.md has the evidence, and so has the terminal with -v.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longctx.gate.usage import Growth, UsageChange
from longctx.report.lost import LostAnswers
from longctx.report.lost import lines as lost_lines
from longctx.report.render import bare_table
from longctx.report.usage import before_after, seconds, thousand
from longctx.views.chart import Table
from longctx.visible import visible

MOST_LOST = 3
"""The most lost answers that are shown."""


def gate_lines(
    head: Sequence[str], bands: Sequence[Mapping[str, Any]], usage: UsageChange | None, lost: LostAnswers
) -> str:
    """Return a gate as text. head: its title and the sentences below it. bands: the rows of the table of bands."""
    shown = [visible(line) for line in head]
    if bands:
        table = Table.from_rows("", [_band(band) for band in bands])
        shown += ["", bare_table(table, right=("before", "after", "change", "lost/gained", "n"))]
    shown += map(visible, _growths(usage))
    return "\n".join([*shown, *map(visible, lost_lines(lost, MOST_LOST))])


def _band(band: Mapping[str, Any]) -> dict[str, Any]:
    get = band.get
    changes = f"{get('lost')}/{get('gained')}" if get("lost") else ""
    return {
        "test": str(band["family"]).replace("_", " ") if not str(band["family"]).startswith("test_") else get("family"),
        **({"of": band["of"]} if "of" in band else {}),
        "band": get("band"),
        "before": get("before"),
        "after": get("after"),
        "change": get("difference"),
        "95% interval": get("95% interval"),
        "lost/gained": changes,
        "n": get("n"),
        "verdict": get("verdict"),
    }


def _growths(usage: UsageChange | None) -> Iterator[str]:
    """Yield a line for price and for latency if the change is significant."""
    if usage is None:
        return
    if _significant(usage.cost):
        yield f"Price of 1,000 trials: {before_after(thousand(usage.before), thousand(usage.after))}"
    if _significant(usage.latency):
        yield f"Median latency: {before_after(*(seconds(side.latency_p50) for side in (usage.before, usage.after)))}"


def _significant(growth: Growth | None) -> bool:
    return growth is not None and growth.value != 0 and (growth.lo > 0 or growth.hi < 0)
