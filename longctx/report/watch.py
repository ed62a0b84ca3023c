"""The evidence of a canary's nights in words."""

from __future__ import annotations

from collections.abc import Sequence

from longctx.gate.watch import WatchedNight
from longctx.plural import count
from longctx.report.document import Document
from longctx.stats.power import ALARM, FALSE_ALARMS
from longctx.views.chart import Table


def watch_document(baseline: str, nights: Sequence[WatchedNight]) -> Document:
    """Return what the nights show. baseline: its name."""
    last = nights[-1]
    since = nights[last.evidence.since].name
    fell = sum(each.night.lost for each in nights[last.evidence.since :])
    rose = sum(each.night.gained for each in nights[last.evidence.since :])
    what = f"{fell:,} lost and {rose:,} gained since {since}"
    none = f"no drop noticed after {count(len(nights), 'night')}"
    title = f"Canary: {f'a drop, {what}' if last.evidence.alarm else none}"
    rows = [
        {
            "night": each.name,
            "before": f"{each.before.rate:.2f}",
            "after": f"{each.after.rate:.2f}",
            "n": f"{each.after.n:,}",
            "lost": f"{each.night.lost:,}",
            "gained": f"{each.night.gained:,}",
            "evidence": f"{each.evidence.value:,.3g}",
            "since": nights[each.evidence.since].name,
            "verdict": "drop" if each.evidence.alarm else "",
        }
        for each in nights
    ]
    notes = (
        f"Against the baseline {baseline}. Evidence is by how much a bet on a drop, made on the night in the column "
        f"since, has multiplied its stake. {ALARM:,.0f} give alarm: an unchanged model does so less than "
        f"{FALSE_ALARMS:g} times a year.",
    )
    return Document(title, notes, (Table.from_rows("By night", rows),), "regression" if last.evidence.alarm else "")
