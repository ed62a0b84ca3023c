"""A chart, which is a Vega-Lite specification with a table of its numbers, and the parts that several charts share.

Colours are CSS variables such as var(--series-1), so that a chart in the page follows its light or dark theme.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from longctx.extras import require
from longctx.results.row import Row, Subject
from longctx.stats.rates import Rate, rate_of
from longctx.vocabulary.shapes import TEXT

if TYPE_CHECKING:
    import pandas as pd


Spec = dict[str, Any]

SERIES = [f"var(--series-{number})" for number in range(1, 9)]
HEAT = [f"var(--heat-{step})" for step in range(10)]
WIDTH, HEIGHT = 560, 260
"""The size of a chart in pixels. The width is half a page, so that its text is not scaled there."""
LETTER = 7
"""The approximate width of a label's character in pixels."""
ACCURACY = "accuracy"
"""The title of an axis of rates that are accuracies."""
SAME = 0.005
"""The difference below which points of two rates hide each other."""
POINT, RING = 60, 150
"""The area of a point, and what each ring around it adds, in square pixels."""
RINGED = "Points of the same accuracy are rings around each other."
UNITLESS = {"labelExpr": "replace(datum.label, '%', '')"}
"""The labels of an axis without the percent sign, which the axis's title has: ten of them are next to each other."""
DASHED, DOTTED = (4, 4), (1, 3)
"""The pixels of a line's dashes and of what is between them."""
LONG = 16
"""The characters of a name beyond which a legend has one column, because a reader's font may be wider."""
SYMBOL = 48
"""The width in pixels of a legend's symbol and of the space between two columns."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of a test's own, if those of a `Report` do not suit it.

    Example:
        >>> spec = {
        ...     "data": {"values": [{"keys": 3, "found": 58}]},
        ...     "mark": "bar",
        ...     "encoding": {"x": {"field": "keys"}, "y": {"field": "found", "type": "quantitative"}},
        ... }
        >>> numbers = Table.from_columns("Keys found", {"keys": ["3"], "found": ["58"]})
        >>> chart = Chart("keys-found", "several_keys", "Keys found: my-model", spec, numbers)
    """

    name: str
    """The name of its file."""
    test: str
    """The test in whose section it is shown; empty for all tests."""
    title: str
    """What it shows and, after `: `, of which subject."""
    spec: Spec
    """A Vega-Lite view. Colours are CSS variables, such as `var(--series-1)`."""
    table: Table
    """Its numbers, as text."""
    note: str = ""
    """A sentence below it; often empty."""


def note_of(*sentences: str) -> str:
    """Return the note that consists of these sentences, of which some may be empty."""
    return " ".join(filter(None, sentences))


def field(name: str, kind: str, title: str | None = None, **more: Any) -> Spec:
    """Return the encoding of a data field. kind: quantitative, ordinal or nominal."""
    return {"field": name, "type": kind, "title": title, **more}


def rate_axis(name: str, title: str = ACCURACY) -> Spec:
    return field(name, "quantitative", title, scale={"domain": [0, 1]})


def low_to_high(title: str = ACCURACY) -> Spec:
    """Return the encoding of an interval."""
    return {"y": rate_axis("lo", title), "y2": {"field": "hi"}}


def colours(name: str, values: Sequence[str], title: str | None = None) -> Spec:
    """Return an encoding with a colour for each of these series; beyond the palette, colours repeat."""
    palette = [SERIES[number % len(SERIES)] for number in range(len(values))]
    scale = {"domain": list(values), "range": palette}
    return field(name, "nominal", title, scale=scale, sort=None, legend={"columns": legend_columns(values)})


def legend_columns(names: Sequence[str], width: int = WIDTH) -> int:
    """Return how many columns of names fit into a width in pixels."""
    longest = max(map(len, names), default=0)
    return 1 if longest > LONG else width // (longest * LETTER + SYMBOL)


