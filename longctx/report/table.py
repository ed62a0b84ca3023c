"""A titled table of text cells, and what all tables of a report share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from longctx.results.subject import Subject
from longctx.summary.summary import ScenarioSummary


@dataclass(frozen=True, slots=True)
class Table:
    """A titled frame of text cells; the index is the first column.

    family: whose table it is; empty for all. said: the columns whose text came from a model or a document.
    """

    title: str
    frame: pd.DataFrame
    family: str = ""
    said: tuple[str, ...] = ()


def by_subject(scenarios: Sequence[ScenarioSummary]) -> dict[Subject, list[ScenarioSummary]]:
    """The scenarios of each subject."""
    groups: dict[Subject, list[ScenarioSummary]] = {}
    for scenario in scenarios:
        groups.setdefault(scenario.subject, []).append(scenario)
    return groups


def subject_columns(subjects: Sequence[Subject]) -> dict[str, list[str]]:
    """Columns that tell the subjects apart: model and prompts, and the labels where there are any."""
    columns = {
        "model": [subject.model for subject in subjects],
        "prompts": [subject.prompt_set for subject in subjects],
    }
    for name in dict.fromkeys(name for subject in subjects for name, _ in subject.labels):
        columns[name] = [dict(subject.labels).get(name, "") for subject in subjects]
    return columns


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
