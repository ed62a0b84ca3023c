"""The contents of a run's page: facts of the run, a line for each family, and sections of charts and tables."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longctx.live.cost.money import usd
from longctx.plural import count
from longctx.report.across import effective_lengths
from longctx.report.charts.draw import Drawn
from longctx.report.tables import tables
from longctx.report.text import answered, cost_sentences
from longctx.results.manifest import Manifest
from longctx.results.row import EARLY_STOP
from longctx.summary.costs import Cost
from longctx.summary.families import families
from longctx.summary.summary import Summary
from longctx.views.scenario_summary import ScenarioSummary
from longctx.views.table import Table
from longctx.vocabulary.family import is_check, is_of_function

FEW = 2
"""The most families or models that a heading names; it gives the number of more."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn chart with the table of its numbers. note: a sentence below it; often empty."""

    title: str
    svg: str
    table: Table
    note: str


@dataclass(frozen=True, slots=True)
class PageSection:
    """A part of the page with a heading. id: its anchor. rates: the rate of each subject, as text."""

    id: str
    title: str
    rates: list[str]
    figures: list[Figure]
    tables: list[Table]


def headline(summary: Summary) -> str:
    """Return the families and models of a run, by name if they are few."""
    measured = dict.fromkeys(scenario.family for scenario in summary.scenarios if not is_check(scenario.family))
    functions = [family for family in measured if is_of_function(family)]
    models = dict.fromkeys(scenario.subject.model for scenario in summary.scenarios)
    if not measured:
        return "Nothing was measured"
    numbers = [(len(measured) - len(functions), "protocol", ""), (len(functions), "test function", "")]
    kinds = " and ".join(count(*number) for number in numbers if number[0])
    what = ", ".join(map(summary.title, measured)) if len(measured) <= FEW else kinds
    return f"{what}: {', '.join(models) if len(models) <= FEW else count(len(models), 'model')}"


def facts(summary: Summary, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield the facts of a run: names and values."""
    total = summary.live + summary.replayed + summary.unmeasured
    yield "run", manifest.run
    if manifest.profile:
        yield "profile", manifest.profile
    if len(subjects := {str(scenario.subject) for scenario in summary.scenarios}) == 1:
        yield "model", subjects.pop()
    yield "seed of the trials", "several" if manifest.seed is None else str(manifest.seed)
    if manifest.shard:
        yield "shard", manifest.shard
    if manifest.labels:
        yield "labels", ", ".join(f"{name}={value}" for name, value in manifest.labels.items())
    if manifest.hooks:
        yield "hooks", ", ".join(manifest.hooks)
    yield "trials", f"{total:,}: {summary.live:,} live, {summary.replayed:,} replayed"
    left_out = summary.errors.get(EARLY_STOP, 0)
    if summary.unmeasured > left_out:
        yield "not measured", f"{summary.unmeasured - left_out:,}"
    if left_out:
        yield "early stop", f"{left_out:,} trials left out"
    if summary.recorded:
        first, last = summary.recorded
        yield "recorded", f"{first}{f' to {last}' if last != first else ''}{_age(manifest.finished_at, first)}"
    if sentence := " ".join(answered(summary)):
        yield "another model", sentence
    yield "cost", " ".join(cost_sentences(summary.costs)) or _nothing(summary.costs)


def _nothing(costs: Sequence[Cost]) -> str:
    unknown = [cost.model for cost in costs if cost.replayed_usd is None]
    return "; ".join(f"no prices known of {name}" for name in unknown) or "$0.00"


def family_lines(summary: Summary) -> Table:
    """Return the first table of the page. It has a column of subjects if there are several."""
    lines = families(summary.scenarios)
    columns = {
        "test": [summary.title(line.family) for line in lines],
        "accuracy [95% interval]": [str(line.rate) for line in lines],
        "cells": [f"{line.scenarios:,}" for line in lines],
        "lowest": [_rate_and_name(line.lowest) for line in lines],
        "highest": [_rate_and_name(line.highest) for line in lines],
    }
    subjects = [str(line.subject) for line in lines]
    if len(set(subjects)) != 1:
        columns["model"] = subjects
    return Table.from_columns("", columns)


def _rate_and_name(scenario: ScenarioSummary | None) -> str:
    return f"{scenario.rate.rate:.2f} {scenario.scenario}" if scenario else "-"


def sections(summary: Summary, drawn: Sequence[Drawn]) -> Iterator[PageSection]:
    """Yield a section for each family in the order of the summary, then one for all families."""
    all_tables, lines = tables(summary), families(summary.scenarios)
    several = len({line.subject for line in lines}) > 1
    for name, family in summary.families.items():
        figures = [_figure(chart) for chart in drawn if chart.chart.family == name]
        own = [table for table in all_tables if table.family == name]
        own += [*family.account.further_tables(family.analysis), *effective_lengths(family.lengths)]
        undrawn = [table for table in own if not _is_drawn(table, figures)]
        rates = [str(line.rate) + f", {line.subject}" * several for line in lines if line.family == name]
        yield PageSection(name.replace("_", "-"), family.title, rates, figures, undrawn)
    figures = [_figure(chart) for chart in drawn if not chart.chart.family]
    yield PageSection("all-tests", "All tests", [], figures, [_usage(summary)])


def _is_drawn(table: Table, figures: Sequence[Figure]) -> bool:
    """Return whether a figure shows the numbers of this table."""
    return any((table.columns, table.rows) == (figure.table.columns, figure.table.rows) for figure in figures)


def _figure(drawn: Drawn) -> Figure:
    return Figure(drawn.chart.title, drawn.svg, drawn.chart.table, drawn.chart.note)


def _usage(summary: Summary) -> Table:
    rows = [
        {
            "family": summary.title(usage.family),
            "model": usage.model,
            "input tokens": f"{usage.input:,}",
            "read from cache": "-" if usage.cached is None or not usage.input else f"{usage.cached / usage.input:.0%}",
            "written to cache": f"{usage.written / usage.input:.0%}" if usage.input else "-",
            "output tokens": f"{usage.output:,}",
            "latency, median": f"{usage.latency_s[0]:.2f} s" if usage.latency_s else "-",
            "latency, 95%": f"{usage.latency_s[1]:.2f} s" if usage.latency_s else "-",
            "cost": "-" if usage.cost_usd is None else usd(usage.cost_usd),
        }
        for usage in summary.usage
    ]
    return Table.from_rows("Tokens, latency and cost", rows)


def _age(now: str, first: str) -> str:
    """Return a clause on the age of the oldest recording; empty if a time in the files is none."""
    try:
        days = (datetime.datetime.fromisoformat(now).date() - datetime.date.fromisoformat(first)).days
    except ValueError:
        return ""
    return f", up to {count(days, 'day')} old"
