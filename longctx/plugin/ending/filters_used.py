"""The "too hard" filters that a run's questions have passed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from longctx.corpus.filters import Filter
    from longctx.plugin.run import Run
    from longctx.results.row import Row


def filters_used(run: Run, rows: Sequence[Row]) -> list[Filter]:
    """Return the filters of a run: those of its baseline if it has one, so that both ask the same questions."""
    from longctx.corpus.filters import choose_filter

    names = {(row.model, str(row.item).rpartition("@")[2]) for row in rows if row.family == "collage"}
    filters = [choose_filter(run.workspace, run.plan.filters, model, bank) for model, bank in sorted(names)]
    return [chosen for chosen in filters if chosen is not None]
