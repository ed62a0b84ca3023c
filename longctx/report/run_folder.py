"""Writes the files in a run's folder that are made from its rows, for people and for programs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from longctx.extras import writes_page
from longctx.gate.verdict import RunVerdict
from longctx.redaction import redact_files
from longctx.registry import shipped
from longctx.report.document import Document
from longctx.report.effective_lengths import effective_lengths_data
from longctx.report.function_reports import REPORTS
from longctx.report.judge_sentences import judges_data
from longctx.report.markdown_document import as_markdown as document_as_markdown
from longctx.report.page.earlier_answers import EarlierAnswers
from longctx.report.run_report import RunReport
from longctx.report.text import as_markdown
from longctx.report.verdict_data import GATE, with_words
from longctx.results.export import CSV, PARQUET, export
from longctx.stats.rates import Rate
from longctx.summary.summary import Line, Summary, lines, tokens_of
from longctx.views.declared import reporting_of

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
    _write_files(folder, of_run, parquet)
    if writes_page(page):
        from longctx.report.page.page import write_page

        write_page(folder, of_run, earlier() if earlier else None)
    redact_files(folder)


def _write_files(folder: Path, of_run: RunReport, parquet: bool) -> None:
    summary, manifest = of_run.summary, of_run.manifest
    manifest.write(folder)
    (folder / SUMMARY).write_text(as_markdown(summary, manifest.run, of_run.verdict), "utf-8", "backslashreplace")
    (folder / "summary.json").write_text(as_json(summary, manifest.run), "utf-8", "backslashreplace")
    export(of_run.record.rows, folder / CSV, folder / PARQUET if parquet else None)


def write_verdict(
    folder: Path, verdict: RunVerdict, baseline: tuple[str, str], changed: Sequence[str], shown: Document
) -> None:
    """Write gate.json for programs and gate.md for people. The arguments are those of `with_words`."""
    data = with_words(verdict, baseline, changed, shown)
    (folder / GATE).write_text(f"{json.dumps(data, ensure_ascii=False, indent=1)}\n", "utf-8", "backslashreplace")
    (folder / "gate.md").write_text(document_as_markdown(shown), "utf-8", "backslashreplace")


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


SCHEMA = 1
"""The version of the format, raised when a field changes its meaning or is removed."""


def as_json(summary: Summary, run: str) -> str:
    """Return the text of summary.json. run: the name of the run."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "run": run,
        "trials": {"live": summary.live, "replayed": summary.replayed, "unmeasured": summary.unmeasured},
        "errors": summary.errors,
        "usage": [asdict(usage) for usage in summary.usage],
        "costs": [asdict(cost) for cost in summary.costs],
        "answered": [asdict(answered) for answered in summary.answered],
        "cells": [
            {
                "test": cell.test,
                **cell.subject.fields,
                "cell": cell.cell,
                "params": cell.params,
                **cell.rate.as_data,
                "outcomes": cell.outcomes,
                "lexical": cell.lexical.as_data if cell.lexical.n else None,
                "depth": cell.depth,
                "distance_from_end": cell.distance_from_end,
            }
            for cell in summary.cells
        ],
    }
    document["figures"] = list(map(_figure, lines(summary)))
    for known in shipped().values():
        document |= reporting_of(known).data(())  # what a run did not measure is empty, not absent
    for test in summary.tests.values():
        for name, entries in test.reporting.data(test.analysis).items():  # several tests may share a list
            document[name] = [*document.get(name, ()), *entries]
    for name, test in summary.tests.items():
        for of, found in test.found.items():
            document[of] = [*document.get(of, ()), *REPORTS[of].data(name, found)]
    if graded := list(judges_data(summary.graded)):
        document["judges"] = graded
    lengths = [curve for test in summary.tests.values() for curve in test.lengths]
    document["effective_lengths"] = list(effective_lengths_data(lengths))
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _figure(line: Line) -> dict[str, Any]:
    """Return the entry of a line of the first table."""
    return {
        "test": line.test,
        **line.subject.fields,
        "n": line.n,
        "figure": line.text,
        "points": [
            {
                "of": point.facet.strip(),
                "series": point.series,
                "at": point.x,
                "tokens": tokens_of([point]),
                **({"states": point.states} if point.states else point.value.as_data),
            }
            for point in line.points
            if isinstance(point.value, Rate)
        ],
    }
