"""The summary of a run: the rate of each scenario, and each family's own analysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longctx.compare.across import Curve, curves
from longctx.compare.judges import GradedTest, graded_tests
from longctx.registry import in_order, shipped
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.summary.chunks import Retrieval, retrievals
from longctx.summary.costs import Cost, UsageSummary, costs, usage
from longctx.summary.heatmap import HeatmapCell, heatmap
from longctx.summary.notes import Answered, Truncated, answered_as_another, thinking_in_text, truncated
from longctx.summary.retention import Retention, retention
from longctx.summary.window import Window, windows
from longctx.views.reporting import Guarded
from longctx.views.reporting import Reporting, Reports, reporting_of, reporting_of_test
from longctx.views.reporting import ScenarioSummary, summary_of
from longctx.vocabulary.family import is_check
from longctx.vocabulary.protocol import Protocol
from longctx.vocabulary.report import Report


@dataclass(frozen=True, slots=True)
class OfFamily:
    """A family in a run. `variant` and `size` are `Protocol.variant` and `Protocol.context`."""

    title: str
    unit: str
    """The unit of its contexts' lengths."""
    variant: str
    reporting: Reporting
    analysis: Any
    """The result of `reporting.analyse`."""
    size: str | None = ""
    parameters: tuple[str, ...] = ()
    """The parameters that tell its scenarios apart; empty if the family is not installed."""
    retention: tuple[Retention, ...] = ()
    """What survives of transcripts, for test functions that ask about one."""
    windows: tuple[Window, ...] = ()
    """Accuracy by the fill of the window, for test functions that vary it."""
    retrievals: tuple[Retrieval, ...] = ()
    """Accuracy by the number of retrieved chunks, for test functions that vary it."""
    lengths: tuple[Curve, ...] = ()
    """The rates along the length, of subjects with several lengths: they give the effective lengths."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a run.

    live, replayed, unmeasured: numbers of trials.
    """

    scenarios: tuple[ScenarioSummary, ...]
    cells: tuple[HeatmapCell, ...]
    usage: tuple[UsageSummary, ...]
    live: int
    replayed: int
    unmeasured: int
    recorded: tuple[str, str] | None
    """The dates of the first and the last replayed answer."""
    errors: Mapping[str, int] = field(default_factory=dict)
    """How many trials were not measured for each cause."""
    costs: tuple[Cost, ...] = ()
    answered: tuple[Answered, ...] = ()
    truncated: tuple[Truncated, ...] = ()
    families: Mapping[str, OfFamily] = field(default_factory=dict)
    """The families of the run in their order."""
    thinking: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """How many replies of each model contain thinking in their text, and how many it has."""
    graded: tuple[GradedTest, ...] = ()
    """The test functions that a judge grades."""

    def of(self, family: str) -> list[ScenarioSummary]:
        """Return the scenarios of a family."""
        return [scenario for scenario in self.scenarios if scenario.family == family]

    @property
    def faults(self) -> list[str]:
        """A sentence on each failure of the families' own code. The list is complete once the report is written."""
        reports = (family.reporting for family in self.families.values())
        return [fault for report in reports if isinstance(report, Guarded) for fault in report.faults]

    def title(self, family: str) -> str:
        """Return a family's title; its name if it is not installed."""
        return self.families[family].title if family in self.families else family


def summarize(
    rows: Sequence[Row],
    prices_of: Mapping[str, str] | None = None,
    sent_as: Mapping[str, str] | None = None,
    families: Mapping[str, Protocol] | None = None,
    facts: Mapping[str, Mapping[str, int]] | None = None,
    reports: Reports | None = None,
) -> Summary:
    """Summarize the rows of a run; the scenarios keep their order within each family.

    prices_of: the date of each model's prices. sent_as: the id by which the provider knows a model, if it is another.
    families: the known ones, by default those of longctx. facts: the facts of each scenario by `scenario_name`; rows of
    earlier versions hold them in their parameters. reports: those of test functions.
    """
    known = shipped() if families is None else families
    rows = [rows[place] for place in in_order([row.family for row in rows], known)]
    cells = grouped(rows, lambda row: (row.family, row.subject, row.scenario))
    scenarios = tuple(summary_of(*cell, group, facts or {}) for cell, group in cells.items())
    measured = [row for row in rows if row.measured]
    replayed = [row for row in rows if row.source == "replayed"]
    days = sorted(str(row.recorded_at)[:10] for row in replayed)
    of_families = grouped(measured, lambda row: row.family)
    return Summary(
        scenarios=scenarios,
        cells=tuple(heatmap(measured, known)),
        families={
            name: _of_family(name, known.get(name) or (reports or {}).get(name), scenarios, of_families.get(name, []))
            for name in dict.fromkeys(scenario.family for scenario in scenarios)
        },
        usage=usage(measured),
        live=sum(row.source == "live" for row in rows),
        replayed=len(replayed),
        unmeasured=len(rows) - len(measured),
        recorded=(days[0], days[-1]) if days else None,
        errors=dict(Counter(row.error for row in rows if row.error is not None)),
        costs=costs(measured, prices_of or {}),
        answered=answered_as_another(measured, sent_as or {}),
        truncated=truncated(measured),
        thinking=thinking_in_text(measured),
        graded=graded_tests(measured),
    )


def _of_family(
    name: str, declared: Protocol | Report | None, scenarios: Sequence[ScenarioSummary], measured: Sequence[Row]
) -> OfFamily:
    """Analyse a family. declared: None if it is not installed and reports nothing. measured: its measured rows."""
    family = declared if isinstance(declared, Protocol) else None
    reporting = Guarded(family.title, reporting_of(family)) if family else Reporting()
    if isinstance(declared, Report):
        reporting = Guarded(name, reporting_of_test(name, declared))
    own = [scenario for scenario in scenarios if scenario.family == name]
    return OfFamily(
        family.title if family else name,
        family.unit if family else "tokens",
        family.variant if family else "",
        reporting,
        reporting.analyse(own, measured),
        family.context if family else "",
        family.cell.identified_by if family else (),
        () if family or is_check(name) else retention(measured),
        () if family or is_check(name) else windows(measured),
        () if family or is_check(name) else retrievals(measured),
        () if is_check(name) else tuple(curves(measured, {name: family} if family else {})),
    )
