"""The end of a run, in the process that started it: rows merged, the summary written and shown."""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import longctx
from longctx.config.folders import digest_of
from longctx.config.profiles import load_profile, profile_path
from longctx.measure.summary import summarize
from longctx.plugin import gating, grid
from longctx.plugin.frozen import filters_used
from longctx.plugin.options import Settings, again
from longctx.plugin.run import RUN, SUMMARY, Run
from longctx.plugin.step_summary import add_step_summary
from longctx.report.document import as_terminal as document_as_terminal
from longctx.report.files import write_report
from longctx.report.text import as_markdown, as_terminal
from longctx.results import store
from longctx.results.manifest import Manifest

WARNING = pytest.StashKey[str | None]()
"""What could not be done at the end of the run, and lost nothing."""


def close_run(config: pytest.Config) -> None:
    """Write the run's folder."""
    run = config.stash[RUN]
    rows = store.merge(run.folder)
    manifest = _manifest(run, rows)
    summary = summarize(rows, manifest.prices_of)
    config.stash[SUMMARY] = summary
    verdict = gating.judge(config, rows, manifest)
    write_report(run.folder, summary, manifest, run.settings.page, verdict)
    if run.settings.report is None:
        _point_latest_to(run.folder)
    config.stash[WARNING] = add_step_summary(as_markdown(summary, run.name, verdict))


def _manifest(run: Run, rows: pd.DataFrame) -> Manifest:
    settings = run.settings
    profile = load_profile(settings.profile)
    return Manifest(
        run=run.name,
        version=longctx.__version__,
        profile=profile_path(settings.profile).stem,
        profile_digest=digest_of(profile_path(settings.profile)),
        about=profile.about,
        seed=profile.seed if settings.seed is None else settings.seed,
        labels=dict(settings.labels),
        options=again(settings),
        prices=_prices(settings, rows),
        filters=tuple(one.model_dump(mode="json") for one in filters_used(settings.baseline, rows)),
        finished_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )


def _prices(settings: Settings, rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """By which the rows tell what was paid, as run.json keeps them."""
    models = set(rows["model"])
    known = {name: one for name, one in grid.prices(settings).items() if name in models}
    return {name: one.model_dump(mode="json", exclude_none=True) for name, one in known.items()}


def show(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The tables, and where the report lies."""
    run, summary = config.stash[RUN], config.stash[SUMMARY]
    terminal.section("longctx")
    terminal.write_line(as_terminal(summary))
    if gating.DOCUMENT in config.stash:
        terminal.write_line(f"\n{document_as_terminal(config.stash[gating.DOCUMENT])}")
    page = "index.html" if run.settings.page else "summary.md"
    terminal.write_line(f"\nReport: {os.path.relpath(run.folder)}/{page}, rows in results.jsonl beside it.")
    if run.settings.no_text:
        terminal.write_line("Kept without text (--ctx-no-text): what was asked by this run cannot be replayed.")
    if warning := config.stash[WARNING]:
        terminal.write_line(warning, yellow=True)


def _point_latest_to(folder: Path) -> None:
    """reports/latest: a link, or where links are not allowed a file with the run's name."""
    latest = folder.parent / "latest"
    latest.unlink(missing_ok=True)
    try:
        latest.symlink_to(folder.name, target_is_directory=True)
    except OSError:
        latest.write_text(folder.name, encoding="utf-8")
