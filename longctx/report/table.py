"""Tables of text cells, and helpers that several tables of a report share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import pandas as pd

from longctx.results.subject import Subject
from longctx.vocabulary.shapes import TEXT


@dataclass(frozen=True, slots=True)
class Table:
    """A titled frame of text cells. Its index is the first column.

    Example:
        >>> subject = Subject("my-model", "protocol")
        >>> table = Table.by_subject("Keys, each counted", [subject], {"keys named": ["58 of 60"]})
        >>> print(table.frame)
                   prompts keys named
        model
        my-model  protocol   58 of 60
    """

    title: str
    frame: pd.DataFrame
    family: str = ""
    """The family that it belongs to; empty if it is of all."""
    said: tuple[str, ...] = ()
    """The columns whose text is a model's or a document's."""

    @classmethod
    def by_subject(
        cls, title: str, subjects: Sequence[Subject], columns: Mapping[str, Sequence[object]], family: str = ""
    ) -> Self:
        """Return a table with a row for each of the subjects, which may repeat, and these further columns."""
        return cls(title, pd.DataFrame({**subject_columns(subjects), **columns}).set_index("model"), family)


def subject_columns(subjects: Sequence[Subject]) -> dict[str, list[str]]:
    """Return the columns that tell subjects apart: model, prompt set, shape unless all are text, and each label."""
    columns = {
        "model": [subject.model for subject in subjects],
        "prompts": [subject.prompt_set for subject in subjects],
    }
    if any(subject.shape != TEXT for subject in subjects):
        columns["shape"] = [subject.shape for subject in subjects]
    for name in dict.fromkeys(name for subject in subjects for name, _ in subject.labels):
        columns[name] = [dict(subject.labels).get(name, "") for subject in subjects]
    return columns


def pivot(cells: Sequence[tuple[object, str, str]], index: str) -> pd.DataFrame:
    """Return cells (row, column, text) as a frame. index: the name of the rows.

    Rows are sorted if they are numbers; else rows and columns keep the order of the cells. Missing cells are empty.
    """
    frame = pd.DataFrame(cells, columns=[index, "column", "text"])
    columns, rows = list(dict.fromkeys(frame["column"])), list(dict.fromkeys(frame[index]))
    if all(isinstance(row, int) for row in rows):
        rows.sort()
    return frame.pivot(index=index, columns="column", values="text").reindex(index=rows, columns=columns).fillna("")


def tokens(value: int | None) -> str:
    """Return a number of tokens as text; a dash for None."""
    return "-" if value is None else f"{value:,}"
