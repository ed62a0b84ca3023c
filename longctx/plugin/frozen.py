"""The "too hard" filters that a run's questions had passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from longctx.corpus.filters import Filter
    from longctx.plugin.run import Run


def filters_used(run: Run, rows: pd.DataFrame) -> list[Filter]:
    """Its baseline's where it has one, so that both ask the same questions."""
    from longctx.corpus.filters import choose_filter

    asked = rows[rows["family"] == "collage"]
    names = {(model, item.rpartition("@")[2]) for model, item in zip(asked["model"], asked["item"], strict=True)}
    found = [choose_filter(run.workspace, run.plan.filters, model, bank) for model, bank in sorted(names)]
    return [one for one in found if one is not None]
