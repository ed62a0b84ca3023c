"""The declaration of a test's report: its table, charts, findings and entries of summary.json."""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Params = Mapping[str, Any]
"""The parameters of a cell."""
RATE = "accuracy"


class Rank(enum.IntEnum):
    """How urgent a finding is, the most urgent first."""

    UNMEASURED = enum.auto()
    MANY_UNUSABLE = enum.auto()
    """So many replies are unusable that the rates measure the format of the replies."""
    LEVEL = enum.auto()
    """How high the rates are, and up to which length."""
    UNUSABLE = enum.auto()
    CAUSE = enum.auto()
    """Why answers are wrong or right."""
    EFFECT = enum.auto()
    """How a change of the prompt affects the accuracy."""
    HOLDS = enum.auto()
    """No cell fails, at any length measured."""


@dataclass(frozen=True, slots=True)
class StatedMinimum:
    """The result of testing a stated minimum.

    Example:
        >>> minimum = StatedMinimum(p_value=0.001, below=True, says="1.2 keys a trial, below the minimum of 2")
    """

    p_value: float
    """The p-value of the hypothesis that the minimum is reached; Holm's correction includes it."""
    below: bool
    """Whether the whole interval is below the minimum."""
    says: str
    """The result in a few words."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What `Report.gate` returns in addition to bands. Only a stated minimum affects the verdict.

    Example:
        >>> reported = Reported(
        ...     kind="keys",
        ...     data={"before": 2.9, "now": 1.2, "minimum": 2},
        ...     table="Keys named in a trial",
        ...     cells={"cell": "keys-3", "before": "2.9", "now": "1.2", "minimum": "2: below"},
        ...     minimum=minimum,
        ... )
        >>> reported.minimum.below
        True
    """

    kind: str
    """The name of a list in gate.json."""
    data: Mapping[str, Any]
    """The entry there."""
    table: str
    """The title of its table."""
    cells: Mapping[str, str]
    """Its row there, headed by the first cell."""
    minimum: StatedMinimum | None = None
    """The result of testing a stated minimum; None if there is none."""

    def __post_init__(self) -> None:
        """Raise TypeError or ValueError if the report could not show it, or if Holm's correction could not count it."""
        if not self.cells:
            raise ValueError("it has no cells for its table")
        json.dumps(dict(self.data))
        if self.minimum and not 0 <= self.minimum.p_value <= 1:
            raise ValueError(f"{self.minimum.p_value} is not a p-value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Causes:
    """The kinds of wrong answers: a table with a column for each, and a finding if one prevails.

    Example:
        >>> Causes({"an older value": "updates_back", "made up": "nowhere"}, title="where wrong answers are from").of
        'wrong answers'
    """

    counts: Mapping[str, str | Callable[[Any], int]] = field(kw_only=False)
    """Each kind's count per trial: the name of a number in its trace, or a function of its row."""
    title: str
    """The end of the table's title."""
    of: str = "wrong answers"
    """What is counted, in the plural."""
    columns: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)
    """Further columns of the table, from Answers."""
    share: float = 0.5
    """The share from which a kind is a finding."""
    details: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    """What the finding adds to a kind, from all Answers of one subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """A further chart of shares, added up over the cells of a curve.

    Example:
        >>> Shares(
        ...     name="by-key",
        ...     title="Keys named, by their place",
        ...     x="key",
        ...     points=lambda answers: [(1, "3 keys", (answers.total("named_1"), answers.n))],
        ... ).name
        'by-key'
    """

    name: str
    """The end of the chart's file name."""
    title: str
    """The title of the chart."""
    x: str
    """The name of the axis and of the table's first column."""
    points: Callable[[Any], Iterable[tuple[Any, str, Any]]]
    """Returns points from Answers: the place on the axis, the curve (empty for the cell's own), and a Rate or a pair
    (count, total)."""
    axis: str | None = None
    """The title of the axis, if it is not `x`."""
    label: Callable[[Any], str] | None = None
    """Names a place, for an axis of names in the order of the places."""
    facets: tuple[str, ...] = ()
    """Parameters whose values have separate charts."""
    legend: str | None = None
    """The title of the legend."""
    value: str = "share"
    """The title of the axis of values."""
    table: str = ""
    """The end of a table's title in the text report; empty for no table."""
    fewest: int = 1
    """The fewest places that make a chart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The report of a test: its table, charts, findings and entries of summary.json.

    Pass it as `report` to `@protocol` or to the marker of a test function. Functions take the parameters of a cell
    (`params`) or the Answers of one subject to a cell. `x`, `by` and `facets` name parameters. Other names raise
    UserError before anything is sent.

    Example:
        >>> report = Report(
        ...     x="sentences",
        ...     series=lambda params: f"{params['keys']} keys",
        ...     columns={"keys named": lambda answers: f"{answers.total('found')} of {answers.total('asked')}"},
        ...     causes=Causes({"of another name": "other", "made up": "invented"}, title="what wrong keys are"),
        ...     data=lambda answers: {"cell": answers.cell, "found": answers.total("found")},
        ... )
    """

    x: str = ""
    """The parameter on the axis of the first chart: a curve of numbers, or a row per name; empty for no chart."""
    axis: str = ""
    """The title of that axis, if it is not `x`."""
    title: str = ""
    """The title of that chart; by default `By` and `x`."""
    series: Callable[[Params], str] | None = None
    """Names the curve of a cell; None for one curve."""
    legend: str | None = None
    """The title of the legend."""
    names: Mapping[Any, str] = field(default_factory=dict)
    """Readable names of the values of `x`."""
    guessing: float | Callable[[Params], float] | None = None
    """The accuracy that guessing reaches: a dashed line, and a finding if an accuracy is not significantly higher."""
    rate: str = RATE
    """What the table calls the accuracy, such as `exact set`."""
    table: str = ""
    """The end of the table's title, if it has no further columns."""
    figure: Callable[[Sequence[Any]], str | Iterable[Any]] | None = None
    """Returns a subject's entry in the first table, from its cells: a text, or RatePoints in order."""
    columns: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)
    """Further columns, from Answers; the table then has a row per cell."""
    fewest: int = 2
    """The fewest places that make a chart."""
    charts: tuple[Shares, ...] = ()
    """Further charts."""
    causes: Causes | None = None
    """The kinds of wrong answers."""
    findings: Callable[[Any], Iterable[str | tuple[Rank, str]]] | None = None
    """Returns further findings from all Answers of one subject: clauses without subject and full stop."""
    data: Callable[[Any], Mapping[str, Any]] | None = None
    """Returns an entry of summary.json, from Answers."""
    entries: str = ""
    """The name of the list of entries, which tests may share; by default the test's."""
    by: tuple[str, ...] = ()
    """The parameters by which cells are grouped into Answers; by default each cell has its own."""
    letters: Callable[[Any], str] | None = None
    """For multiple choice: names some Answers, such as `in 3,000 tokens`. A table shows how often each letter is right
    and chosen, and a bias is a finding; with an empty name, only summary.json has it."""
    more: Callable[[Sequence[Any]], Iterable[Any]] | None = None
    """Returns further RateViews, Tables and Charts from the Answers of all subjects."""
    gate: Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], Iterable[Reported]] | None = None
    """Returns what a gate reports in addition to the bands, from one subject's measured rows in the baseline (without
    traces) and in the run, and from the profile's tables (none for a test function)."""
