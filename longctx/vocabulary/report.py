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
    """The result of a significance test against a stated minimum.

    Example:
        >>> minimum = StatedMinimum(p_value=0.001, below=True, says="1.2 keys a trial, below the minimum of 2")
    """

    p_value: float
    """The p-value under the null hypothesis that the minimum is reached. It is part of Holm's correction."""
    below: bool
    """Whether the whole confidence interval is below the minimum."""
    says: str
    """The result in a few words."""


@dataclass(frozen=True, slots=True)
class Reported:
    """An additional result of a gate, returned by `Report.gate`. Only its `minimum` can affect the verdict.

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
    """The name of the list in gate.json that contains the entry."""
    data: Mapping[str, Any]
    """The entry in that list."""
    table: str
    """The title of the table."""
    cells: Mapping[str, str]
    """The row in that table, by column. The first cell names the row."""
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
    """The kinds of wrong answers: a table with one column per kind, and a finding if one kind is frequent enough.

    Example:
        >>> Causes({"an older value": "updates_back", "made up": "nowhere"}, title="where wrong answers are from").of
        'wrong answers'
    """

    counts: Mapping[str, str | Callable[[Any], int]] = field(kw_only=False)
    """For each kind, the count in a trial: a name in the trial's trace, or a function of its Row."""
    title: str
    """The end of the table's title."""
    of: str = "wrong answers"
    """The plural noun for the counted things."""
    columns: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)
    """Additional columns of the table: functions of Answers by column name."""
    share: float = 0.5
    """The minimum share of all counts at which the most frequent kind is a finding."""
    details: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    """For a kind, a function that returns text to add to its finding, given all Answers of one subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """An additional chart of shares. Counts are added up over the cells of a curve.

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
    """Given Answers, returns points (x, curve, share). An empty curve is the cell's own. The share is a Rate or a pair
    (count, total)."""
    axis: str | None = None
    """The title of the x-axis; by default `x`."""
    label: Callable[[Any], str] | None = None
    """Returns the name of an x-value. The axis then lists names, in the order of their x-values."""
    facets: tuple[str, ...] = ()
    """Parameters with a separate chart for each value."""
    legend: str | None = None
    """The title of the legend."""
    value: str = "share"
    """The title of the value axis."""
    table: str = ""
    """The end of the title of the chart's table in the text report; empty for no table."""
    fewest: int = 1
    """The minimum number of distinct x-values for a chart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The report of a test: its table, charts, findings and entries of summary.json.

    Pass it as `report` to `@protocol` or to the marker of a test function. Its functions take a cell's parameters
    (`params`) or one subject's Answers to a cell. `x`, `by` and `facets` must name parameters. Otherwise, UserError is
    raised before any request is sent.

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
    """The parameter on the x-axis of the first chart. Numbers give a curve, names a row each; empty for no chart."""
    axis: str = ""
    """The title of that axis; by default `x`."""
    title: str = ""
    """The title of that chart; by default `By X`, where X is the value of `x`."""
    series: Callable[[Params], str] | None = None
    """Returns the name of a cell's curve; None for a single curve."""
    legend: str | None = None
    """The title of the legend."""
    names: Mapping[Any, str] = field(default_factory=dict)
    """Display names for the values of `x`."""
    guessing: float | Callable[[Params], float] | None = None
    """The accuracy of guessing. Charts draw it as a dashed line. Accuracy that is not significantly higher is a
    finding."""
    rate: str = RATE
    """What the table calls the accuracy, such as `exact set`."""
    table: str = ""
    """The end of the table's title, if there are no additional columns."""
    figure: Callable[[Sequence[Any]], str | Iterable[Any]] | None = None
    """Given a subject's cells, returns its entry in the first table: a text, or RatePoints in order."""
    columns: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)
    """Additional columns: functions of Answers by column name. The table then has one row per cell."""
    fewest: int = 2
    """The minimum number of distinct x-values for a chart."""
    charts: tuple[Shares, ...] = ()
    """Additional charts."""
    causes: Causes | None = None
    """The kinds of wrong answers."""
    findings: Callable[[Any], Iterable[str | tuple[Rank, str]]] | None = None
    """Given all Answers of one subject, returns additional findings: clauses without the subject and the final
    period."""
    data: Callable[[Any], Mapping[str, Any]] | None = None
    """Given Answers, returns an entry of summary.json."""
    entries: str = ""
    """The name of the list of entries in summary.json, which tests may share; by default the test's name."""
    by: tuple[str, ...] = ()
    """The parameters by which cells are grouped into Answers. By default, each cell is its own group."""
    letters: Callable[[Any], str] | None = None
    """For multiple choice: returns the label of a group of Answers, such as `in 3,000 tokens`. A table shows how often
    each letter is right and chosen, and a bias is a finding. With an empty label, the counts are only in
    summary.json."""
    more: Callable[[Sequence[Any]], Iterable[Any]] | None = None
    """Given the Answers of all subjects, returns additional RateViews, Tables and Charts."""
    gate: Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], Iterable[Reported]] | None = None
    """Returns additional results of a gate. Takes one subject's measured rows in the baseline (without traces), its
    measured rows in the run, and the profile's tables (empty for a test function)."""