def labelled(labels: Sequence[str]) -> Spec:
    """Return an axis of names, which are rotated if they would overlap."""
    room = WIDTH / max(len(labels), 1)
    turned = max(map(len, labels), default=0) * LETTER > room - LETTER
    return {"labelAngle": -35, "labelAlign": "right"} if turned else {}


def ringed(points: Sequence[dict[str, Any]], x: str) -> tuple[list[dict[str, Any]], str]:
    """Return the points of all series with `ring`, 0 for a full point, and a note if any is a ring.

    Points that would hide each other are rings around the first, so that no accuracy is moved. x: the field of the
    horizontal position.
    """
    columns: dict[Any, list[dict[str, Any]]] = {}
    for point in points:
        columns.setdefault(point[x], []).append(point)
    marked, note = [], ""
    for column in columns.values():
        for group in _overlapping(sorted(column, key=lambda point: float(point["rate"]))):
            note = RINGED if len(group) > 1 else note
            marked += [{**point, "ring": number} for number, point in enumerate(group)]
    return marked, note


def _overlapping(points: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Group points that would hide each other. points: by rising rate."""
    group: list[dict[str, Any]] = []
    for point in points:
        if group and point["rate"] - group[-1]["rate"] >= SAME:
            yield group
            group = []
        group.append(point)
    if group:
        yield group


def has_order(x: Spec) -> bool:
    """Return whether an axis has numbers or ranges of numbers, rather than names."""
    return x["type"] == "quantitative" or x.get("axis") is UNITLESS


def curves(x: Spec, series: Spec, rings: bool, title: str = ACCURACY) -> list[Spec]:
    """Return layers with a band from lo to hi, a line through the rates, and a described point (`say`) at each.

    A series of a single point has no band; it has a bar. So has each point if x is a name, which has no order that a
    line could follow. The data are points as `ringed` returns them. rings: whether any is a ring; a layer without marks
    would be an image without a description. title: that of the axis of values.
    """
    joined = has_order(x)
    shape = {**series, "scale": {"domain": series["scale"]["domain"]}}
    beside = {} if joined else {"xOffset": {"field": series["field"], "type": "nominal", "sort": None}}
    base = {"x": x, **beside, "color": series}
    described = {**base, "y": rate_axis("rate", title), "shape": shape, "description": {"field": "say"}}
    points = {"joinaggregate": [{"op": "count", "as": "points"}], "groupby": [series["field"]]}
    ring = {
        "transform": [{"filter": "datum.ring > 0"}, {"calculate": f"{POINT} + {RING} * datum.ring", "as": "area"}],
        "mark": {"type": "point", "filled": False, "strokeWidth": 2, "opacity": 1},
        "encoding": {**described, "size": {"field": "area", "type": "quantitative", "scale": None, "legend": None}},
    }
    band: Spec = {"mark": {"type": "area", "opacity": 0.15, "aria": False}, "encoding": {**base, **low_to_high(title)}}
    line: Spec = {"mark": {"type": "line", "aria": False}, "encoding": {**base, "y": rate_axis("rate", title)}}
    return [
        {
            "transform": [points, {"filter": "datum.points == 1"}] if joined else [],
            "mark": {"type": "rule", "strokeWidth": 2, "aria": False},
            "encoding": {**base, **low_to_high(title)},
        },
        *([band, line] if joined else []),
        {
            "transform": [{"filter": "datum.ring == 0"}],
            "mark": {"type": "point", "filled": True, "size": POINT, "opacity": 1},
            "encoding": described,
        },
        *([ring] if rings else []),
    ]


def layered(values: Sequence[dict[str, Any]], layers: list[Spec], height: int = HEIGHT) -> Spec:
    return {"data": {"values": list(values)}, "width": WIDTH, "height": height, "layer": layers}


def intervals(y: Spec, colour: Spec, x: Spec) -> list[Spec]:
    """Return layers with a bar from lo to hi and a described point (`say`) for each row."""
    offset = {"field": colour["field"], "type": "nominal", "sort": None}
    base = {"y": y, "yOffset": offset, "color": colour}
    low = {**x, "field": "lo"}
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 2, "aria": False},
            "encoding": {**base, "x": low, "x2": {"field": "hi"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {**base, "x": x, "description": {"field": "say"}},
        },
    ]


def heat(values: Sequence[dict[str, Any]], x: Spec, y: Spec) -> Spec:
    """Return a heatmap: each value's cell has a colour for its `rate`, its `text`, and a description (`say`)."""
    base = {"x": x, "y": y}
    scale = {"type": "quantize", "domain": [0, 1], "range": HEAT}
    named = {"direction": "horizontal", "gradientLength": WIDTH // 2, "format": ".1f"}
    colour = field("rate", "quantitative", "accuracy", scale=scale, legend=named)
    contrast = {
        "condition": {"test": "datum.rate >= 0.5", "value": "var(--heat-ink-high)"},
        "value": "var(--heat-ink-low)",
    }
    return {
        "data": {"values": list(values)},
        "width": WIDTH,
        "height": {"step": 32},
        "layer": [
            {"mark": "rect", "encoding": {**base, "color": colour, "description": {"field": "say"}}},
            {
                "mark": {"type": "text", "aria": False},
                "encoding": {**base, "text": {"field": "text"}, "color": contrast},
            },
        ],
    }


def at(value: float, channel: str, dash: Sequence[int] = DASHED) -> Spec:
    """Return a line across the chart at a value, by default dashed. channel: x or y."""
    return {
        "data": {"values": [{}]},
        "mark": {"type": "rule", "strokeDash": list(dash), "color": "var(--ink-soft)", "aria": False},
        "encoding": {channel: {"datum": value}},
    }


def dotted(x: Spec, points: Sequence[dict[str, Any]], title: str = ACCURACY) -> Spec:
    """Return a dotted line through the rates of points that are not those of the chart. title: see `curves`."""
    return {
        "data": {"values": list(points)},
        "mark": {"type": "line", "strokeDash": list(DOTTED), "color": "var(--ink-soft)", "aria": False},
        "encoding": {"x": x, "y": rate_axis("rate", title)},
    }


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table of text cells.

    Example:
        >>> table = Table.from_columns("Keys, each counted", {"keys": ["3"], "keys named": ["58 of 60"]})
        >>> table.columns, table.rows
        (('keys', 'keys named'), (('3', '58 of 60'),))
    """

    title: str
    columns: tuple[str, ...]
    """The names of the columns. The first one names the rows."""
    rows: tuple[tuple[object, ...], ...]
    """The cells of each row, one for each column."""
    test: str = ""
    """The test that it belongs to; empty if it is of all."""
    said: tuple[str, ...] = ()
    """The columns whose text is a model's or a document's."""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"A row of the table {self.title!r} has not {len(self.columns)} cells.")

    @classmethod
    def from_rows(
        cls, title: str, rows: Sequence[Mapping[str, object]], test: str = "", said: tuple[str, ...] = ()
    ) -> Self:
        """Return a table of rows, each by its columns. A cell that a row lacks, or that is None, is empty."""
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        cells = (tuple(row.get(name) for name in columns) for row in rows)
        return cls(
            title, columns, tuple(tuple("" if cell is None else cell for cell in row) for row in cells), test, said
        )

    @classmethod
    def from_columns(
        cls, title: str, columns: Mapping[str, Sequence[object]], test: str = "", said: tuple[str, ...] = ()
    ) -> Self:
        """Return a table of columns, all of the same length."""
        return cls(title, tuple(columns), tuple(zip(*columns.values(), strict=True)), test, said)

    @classmethod
    def by_subject(
        cls, title: str, subjects: Sequence[Subject], columns: Mapping[str, Sequence[object]], test: str = ""
    ) -> Self:
        """Return a table with a row for each of the subjects, which may repeat, and these further columns."""
        return cls.from_columns(title, {**subject_columns(subjects), **columns}, test)

    @classmethod
    def pivot(cls, title: str, cells: Sequence[tuple[object, str, str]], index: str, test: str = "") -> Self:
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
        return cls(title, (index, *names), tuple(filled), test)

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
