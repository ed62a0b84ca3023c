"""Writes the files in a run's folder that are made from its rows, for people and for programs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from longctx.extras import writes_page
from longctx.report.data import as_json
from longctx.report.page.earlier import EarlierAnswers
from longctx.report.run_report import RunReport
from longctx.report.text import as_markdown
from longctx.results.export import CSV, PARQUET, export

SUMMARY = "summary.md"


def write_report(
    folder: Path,
    of_run: RunReport,
    page: bool = True,
    parquet: bool = False,
    earlier: Callable[[], EarlierAnswers] | None = None,
) -> None:
    """Write summary.md, summary.json, run.json, and results.csv into a run's folder.

    page: whether to write index.html and charts/ too, if what these need is installed. parquet: whether to write
    results.parquet too, which needs pyarrow. earlier: returns the baseline's answers, which the page shows.
    """
    if not writes_page(page):
        _write_files(folder, of_run, parquet)
        return
    from longctx.report.charts import charts
    from longctx.report.charts.draw import drawing
    from longctx.report.page.page import write_page

    with drawing(charts(of_run.summary)) as drawn:
        _write_files(folder, of_run, parquet)
        write_page(folder, of_run, drawn, earlier() if earlier else None)


def _write_files(folder: Path, of_run: RunReport, parquet: bool) -> None:
    summary, manifest = of_run.summary, of_run.manifest
    manifest.write(folder)
    (folder / SUMMARY).write_text(as_markdown(summary, manifest.run, of_run.verdict), "utf-8", "backslashreplace")
    (folder / "summary.json").write_text(as_json(summary, manifest.run), "utf-8", "backslashreplace")
    export(of_run.record.rows, folder / CSV, folder / PARQUET if parquet else None)


def add_step_summary(folder: Path) -> str | None:
    """Append a run's summary.md to the page of a GitHub Actions job: to the file that GITHUB_STEP_SUMMARY names.

    Returns a sentence if that fails, rather than raising: the run is complete without it.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return None
    text = (folder / SUMMARY).read_text(encoding="utf-8")
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"\n{text}")  # what an earlier command wrote may not end with a newline
    except OSError as error:
        return (
            f"The summary could not be added to GITHUB_STEP_SUMMARY ({path}: {error.strerror}): "
            "it is in the run's summary.md."
        )
    return None
