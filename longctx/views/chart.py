"""A chart: what it draws, as data, and a table of its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Self

from longctx.results.row import Row, Subject
from longctx.stats.rates import Rate, rate_of
from longctx.vocabulary.shapes import TEXT

if TYPE_CHECKING:
    import pandas as pd


ACCURACY = "accuracy"
"""The title of an axis of rates that are accuracies."""
COLOURS = 8
"""The colours of series; beyond them, colours repeat."""
PlotKind = Literal["curves", "rows", "bars", "shares", "heat"]


@dataclass(frozen=True, slots=True)
class PlotMark:
    """A value to draw in a chart.

    Example:
        >>> mark = PlotMark(3, 0.97, (0.89, 0.99), series="my-model", say="3 keys: 0.97 [0.89, 0.99] n=60")
    """

    x: int | float | str
    """Its x-value: a number or name on the axis, the name of a row, or the column of a heat map."""
    value: float
    """Its value on the value axis."""
    interval: tuple[float, float] | None = None
    """The ends of its 95% interval; None for no interval."""
    series: str = ""
    """Its curve or colour; in a heat map its row."""
    say: str = ""
    """Its tooltip."""
    text: str = ""
    """The text next to it or in its cell."""


@dataclass(frozen=True, slots=True)
class Upright:
    """A vertical line at a number of the axis, such as k_max."""

    x: float
    name: str
    series: str
    say: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """The content of a chart.

    Example:
        >>> plot = Plot(kind="bars", value="keys found", marks=[PlotMark("3 keys", 58)], ends=None)
    """

    marks: Sequence[PlotMark]
    """The values to draw."""
    kind: PlotKind = "curves"
    """`curves` over an axis, `rows` of points with intervals, `bars`, `shares` of each row, or a `heat` map."""
    x: str = ""
    """The title of the x-axis."""
    value: str = ACCURACY
    """The title of the value axis."""
    ends: tuple[float, float] | None = (0.0, 1.0)
    """The limits of that axis; None to derive them from the values."""
    lines: Sequence[tuple[float, str]] = ()
    """Values to draw as dashed lines, such as the accuracy of guessing, each with a name."""
    dotted: Sequence[tuple[int | float | str, float]] = ()
    """The points (x, value) of a dotted line. A single point draws a line across the chart."""
    uprights: Sequence[Upright] = ()
    from_zero: bool = False
    """Whether a numeric x-axis starts at 0."""
    legend: str | None = ""
    """The title of the legend; None for no legend."""
    colours: Mapping[str, str] = field(default_factory=dict)
    """Colours for individual series, as CSS values such as `var(--good)`."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A custom chart, returned by `Report.more`.

    Example:
        >>> numbers = Table.from_columns("Keys found", {"keys": ["3"], "found": ["58"]})
        >>> chart = Chart("keys-found", "several_keys", "Keys found: my-model", plot, numbers)
    """

    name: str
    """The name of its file, without the extension."""
    test: str
    """The test whose section of the report shows it; empty if it covers all tests."""
    title: str
    """The title: the content of the chart and, after `: `, the subject."""
    plot: Plot
    """The content to draw."""
    table: Table
    """The chart's numbers as a table."""
    note: str = ""
    """A sentence below it."""


