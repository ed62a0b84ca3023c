"""The page of a run, from its summary, rows and views."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import longctx
from longctx.registry import in_order
from longctx.report.blocks import Block, Fold
from longctx.report.charts import accuracies, charts
from longctx.report.colours import colours, css
from longctx.report.document import Document
from longctx.report.first_table import first_tables
from longctx.report.page import trials
from longctx.report.page.contents import Figure, PageSection, sections
from longctx.report.page.earlier_answers import EarlierAnswers
from longctx.report.page.facts import counts, facts, headline, origins, unmeasured
from longctx.report.page.glossary import words
from longctx.report.run_report import RunReport
from longctx.report.svg import NARROW, WIDE, Drawn, draw, draw_panels, numbers_of, standing_alone
from longctx.report.terminal import attention
from longctx.report.text import findings
from longctx.results.row import Row
from longctx.summary.summary import Summary
from longctx.text import visible
from longctx.views.chart import Chart, Table
from longctx.vocabulary.declaration import Protocol

HERE = Path(__file__).parent
FEW_SECTIONS = 3
"""A page with more sections has them folded."""
DETAILS = "details"
"""The folder next to the page with the details of its trials, which it loads when they are opened."""
FINDINGS = 5
"""The number of findings that are shown; the others are folded."""
WIDTHS = {"wide": WIDE, "narrow": NARROW}
"""The widths in which the picture of the first screen is drawn: on a screen, and on a phone."""
LEADS = 3
"""The pictures of a test with which a page of few tests opens."""
LOST = 5
"""The lost answers on the first screen; the others are among the trials."""
WORDS = 10
"""The words of a cell beyond which it is a sentence. Its column is not sorted, as columns of texts are not."""
LONG = 26
"""The characters of a cell beyond which it may wrap. A rate with its interval and n is shorter."""


def write_page(folder: Path, of_run: RunReport, earlier: EarlierAnswers | None = None) -> None:
    """Write index.html to the run's folder, its charts to charts/ as SVG files, and details of trials to details/.

    earlier: the baseline's answers.
    """
    drawn, numbers, light = drawn_charts(of_run.summary), _numbers(of_run.summary), colours("light")
    (folder / "charts").mkdir(exist_ok=True)
    for chart, _ in drawn:
        file = folder / "charts" / f"{chart.name}.svg"
        file.write_text(standing_alone(draw(chart, numbers), chart.title, light), encoding="utf-8")
    page, chunks = render(of_run, drawn, earlier)
    (folder / DETAILS).mkdir(exist_ok=True)
    for number, chunk in enumerate(chunks):
        (folder / DETAILS / f"{number}.js").write_text(f'longctx({number}, "{chunk}");\n', encoding="ascii")
    (folder / "index.html").write_text(page, "utf-8", "backslashreplace")


def drawn_charts(summary: Summary) -> list[Drawn]:
    """Draw the charts of a run, in which a model has one colour."""
    numbers = _numbers(summary)
    return [Drawn(chart, draw_panels(chart, numbers)) for chart in charts(summary)]


def _numbers(summary: Summary) -> dict[str, int]:
    return numbers_of(cell.subject.model for cell in summary.cells)


def page_of(of_run: RunReport, earlier: EarlierAnswers | None = None) -> str:
    """Return the page without writing any file."""
    return render(of_run, drawn_charts(of_run.summary), earlier)[0]


def render(of_run: RunReport, drawn: Sequence[Drawn], earlier: EarlierAnswers | None = None) -> tuple[str, list[str]]:
    """Return the page with these charts, and the chunks of details that lie next to it.

    The template escapes all text except what it marks as safe: longctx's own script and style, charts, whose text was
    escaped when they were drawn, and JSON without `<`.
    """
    record, summary, manifest, verdict = of_run.record, of_run.summary, of_run.manifest, of_run.verdict
    places = in_order([row.test for row in record.rows], summary.tests)
    rows = [record.rows[place] for place in places]
    chunks = list(trials.chunks(rows, record.views(places), manifest.options, earlier))
    every = list(sections(summary, drawn))
    leads, curves, parts = opened(every) if not verdict else ([], [], every)
    picture = verdict.picture() if verdict else accuracies(summary)
    numbers = _numbers(summary)
    page = (
        _environment()
        .get_template("template.html")
        .render(
            manifest=manifest,
            picture=picture,
            drawn=_drawn(picture, numbers),
            leads=leads,
            curves=curves,
            warning=unmeasured(summary),
            maps=_figures(verdict.maps(), numbers) if verdict else [],
            lost=lost_of(verdict) if verdict else None,
            above=above_lost(verdict.blocks) if verdict else (),
            trials_of=trial_links(rows),
            attention=[line.removeprefix("! ") for line in attention(summary)],
            headline=headline(summary),
            verdict=verdict,
            counts=list(counts(summary, manifest, of_run.failed)),
            facts=list(facts(summary, manifest)),
            origins=list(origins(manifest)),
            tests=first_tables(summary),
            findings=findings(summary),
            first=FINDINGS,
            few=FEW_SECTIONS,
            sections=parts,
            links={part.title: part.id for part in parts},
            compared=earlier is not None,
            cells=cell_links(rows),
            index=trials.index(rows, summary.title, earlier),
            commands=True,
            chunks=[],
            words=words(gated=verdict is not None),
            **_script_and_style(),
        )
    )
    return page, chunks


def _drawn(picture: Chart | None, numbers: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(kind, draw(picture, numbers, width)) for kind, width in WIDTHS.items()] if picture else []


def _figures(drawn: Sequence[Chart], numbers: Mapping[str, int]) -> list[Figure]:
    return [Figure(chart.title, draw_panels(chart, numbers), chart.table, chart.note) for chart in drawn]


@dataclass(frozen=True, slots=True)
class ChangedTrials:
    """The trials of later runs, next to the answers of earlier ones."""

    rows: Sequence[Row]
    views: Sequence[str]
    """The view of each row, as JSON."""
    earlier: EarlierAnswers
    subject: Callable[[Row], str] = trials.subject_of
    """Returns the subject of a trial."""


def changes_page(
    document: Document, changed: ChangedTrials, tests: Mapping[str, Protocol], figures: Sequence[Chart] = ()
) -> str:
    """Return the page of a comparison: its document, and the trials with both answers.

    figures: shown after the first table.
    """
    rows, earlier, subject = changed.rows, changed.earlier, changed.subject
    numbers = numbers_of(row.model for row in (*rows, *(each.row for each in earlier.values())))
    picture = document.picture()

    def title(name: str) -> str:
        return tests[name].title if name in tests else name

    return (
        _environment()
        .get_template("changes.html")
        .render(
            verdict=document,
            picture=picture,
            drawn=_drawn(picture, numbers),
            maps=_figures(document.maps(), numbers),
            lost=lost_of(document) if document.heading else None,  # a comparison lists gained answers, too
            above=above_lost(document.blocks),
            trials_of=trial_links(rows),
            figures=_figures(figures, numbers),
            compared=True,
            cells=cell_links(rows),
            index=trials.index(rows, title, earlier, subject),
            chunks=list(trials.chunks(rows, changed.views, None, earlier, subject)),
            commands=False,
            version=longctx.__version__,
            **_script_and_style(),
        )
    )


def cell_links(rows: Iterable[Row]) -> dict[str, str]:
    """Return the anchor that shows the trials of each cell, by its name in tables."""
    names = dict.fromkeys((row.test, row.cell) for row in rows)
    return {f"{test}/{name}": f"trials={quote(test)}/{quote(name)}" for test, name in names}


def opened(
    parts: Sequence[PageSection],
) -> tuple[list[PageSection], list[tuple[PageSection, Figure]], list[PageSection]]:
    """Return what a page opens with, the first curve of each of many tests, and the sections without what is above.

    A page of few tests opens with the answer and the pictures of each.
    """
    if len(parts) > FEW_SECTIONS + 1:
        return [], [(part, part.curve) for part in parts if part.curve], list(parts)
    tests = [part for part in parts[:-1] if part.figures or part.answers]
    leads = [replace(part, figures=part.figures[:LEADS]) for part in tests]
    rest = [replace(part, figures=part.figures[LEADS:], answers=[]) if part in tests else part for part in parts]
    return leads, [], rest


def trial_links(rows: Iterable[Row]) -> dict[str, str]:
    """Return the anchor that shows each trial, by its name in tables; none if a name stands for several models'."""
    known = list(rows)
    if len({(row.subject, row.seed) for row in known}) > 1:
        return {}
    return {
        f"{row.test}/{row.cell}#{row.name}": f"trial={quote(row.test)}/{quote(row.cell)}/{quote(row.name)}"
        for row in known
        if not row.repeat
    }


