"""The picture at the top of README: accuracy by tokens sent, and a verdict with two lost answers.

Both are read from recordings: those of the suite, and those of `longctx demo`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import jinja2
from markupsafe import Markup

from longctx.cli.demo import gated
from longctx.engine.run import Run
from longctx.report.blocks import TableRows
from longctx.report.colours import colours
from longctx.report.svg import draw
from longctx.results.grouping import grouped
from longctx.stats.rates import pooled
from longctx.views.answers import CellSummary
from longctx.views.chart import Chart, Plot, PlotMark, Table
from longctx.vocabulary.shapes import TEXT
from tools.site.repository import ROOT

PROFILE = "recorded"


class Curve(NamedTuple):
    """Cells of one protocol and model, a mark for each of their lengths."""

    test: str
    model: str
    length: str
    values: Mapping[str, object] = {}
    """The values that its cells have."""


CURVES = {
    "line retrieval, qwen2.5-coder-1.5b": Curve("line_retrieval", "qwen2.5-coder-1.5b", "lines", {"block_size": None}),
    "long-context QA, section in the middle, qwen2.5-coder-1.5b": Curve(
        "collage", "qwen2.5-coder-1.5b", "budget", {"variant": "none", "depth": 50, "letters": None}
    ),
    "passkey, gemma-3-270m": Curve("passkey", "gemma-3-270m", "window"),
}
WIDTH = 530
LOST = 2


def overview(folder: Path) -> str:
    """Return the picture as a page. folder: where the demonstration is unpacked."""
    document = gated(folder).document
    assert document
    [lost] = [table for table in document.tables if table.title == "Lost answers"]
    columns = [lost.columns.index(name) for name in ("question", "expected", "baseline", "this run")]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=jinja2.StrictUndefined
    )
    template = environment.get_template("overview.html")
    return template.render(
        colours=colours("light"),
        chart=Markup(draw(_chart(), width=WIDTH)),  # noqa: S704
        verdict=document.badge,
        bands=next(block.table for block in document.blocks if isinstance(block, TableRows)),
        number=len(lost.rows),
        change=document.change,
        lost=[[row[column] for column in columns] for row in lost.rows[:LOST]],
    )


def _chart() -> Chart:
    run = Run(PROFILE, root=ROOT, say=lambda _: None)
    tests = {curve.test for curve in CURVES.values()}
    summary = run.measure([cell for cell in run.plan.cells if cell.point.test in tests]).summary
    marks = [mark for name in CURVES for mark in _marks(name, summary.cells)]
    return Chart("overview", "", "Accuracy by tokens sent", Plot(marks=marks, x="tokens sent"), Table("", (), ()))


def _marks(name: str, cells: Sequence[CellSummary]) -> Iterator[PlotMark]:
    """Yield a mark for each length, of its cells together, at the tokens sent."""
    curve = CURVES[name]
    chosen = [
        cell
        for cell in cells
        if (cell.test, cell.subject.model, cell.subject.shape) == (curve.test, curve.model, TEXT)
        and all(cell.params.get(key) == value for key, value in curve.values.items())
    ]
    for of in grouped(chosen, lambda cell: cell.params[curve.length]).values():
        rate = pooled(cell.rate for cell in of)
        tokens = round(fmean(cell.tokens or 0 for cell in of))
        yield PlotMark(tokens, rate.rate, (rate.lo, rate.hi), series=name, say=f"{name}: {rate}")
