"""What stands in a run's folder beside its rows, for people and for programs."""

from __future__ import annotations

from pathlib import Path

from longctx.measure.summary import Summary
from longctx.report.data import as_json
from longctx.report.text import as_markdown
from longctx.results.export import export
from longctx.results.store import load_rows


def write_report(summary: Summary, folder: Path, run: str) -> None:
    """summary.md, summary.json, results.csv and results.parquet of a run whose rows lie in `folder`."""
    (folder / "summary.md").write_text(as_markdown(summary, run), encoding="utf-8")
    (folder / "summary.json").write_text(as_json(summary, run), encoding="utf-8")
    export(folder, load_rows(folder))
