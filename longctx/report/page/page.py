"""The page of a run, from its summary, rows and views."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from longctx.registry import in_order
from longctx.report.charts import charts
from longctx.report.charts.draw import Drawn, drawing, standing_alone
from longctx.report.document import Document
from longctx.report.page import theme, trials
from longctx.report.page.contents import facts, family_lines, headline, sections
from longctx.report.page.words import words
from longctx.results.manifest import Manifest
from longctx.results.store import FinishedRun
from longctx.summary.findings import findings
from longctx.summary.summary import Summary
from longctx.visible import visible

HERE = Path(__file__).parent
FINDINGS = 5
"""What stands out most; the rest is folded."""
LONG = 30
"""Characters of a cell, beyond which it may have several lines. A rate with its interval and n is shorter."""


def write_page(
    folder: Path,
    summary: Summary,
    record: FinishedRun,
    manifest: Manifest,
    drawn: Iterable[Drawn],
    verdict: Document | None = None,
) -> None:
    """index.html in the run's folder, and its charts as SVG files in charts/. drawn: they, which may yet be drawn when
    they are asked for. verdict: of a gate."""
    (folder / "charts").mkdir(exist_ok=True)
    kept = _kept(drawn, folder / "charts")
    (folder / "index.html").write_text(render(summary, record, manifest, kept, verdict), encoding="utf-8")


def _kept(drawn: Iterable[Drawn], folder: Path) -> Iterator[Drawn]:
    light = theme.colours("light")
    for one in drawn:
        (folder / f"{one.chart.name}.svg").write_text(standing_alone(one.svg, light), encoding="utf-8")
        yield one


def page_of(summary: Summary, record: FinishedRun, manifest: Manifest, verdict: Document | None = None) -> str:
    """The page alone."""
    with drawing(charts(summary)) as drawn:
        return render(summary, record, manifest, drawn, verdict)


def render(
    summary: Summary,
    record: FinishedRun,
    manifest: Manifest,
    drawn: Iterable[Drawn],
    verdict: Document | None = None,
) -> str:
    """The page, with these charts.

    The template escapes all text but what it marks as safe: this suite's own script and style, charts in which Vega
    escaped the text, and JSON that holds no `<`.
    """
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["table"] = _table
    environment.finalize = lambda value: visible(value) if type(value) is str else value
    places = in_order([row.family for row in record.rows], summary.families)
    rows = [record.rows[place] for place in places]
    chunks = list(trials.chunks(rows, record.views(places), manifest.options))
    parts = list(sections(summary, list(drawn)))
    script = (HERE / "page.js").read_text(encoding="utf-8")
    return environment.get_template("template.html").render(
        manifest=manifest,
        headline=headline(summary),
        verdict=verdict,
        facts=list(facts(summary, manifest)),
        families=family_lines(summary),
        findings=findings(summary),
        first=FINDINGS,
        sections=parts,
        links={part.title: part.id for part in parts},
        index=trials.index(rows, summary.title),
        chunks=chunks,
        words=words(gated=verdict is not None),
        style=theme.css() + (HERE / "style.css").read_text(encoding="utf-8"),
        script=script,
        script_sha256=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _table(frame: pd.DataFrame, links: Mapping[str, str] | None = None) -> Markup:
    """A frame of text cells as a table that scrolls by itself on a narrow screen. Long cells have several lines.

    links: head of a row -> the place in the page that it leads to.
    """
    head = [frame.index.name or "", *frame.columns]
    rows = [[index, *cells] for index, cells in zip(frame.index, frame.itertuples(index=False), strict=True)]
    made = Markup('<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>')
    made += Markup("").join(Markup('<th scope="col">{}</th>').format(visible(str(name))) for name in head)
    made += Markup("</tr></thead><tbody>")
    for first, *cells in rows:
        name = visible(str(first))
        place = (links or {}).get(str(first))
        leads = Markup('<a href="#{}">{}</a>').format(place, name) if place else name
        made += Markup('<tr><th scope="row">{}</th>').format(leads)
        made += Markup("").join(map(_cell, cells)) + Markup("</tr>")
    return made + Markup("</tbody></table></div>")


def _cell(cell: object) -> Markup:
    text = visible(str(cell))
    return (Markup('<td class="long">{}</td>') if len(text) > LONG else Markup("<td>{}</td>")).format(text)