def above_lost(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks of a verdict without the lost answers, which the page shows with links to their trials."""
    return [block for block in blocks if not isinstance(block, Fold) or not block.in_tables]


def lost_of(document: Document) -> Table | None:
    """Return the first lost answers; None if there are none."""
    lost = next((table for table in document.tables if table.said), None)
    return replace(lost, rows=lost.rows[:LOST]) if lost else None


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["table"] = _table
    environment.filters["visible"] = lambda value: visible(str(value))
    environment.finalize = lambda value: visible(value) if type(value) is str else value
    return environment


def _script_and_style() -> dict[str, str]:
    script = (HERE / "page.js").read_text(encoding="utf-8")
    return {
        "style": css() + (HERE / "style.css").read_text(encoding="utf-8"),
        "script": script,
        "script_sha256": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }


def _table(table: Table, links: Mapping[str, str] | None = None) -> Markup:
    """Return a table that scrolls on a narrow screen; long cells wrap.

    links: the anchor that a row's first cell links to, by its text. Columns of texts cannot be sorted.
    """
    html = Markup('<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>')
    for index, name in enumerate(table.columns):
        is_text = name in table.said or any(_is_sentence(row[index]) for row in table.rows)
        kind = Markup(' class="text"') if is_text else ""
        html += Markup('<th scope="col"{}>{}</th>').format(kind, visible(str(name)))
    html += Markup("</tr></thead><tbody>")
    for first, *cells in table.rows:
        name = visible(str(first))
        anchor = (links or {}).get(str(first))
        row_head = Markup('<a href="#{}">{}</a>').format(anchor, name) if anchor else name
        html += Markup('<tr><th scope="row">{}</th>').format(row_head)
        names = table.columns[1:] if table.said else [""] * len(cells)
        html += Markup("").join(map(_cell, cells, names)) + Markup("</tr>")
    return html + Markup("</tbody></table></div>")


def _is_sentence(cell: object) -> bool:
    return len(str(cell).split()) > WORDS


def _cell(cell: object, name: str) -> Markup:
    """Return a cell. name: that of its column, for a phone, where a row of texts is a list; empty for none."""
    text = visible(str(cell))
    kind = Markup(' class="long"') if len(text) > LONG else ""
    named = Markup(' data-name="{}"').format(visible(name)) if name else ""
    return Markup("<td{}{}>{}</td>").format(kind, named, text)
