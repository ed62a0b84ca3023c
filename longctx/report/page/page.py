"""The page of a run, from its summary, rows and views."""

from __future__ import annotations

import base64
import datetime
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from longctx.measure.families import FamilySummary, families
from longctx.measure.findings import findings
from longctx.measure.summary import Summary, UsageSummary
from longctx.measure.words import FAMILIES, family
from longctx.report.charts import charts
from longctx.report.charts.chart import Chart
from longctx.report.charts.draw import draw, standing_alone
from longctx.report.page import theme, trials
from longctx.report.table import Table
from longctx.report.tables import tables
from longctx.results.manifest import Manifest
from longctx.visible import visible

HERE = Path(__file__).parent


class Drawn(NamedTuple):
    chart: Chart
    svg: str


@dataclass(frozen=True, slots=True)
class Figure:
    title: str
    svg: str
    frame: pd.DataFrame


@dataclass(frozen=True, slots=True)
class Section:
    id: str
    title: str
    figures: list[Figure]
    tables: list[Table]


def write_page(
    folder: Path, summary: Summary, rows: pd.DataFrame, views: Sequence[Mapping[str, Any]], manifest: Manifest
) -> None:
    """index.html in the run's folder, and its charts as SVG files in charts/."""
    drawn = [Drawn(chart, draw(chart)) for chart in charts(summary)]
    (folder / "charts").mkdir(exist_ok=True)
    light = theme.colours("light")
    for chart, svg in drawn:
        (folder / "charts" / f"{chart.name}.svg").write_text(standing_alone(svg, light), encoding="utf-8")
    (folder / "index.html").write_text(render(summary, rows, views, manifest, drawn), encoding="utf-8")


def render(
    summary: Summary,
    rows: pd.DataFrame,
    views: Sequence[Mapping[str, Any]],
    manifest: Manifest,
    drawn: Sequence[Drawn] | None = None,
) -> str:
    """The page, with these charts or, without any given, with its own.

    The template escapes all text but what it marks as safe: this suite's own script and style, charts in which Vega
    escaped the text, and JSON that holds no `<`.
    """
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["table"] = _table
    environment.finalize = lambda value: visible(value) if type(value) is str else value
    if drawn is None:
        drawn = [Drawn(chart, draw(chart)) for chart in charts(summary)]
    script = (HERE / "page.js").read_text(encoding="utf-8")
    return environment.get_template("template.html").render(
        manifest=manifest,
        headline=_headline(summary),
        facts=list(_facts(summary, manifest)),
        families=_families(families(summary.scenarios)),
        findings=findings(summary),
        sections=list(_sections(summary, drawn)),
        index=trials.index(rows),
        chunks=list(trials.chunks(rows, views, manifest.options)),
        style=theme.css() + (HERE / "style.css").read_text(encoding="utf-8"),
        script=script,
        script_sha256=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _headline(summary: Summary) -> str:
    names = dict.fromkeys(family(one.family) for one in summary.scenarios)
    models = dict.fromkeys(one.subject.model for one in summary.scenarios)
    return f"{', '.join(names)}: {', '.join(models)}" if names else "Nothing was measured"


def _facts(summary: Summary, manifest: Manifest) -> Iterator[tuple[str, str]]:
    total = summary.live + summary.replayed + summary.unmeasured
    yield "run", manifest.run
    yield "profile", manifest.profile
    yield "seed of the trials", "several" if manifest.seed is None else str(manifest.seed)
    if manifest.labels:
        yield "labels", ", ".join(f"{name}={value}" for name, value in manifest.labels.items())
    yield "trials", f"{total:,}: {summary.live:,} live, {summary.replayed:,} replayed"
    if summary.unmeasured:
        yield "not measured", f"{summary.unmeasured:,}"
    if summary.recorded:
        first, last = summary.recorded
        age = (datetime.datetime.fromisoformat(manifest.finished_at).date() - datetime.date.fromisoformat(first)).days
        yield (
            "recorded",
            f"{first}{f' to {last}' if last != first else ''}, up to {age} {'day' if age == 1 else 'days'} old",
        )
    yield "cost when asked", _cost(summary.usage)


def _cost(usage: Sequence[UsageSummary]) -> str:
    known = [one.cost_usd for one in usage if one.cost_usd is not None]
    unknown = sorted({one.model for one in usage if one.cost_usd is None})
    parts = [f"${sum(known):,.2f}"] if known else []
    return "; ".join([*parts, *(f"no prices known of {name}" for name in unknown)]) or "-"


def _families(found: Sequence[FamilySummary]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "family": [family(one.family) for one in found],
            "model": [str(one.subject) for one in found],
            "scenarios": [f"{one.scenarios:,}" for one in found],
            "rate over all [95% interval]": [str(one.rate) for one in found],
            "lowest": [f"{one.lowest.rate.rate:.2f} {one.lowest.scenario}" if one.lowest else "-" for one in found],
            "highest": [f"{one.highest.rate.rate:.2f} {one.highest.scenario}" if one.highest else "-" for one in found],
        }
    ).set_index("family")


def _sections(summary: Summary, drawn: Sequence[Drawn]) -> Iterator[Section]:
    """One a family, in the protocols' order and then a user's own, then what concerns all."""
    found = tables(summary)
    measured = dict.fromkeys(one.family for one in summary.scenarios)
    for name in [*(one for one in FAMILIES if one in measured), *(one for one in measured if one not in FAMILIES)]:
        figures = [_figure(one) for one in drawn if one.chart.family == name]
        own = [table for table in found if table.family == name and not _drawn(table, figures)]
        yield Section(name.replace("_", "-"), FAMILIES.get(name, name), figures, own)
    figures = [_figure(one) for one in drawn if not one.chart.family]
    yield Section("all-families", "All families", figures, [Table("Tokens, latency and cost", _usage(summary.usage))])


def _drawn(table: Table, figures: Sequence[Figure]) -> bool:
    """Whether a figure has this table as its numbers."""
    return any(table.frame.equals(figure.frame) for figure in figures)


def _figure(drawn: Drawn) -> Figure:
    return Figure(drawn.chart.title, drawn.svg, drawn.chart.frame)


def _usage(usage: Sequence[UsageSummary]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "family": [family(one.family) for one in usage],
            "model": [one.model for one in usage],
            "input tokens": [f"{one.input:,}" for one in usage],
            "read from cache": [f"{one.cached / one.input:.0%}" if one.input else "-" for one in usage],
            "output tokens": [f"{one.output:,}" for one in usage],
            "latency, median": [f"{one.latency_s[0]:.2f} s" for one in usage],
            "latency, 95%": [f"{one.latency_s[1]:.2f} s" for one in usage],
            "cost": ["-" if one.cost_usd is None else f"${one.cost_usd:,.2f}" for one in usage],
        }
    ).set_index("family")


def _table(frame: pd.DataFrame) -> Markup:
    """A frame of text cells as a table that scrolls by itself on a narrow screen."""
    head = [frame.index.name or "", *frame.columns]
    rows = [[index, *cells] for index, cells in zip(frame.index, frame.itertuples(index=False), strict=True)]
    made = Markup('<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>')
    made += Markup("").join(Markup('<th scope="col">{}</th>').format(visible(str(name))) for name in head)
    made += Markup("</tr></thead><tbody>")
    for first, *cells in rows:
        made += Markup('<tr><th scope="row">{}</th>').format(visible(str(first)))
        made += Markup("").join(Markup("<td>{}</td>").format(visible(str(cell))) for cell in cells) + Markup("</tr>")
    return made + Markup("</tbody></table></div>")
