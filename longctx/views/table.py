"""Tables of text cells, and helpers that several tables of a report share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from longctx.extras import require
from longctx.results.subject import Subject
from longctx.vocabulary.shapes import TEXT

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table of text cells.

    Example:
        >>> subject = Subject("my-model", "protocol")
        >>> table = Table.by_subject("Keys, each counted", [subject], {"keys named": ["58 of 60"]})
        >>> table.columns
        ('model', 'prompts', 'keys named')
        >>> table.rows
        (('my-model', 'protocol', '58 of 60'),)
    """

    title: str
    columns: tuple[str, ...]
    """The names of the columns. The first one names the rows."""
    rows: tuple[tuple[object, ...], ...]
    """The cells of each row, one for each column."""
    family: str = ""
    """The family that it belongs to; empty if it is of all."""
    said: tuple[str, ...] = ()
    """The columns whose text is a model's or a document's."""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"A row of the table {self.title!r} has not {len(self.columns)} cells.")

    @classmethod
    def from_rows(
        cls, title: str, rows: Sequence[Mapping[str, object]], family: str = "", said: tuple[str, ...] = ()
    ) -> Self:
        """Return a table of rows, each by its columns. A cell that a row lacks, or that is None, is empty."""
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        cells = (tuple(row.get(name) for name in columns) for row in rows)
        return cls(
            title, columns, tuple(tuple("" if cell is None else cell for cell in row) for row in cells), family, said
        )

    @classmethod
    def from_columns(
        cls, title: str, columns: Mapping[str, Sequence[object]], family: str = "", said: tuple[str, ...] = ()
    ) -> Self:
        """Return a table of columns, all of the same length."""
        return cls(title, tuple(columns), tuple(zip(*columns.values(), strict=True)), family, said)

    @classmethod
    def by_subject(
        cls, title: str, subjects: Sequence[Subject], columns: Mapping[str, Sequence[object]], family: str = ""
    ) -> Self:
        """Return a table with a row for each of the subjects, which may repeat, and these further columns."""
        return cls.from_columns(title, {**subject_columns(subjects), **columns}, family)

    @classmethod
    def pivot(cls, title: str, cells: Sequence[tuple[object, str, str]], index: str, family: str = "") -> Self:
        """Return a table of cells, each with its row, its column and its text. index: the name of the rows.

        Rows are sorted if they are numbers; else rows and columns keep the order of the cells. Missing cells are empty.
        """
        texts = {(row, column): text for row, column, text in cells}
        if len(texts) < len(cells):
            raise ValueError(f"The table {title!r} has two cells in one place.")
        rows = list(dict.fromkeys(row for row, *_ in cells))
        numbers = [row for row in rows if isinstance(row, int)]
        names = dict.fromkeys(column for _, column, _ in cells)
        filled = (
            (row, *(texts.get((row, name), "") for name in names))
            for row in (sorted(numbers) if len(numbers) == len(rows) else rows)
        )
        return cls(title, (index, *names), tuple(filled), family)

    @property
    def frame(self) -> pd.DataFrame:
        """The table as a frame of pandas, whose index is the first column. Raises UserError without pandas."""
        require("A table as a frame", "pandas")
        import pandas as pd

        first, *columns = self.columns
        index = pd.Index([row[0] for row in self.rows], name=first)
        return pd.DataFrame([row[1:] for row in self.rows], columns=columns, index=index)


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


def tokens(value: int | None) -> str:
    """Return a number of tokens as text; a dash for None."""
    return "-" if value is None else f"{value:,}"
