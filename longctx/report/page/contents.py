"""What stands on a run's page: facts of the run, one line a family, and a section of charts and tables for each."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from longctx.gate.bands import EARLY_STOP
from longctx.report.charts.draw import Drawn
from longctx.report.cost import sentences
from longctx.report.table import Table
from longctx.report.tables import tables
from longctx.report.text import answered
from longctx.results.manifest import Manifest
from longctx.summary.costs import Cost
from longctx.summary.families import families
from longctx.summary.summary import Summary

FEW = 2
"""Families or models that a heading names; of more it says how many."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn chart with the table of its numbers. note: a sentence below it, often empty."""

    title: str
    svg: str
    frame: pd.DataFrame
    note: str


@dataclass(frozen=True, slots=True)
class PageSection:
    """A part of the page under one heading. id: its place in the page. rates: a sentence for each subject."""

    id: str
    title: str
    rates: list[str]
    figures: list[Figure]
    tables: list[Table]


def headline(summary: Summary) -> str:
    """Which families, which models: their names where they are few."""
    names = dict.fromkeys(summary.title(scenario.family) for scenario in summary.scenarios)
    models = dict.fromkeys(scenario.subject.model for scenario in summary.scenarios)
    return f"{_few(names, 'families')}: {_few(models, 'models')}" if names else "Nothing was measured"


def _few(names: Collection[str], called: str) -> str:
    return ", ".join(names) if len(names) <= FEW else f"{len(names)} {called}"


def facts(summary: Summary, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """What ran: names and what they say."""
    total = summary.live + summary.replayed + summary.unmeasured
    yield "run", manifest.run
    yield "profile", manifest.profile
    if len(subjects := {str(scenario.subject) for scenario in summary.scenarios}) == 1:
        yield "model", subjects.pop()
    yield "seed of the trials", "several" if manifest.seed is None else str(manifest.seed)
    if manifest.shard:
        yield "shard", manifest.shard
    if manifest.labels:
        yield "labels", ", ".join(f"{name}={value}" for name, value in manifest.labels.items())
    yield "trials", f"{total:,}: {summary.live:,} live, {summary.replayed:,} replayed"
    if summary.unmeasured:
        yield "not measured", f"{summary.unmeasured:,}"
    if manifest.early_stop:
        yield "early stop", f"{summary.errors.get(EARLY_STOP, 0):,} trials left out"
    if summary.recorded:
        first, last = summary.recorded
        age = (datetime.datetime.fromisoformat(manifest.finished_at).date() - datetime.date.fromisoformat(first)).days
        yield (
            "recorded",
            f"{first}{f' to {last}' if last != first else ''}, up to {age} {'day' if age == 1 else 'days'} old",
        )
    if told := " ".join(answered(summary)):
        yield "another model", told
    yield "cost", " ".join(sentences(summary.costs)) or _nothing(summary.costs)


def _nothing(costs: Sequence[Cost]) -> str:
    unknown = [cost.model for cost in costs if cost.replayed_usd is None]
    return "; ".join(f"no prices known of {name}" for name in unknown) or "$0.00"


def family_lines(summary: Summary) -> pd.DataFrame:
    """The first table of the page. It names models where there are several, or several prompt sets."""
    found = families(summary.scenarios)
    frame = pd.DataFrame(
        {
            "family": [summary.title(one.family) for one in found],
            "rate over all [95% interval]": [str(one.rate) for one in found],
            "scenarios": [f"{one.scenarios:,}" for one in found],
            "lowest": [f"{one.lowest.rate.rate:.2f} {one.lowest.scenario}" if one.lowest else "-" for one in found],
            "highest": [f"{one.highest.rate.rate:.2f} {one.highest.scenario}" if one.highest else "-" for one in found],
            "model": [str(one.subject) for one in found],
        }
    ).set_index("family")
    return frame.drop(columns="model") if frame["model"].nunique() == 1 else frame


def sections(summary: Summary, drawn: Sequence[Drawn]) -> Iterator[PageSection]:
    """One a family, in the order of the summary, then what concerns all."""
    found, lines = tables(summary), families(summary.scenarios)
    several = len({line.subject for line in lines}) > 1
    for name, family in summary.families.items():
        figures = [_figure(one) for one in drawn if one.chart.family == name]
        all_of_it = [table for table in found if table.family == name]
        all_of_it += family.account.further_tables(family.analysis)
        own = [table for table in all_of_it if not _drawn(table, figures)]
        rates = [str(line.rate) + f", {line.subject}" * several for line in lines if line.family == name]
        yield PageSection(name.replace("_", "-"), family.title, rates, figures, own)
    figures = [_figure(one) for one in drawn if not one.chart.family]
    yield PageSection("all-families", "All families", [], figures, [Table("Tokens, latency and cost", _usage(summary))])


def _drawn(table: Table, figures: Sequence[Figure]) -> bool:
    """Whether a figure has this table as its numbers."""
    return any(table.frame.equals(figure.frame) for figure in figures)


def _figure(drawn: Drawn) -> Figure:
    return Figure(drawn.chart.title, drawn.svg, drawn.chart.frame, drawn.chart.note)


def _usage(summary: Summary) -> pd.DataFrame:
    usage = summary.usage
    return pd.DataFrame(
        {
            "family": [summary.title(one.family) for one in usage],
            "model": [one.model for one in usage],
            "input tokens": [f"{one.input:,}" for one in usage],
            "read from cache": [
                "-" if one.cached is None or not one.input else f"{one.cached / one.input:.0%}" for one in usage
            ],
            "written to cache": [f"{one.written / one.input:.0%}" if one.input else "-" for one in usage],
            "output tokens": [f"{one.output:,}" for one in usage],
            "latency, median": [f"{one.latency_s[0]:.2f} s" if one.latency_s else "-" for one in usage],
            "latency, 95%": [f"{one.latency_s[1]:.2f} s" if one.latency_s else "-" for one in usage],
            "cost": ["-" if one.cost_usd is None else f"${one.cost_usd:,.2f}" for one in usage],
        }
    ).set_index("family")