def note_of(*sentences: str) -> str:
    """Return the note that consists of these sentences, of which some may be empty."""
    return " ".join(filter(None, sentences))


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table of text cells.

    Example:
        >>> table = Table.from_columns("Keys, each counted", {"keys": ["3"], "keys named": ["58 of 60"]})
        >>> table.columns, table.rows
        (('keys', 'keys named'), (('3', '58 of 60'),))
    """

    title: str
    """The title above it."""
    columns: tuple[str, ...]
    """The names of the columns. The first column names the rows."""
    rows: tuple[tuple[object, ...], ...]
    """The cells of each row, one per column."""
    test: str = ""
    """The test whose section of the report shows it; empty if it covers all tests."""
    said: tuple[str, ...] = ()
    """The columns that contain text from a model or a document."""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"A row of the table {self.title!r} has not {len(self.columns)} cells.")

    @classmethod
    def from_rows(
        cls, title: str, rows: Sequence[Mapping[str, object]], test: str = "", said: tuple[str, ...] = ()
    ) -> Self:
        """Return a table from one mapping per row. Missing values and None become empty cells."""
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        cells = (tuple(row.get(name) for name in columns) for row in rows)
        return cls(
            title, columns, tuple(tuple("" if cell is None else cell for cell in row) for row in cells), test, said
        )

    @classmethod
    def from_columns(
        cls, title: str, columns: Mapping[str, Sequence[object]], test: str = "", said: tuple[str, ...] = ()
    ) -> Self:
        """Return a table from columns of the same length."""
        return cls(title, tuple(columns), tuple(zip(*columns.values(), strict=True)), test, said)

    @classmethod
    def by_subject(
        cls, title: str, subjects: Sequence[Subject], columns: Mapping[str, Sequence[object]], test: str = ""
    ) -> Self:
        """Return a table with one row per subject and these additional columns. Subjects may repeat."""
        return cls.from_columns(title, {**subject_columns(subjects), **columns}, test)

    @classmethod
    def pivot(cls, title: str, cells: Sequence[tuple[object, str, str]], index: str, test: str = "") -> Self:
        """Return a table from cells (row, column, text). index: the title of the first column.

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
        return cls(title, (index, *names), tuple(filled), test)

    @property
    def frame(self) -> pd.DataFrame:
        """The table as a pandas DataFrame, indexed by the first column. Raises UserError without pandas."""
        from longctx.extras import require

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
    if any(subject.server for subject in subjects):
        columns["server"] = [subject.server for subject in subjects]
    for name in dict.fromkeys(name for subject in subjects for name, _ in subject.labels):
        columns[name] = [dict(subject.labels).get(name, "") for subject in subjects]
    return columns


def tokens(value: int | None) -> str:
    """Return a number of tokens as text; a dash for None."""
    return "-" if value is None else f"{value:,}"


BIAS = 0.1
"""The difference from which a liking for a letter is a finding."""


@dataclass(frozen=True, slots=True)
class LetterShare:
    """How often a letter is right, how often it is chosen, and how often it is chosen where it is right."""

    letter: str
    right: Rate
    chosen: Rate
    found: Rate

    @property
    def excess(self) -> float:
        """The share of answers with the letter, less the share of questions of which it is right."""
        return self.chosen.rate - self.right.rate

    @property
    def biased(self) -> bool:
        """Whether it is shown to be chosen more often than it is right, by a tenth or more as measured."""
        return self.excess >= BIAS and self.chosen.lo > self.right.rate


def letter_shares(rows: Iterable[Row]) -> tuple[LetterShare, ...]:
    """Return the shares of each letter over the trials that were answered by one of their letters.

    Rows without text have none.
    """
    read = [row for row in rows if row.outcome in ("correct", "wrong") and row.returned]
    letters = sorted({str(letter) for row in read for letter in (row.expected, row.returned)})
    return tuple(
        LetterShare(
            letter,
            rate_of(read, lambda row, letter=letter: row.expected == letter),  # type: ignore[misc]
            rate_of(read, lambda row, letter=letter: row.returned == letter),  # type: ignore[misc]
            rate_of((row for row in read if row.expected == letter), lambda row: row.returned == row.expected),
        )
        for letter in letters
    )


def letter_bias(shares: Sequence[LetterShare]) -> float:
    """Return the share of answers that would have to change for letters to be chosen as often as they are right."""
    return sum(max(share.excess, 0.0) for share in shares)


def letter_table(where: str, shares: Sequence[LetterShare]) -> Table:
    """Return how often each letter is right, and how often it is chosen."""
    columns = {
        "letter": [share.letter for share in shares],
        "right": [f"{share.right.correct:,} of {share.right.n:,}" for share in shares],
        "chosen": [f"{share.chosen.correct:,} of {share.chosen.n:,}" for share in shares],
        "share chosen less share right": [f"{share.excess:+.2f}" for share in shares],
        "chosen when right [95% interval]": [str(share.found) for share in shares],
    }
    return Table.from_columns(f"Letters, {where}: bias {letter_bias(shares):.2f}", columns)


def letter_biases(where: str, shares: Iterable[LetterShare]) -> Iterator[str]:
    """Yield the letters that are chosen more often than they are right. where: such as `in 3,000 tokens`."""
    for share in shares:
        if share.biased:
            yield (
                f"{share.letter} is chosen in {share.chosen.correct:,} of {share.chosen.n:,} answers and right in "
                f"{share.right.correct:,}, {where}: the bias inflates the accuracy"
            )


def letter_entries(shares: Sequence[LetterShare]) -> dict[str, dict[str, float]]:
    """Return the shares of letters for summary.json."""
    return {
        share.letter: {
            "right": share.right.correct,
            "chosen": share.chosen.correct,
            "found": share.found.correct,
            "of": share.chosen.n,
        }
        for share in shares
    }
