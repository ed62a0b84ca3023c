"""What the answers of a run cost by their own usage: those it asked, and those that an earlier run had asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one model. live, replayed: measured trials, and what their answers cost in USD; None where prices are not
    known. dated: the day on which the prices stood; None where that is not known."""

    model: str
    live: int
    live_usd: float | None
    replayed: int
    replayed_usd: float | None
    dated: str | None = None


def costs(measured: pd.DataFrame, dated: Mapping[str, str]) -> tuple[Cost, ...]:
    """measured: rows of trials that were. dated: model -> day of its prices."""
    return tuple(_cost(str(model), rows, dated) for model, rows in measured.groupby("model", sort=False))


def _cost(model: str, rows: pd.DataFrame, dated: Mapping[str, str]) -> Cost:
    live, replayed = rows[rows["source"] == "live"], rows[rows["source"] != "live"]
    return Cost(model, len(live), _usd(live), len(replayed), _usd(replayed), dated.get(model))


def _usd(rows: pd.DataFrame) -> float | None:
    return None if rows["cost_usd"].isna().any() else float(rows["cost_usd"].sum())
