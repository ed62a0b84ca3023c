"""The "too hard" filters of the baseline that a run is gated against: both ask the same questions."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from longctx.corpus.filters import Filter
    from longctx.workspace import Workspace


@functools.lru_cache(maxsize=4)
def frozen_filters(workspace: Workspace, baseline: str | None) -> tuple[Filter, ...] | None:
    """None without a baseline. Raises UserError."""
    if baseline is None:
        return None
    from longctx.corpus.filters import Filter
    from longctx.results.baseline import load_manifest_of

    return tuple(Filter.model_validate(one) for one in load_manifest_of(workspace.find_baseline(baseline)).filters)


def filters_used(workspace: Workspace, baseline: str | None, rows: pd.DataFrame) -> list[Filter]:
    """The filters that a run's questions had passed, its baseline's where it has one."""
    from longctx.corpus.filters import choose_filter

    asked = rows[rows["family"] == "collage"]
    names = {(model, item.rpartition("@")[2]) for model, item in zip(asked["model"], asked["item"], strict=True)}
    frozen = frozen_filters(workspace, baseline)
    found = [choose_filter(workspace, frozen, model, bank) for model, bank in sorted(names)]
    return [one for one in found if one is not None]
