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
    """A stated minimum, tested on a run.

    Example:
        >>> minimum = StatedMinimum(p_value=0.001, below=True, says="1.2 keys a trial, below the minimum of 2")
    """

    p_value: float
    """The p-value of the hypothesis that the minimum is reached; Holm's correction counts it with the bands'."""
    below: bool
    """Whether the complete interval lies below the minimum."""
    says: str
    """A short description of what is missed."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What a test reports of two runs in addition to its bands; only a stated minimum has a verdict.

    `Report.gate` returns them.

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
    """The title of the table that shows it."""
    cells: Mapping[str, str]
    """Its row there; the first cell is the row's head."""
    minimum: StatedMinimum | None = None

    def __post_init__(self) -> None:
        """Raise TypeError or ValueError if the report could not show it, or if Holm's correction could not count it."""
        if not self.cells:
            raise ValueError("it has no cells for its table")
        json.dumps(dict(self.data))
        if self.minimum and not 0 <= self.minimum.p_value <= 1:
            raise ValueError(f"{self.minimum.p_value} is not a p-value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Causes:
    """What is wrong, counted by its kind: a table with a column for each, and a finding where one kind prevails.

    Example:
        >>> Causes({"an older value": "updates_back", "made up": "nowhere"}, title="where wrong answers are from").of
        'wrong answers'
    """

    counts: Mapping[str, str | Callable[[Any], int]] = field(kw_only=False)
    """How many each trial has of a kind, by the kind's name: a number of its trace, or a function of its row."""
    title: str
    """The end of the table's title."""
    of: str = "wrong answers"
    """What is counted, in the plural."""
    columns: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)
    """Further columns of the table, from Answers."""
    share: float = 0.5
    """The share of all that one kind must have to be a finding."""
    details: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    """What the finding adds to a kind, from all Answers of one subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """A further chart: shares of what answers contain, added up over the cells of a curve.

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
    """The end of the name of the chart's file."""
    title: str
    x: str
    """What is on the axis, which is also the first column of the chart's table."""
    points: Callable[[Any], Iterable[tuple[Any, str, Any]]]
    """Returns the points of some Answers: the place on the axis, the curve, which is empty for that of the cell, and a
    Rate or a pair: how many, of how many."""
    axis: str | None = None
    """The title of the axis, if it is not `x`."""
    label: Callable[[Any], str] | None = None
    """Names a place, for an axis of names; they stay in the order of the places."""
    facets: tuple[str, ...] = ()
    """Parameters whose values have their own chart."""
    legend: str | None = None
    value: str = "share"
    """What the axis of values shows."""
    table: str = ""
    """The end of the title of a table in the text report; empty if it has none."""
    fewest: int = 1
    """The fewest places on the axis for which there is a chart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How a test is reported: declared once, it gives a table, charts, findings and entries of summary.json.

    A protocol declares it in `@protocol`, a test function in its marker: `@pytest.mark.longctx(trials=80, report=…)`.
    Functions take the parameters of a cell (`params`), or the Answers of one subject to a cell. `x`, `by` and `facets`
    name parameters: raises UserError, before anything is sent, for any other.

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
    """The parameter on the axis of the first chart: numbers have a curve, names a row each; empty if `more` gives all.
    """
    axis: str = ""
    """The title of this axis, if it is not `x`."""
    title: str = ""
    """The title of the first chart; by default `By` and `x`."""
    series: Callable[[Params], str] | None = None
    """Names the curve of a cell; None for a single one."""
    legend: str | None = None
    """The title of the curves' legend, if their names need one."""
    names: Mapping[Any, str] = field(default_factory=dict)
    """The readable names of values of `x`."""
    guess: float | Callable[[Params], float] | None = None
    """The accuracy that guessing reaches: a dashed line, and a finding if an accuracy is not significantly higher."""
    rate: str = RATE
    """What the table calls the accuracy, such as `exact set`."""
    table: str = ""
    """The end of the title of a table without further columns; by default the accuracy and its interval."""
    figure: Callable[[Sequence[Any]], str | Iterable[Any]] | None = None
    """Returns what the first table shows of the cells of one subject: a text, or RatePoints in their order; by default
    those of `x` and `series`."""
    columns: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)
    """Further columns of the table, which then has a row for each cell, from Answers."""
    fewest: int = 2
    """The fewest places on the axis for which there is a chart."""
    charts: tuple[Shares, ...] = ()
    """Further charts."""
    causes: Causes | None = None
    """What is wrong in wrong answers."""
    findings: Callable[[Any], Iterable[str | tuple[Rank, str]]] | None = None
    """Returns further findings from all Answers of one subject: clauses without the subject and the full stop."""
    data: Callable[[Any], Mapping[str, Any]] | None = None
    """Returns the entry of a subject in summary.json, from Answers."""
    entries: str = ""
    """The name of the list of entries; by default the test's. Several tests may share a list."""
    by: tuple[str, ...] = ()
    """The parameters by which cells are put together into Answers; by default each cell has its own."""
    letters: Callable[[Any], str] | None = None
    """Of multiple choice: names some Answers, such as `in 3,000 tokens`. A table has how often each letter is right and
    chosen, and a liking for one is a finding; without a name, only summary.json has it."""
    more: Callable[[Sequence[Any]], Iterable[Any]] | None = None
    """The hook for a report: returns further RateViews, Tables and Charts from the Answers of all subjects."""
    gate: Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], Iterable[Reported]] | None = None
    """The hook for a gate: returns what it reports besides the bands, from the measured rows of one subject in the
    baseline, which have no traces, and in the run, and from the profile's tables (none of a test function)."""
