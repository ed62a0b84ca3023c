"""A titled table of text cells, and what all tables of a report share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from longctx.measure.summary import ScenarioSummary


@dataclass(frozen=True, slots=True)
class Table:
    """A titled frame of text cells; the index is the first column."""

    title: str
    frame: pd.DataFrame


def by_model(scenarios: Sequence[ScenarioSummary]) -> dict[tuple[str, str], list[ScenarioSummary]]:
    """The scenarios of each model and prompt set."""
    groups: dict[tuple[str, str], list[ScenarioSummary]] = {}
    for one in scenarios:
        groups.setdefault((one.model, one.prompt_set), []).append(one)
    return groups


def pivot(cells: Sequence[tuple[object, str, str]], index: str) -> pd.DataFrame:
    """Cells (row, column, text) as a frame: numbered rows sorted, all else in the order it comes, gaps empty."""
    frame = pd.DataFrame(cells, columns=[index, "column", "text"])
    columns, rows = list(dict.fromkeys(frame["column"])), list(dict.fromkeys(frame[index]))
    if all(isinstance(row, int) for row in rows):
        rows.sort()
    return frame.pivot(index=index, columns="column", values="text").reindex(index=rows, columns=columns).fillna("")


def tokens(value: int | None) -> str:
    """A number of tokens; a dash for none."""
    return "-" if value is None else f"{value:,}"
