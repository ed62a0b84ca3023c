"""The end of a run in the process that started it: rows are put in order, and the report is written and shown."""

from __future__ import annotations

import datetime
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import longctx
from longctx.config.headers import as_lines
from longctx.config.text_files import digest_of
from longctx.errors import UserError
from longctx.files import whole_folder, write_file
from longctx.plugin.ending import completeness, gating, unwritten
from longctx.plugin.ending.filters_used import filters_used
from longctx.plugin.measuring import writing
from longctx.plugin.options import repeating_options
from longctx.plugin.run import RUN, SUMMARY, Run
from longctx.report.document import as_terminal as document_as_terminal
from longctx.report.files import write_report
from longctx.report.step_summary import add_step_summary
from longctx.report.text import as_markdown, as_terminal
from longctx.results import store
from longctx.results.manifest import Manifest
from longctx.results.row import Row
from longctx.summary.summary import summarize

WARNINGS = pytest.StashKey[list[str]]()
"""The key of the sentences on what failed at the end of the run without losing anything."""


def close_run(config: pytest.Config) -> None:
    """Write the run's folder, completely or not at all."""
    run = config.stash[RUN]
    if unwritten.UNWRITTEN not in config.stash:
        try:
            if not writing.was_measured(config):
                store.append(run.folder, [])
            with whole_folder(run.folder, store.RESULTS) as folder:
                _write(config, folder)
            store.drop_unfinished(run.folder)
        except UserError as error:
            config.stash[unwritten.UNWRITTEN] = str(error)
    if unwritten.UNWRITTEN in config.stash:
        unwritten.tidy(run)
    elif run.settings.report is None and (warning := _point_latest_to(run.folder)):
        config.stash[WARNINGS].append(warning)


def _write(config: pytest.Config, folder: Path) -> None:
    """Write the report into a folder. Raises OSError."""
    run = config.stash[RUN]
    record = store.finish(run.folder, folder)
    rows = record.rows
    facts: dict[str, dict[str, int]] = config.stash.get(writing.FACTS, {})
    manifest = _manifest(run, rows, facts)
    summary = config.stash[SUMMARY] = summarize(
        rows, manifest.prices_of, manifest.sent_as, run.plan.families, manifest.facts
    )
    verdict = gating.judge_run(config, rows, manifest, folder)
    write_report(folder, record, summary, manifest, run.settings.page, verdict)
    warning = add_step_summary(as_markdown(summary, run.name, verdict))
    config.stash[WARNINGS] = [warning] if warning else []


def _manifest(run: Run, rows: Sequence[Row], facts: Mapping[str, Mapping[str, int]]) -> Manifest:
    settings = run.settings
    plan = run.plan
    measured = {row.model for row in rows}
    models = [model for name, model in plan.models.items() if name in measured]
    return Manifest(
        run=run.name,
        version=longctx.__version__,
        profile=plan.profile_path.stem,
        profile_digest=digest_of(plan.profile_path),
        about=plan.profile.about,
        seed=plan.profile.seed if settings.seed is None else settings.seed,
        labels=dict(settings.labels),
        options=repeating_options(settings),
        prices={
            model.model: model.prices.model_dump(mode="json", exclude_none=True) for model in models if model.prices
        },
        sent_as={model.model: model.sent_as for model in models if model.sent_as != model.model},
        headers={model.model: as_lines(model.treatments) for model in models if model.treatments},
        filters=tuple(used.model_dump(mode="json") for used in filters_used(run, rows)),
        facts=dict(sorted(facts.items())),
        early_stop=settings.early_stop,
        left_out=completeness.left_out(run, rows),
        empty=completeness.empty(run, rows),
        shard=str(settings.shard or ""),
        min_rates=completeness.min_rates(run),
        finished_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )


def show(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the tables, and the path of the report."""
    run, summary = config.stash[RUN], config.stash[SUMMARY]
    terminal.section("longctx")
    folder = os.path.relpath(run.folder)
    terminal.write_line(as_terminal(summary, shlex.quote(folder)))
    if gating.DOCUMENT in config.stash:
        terminal.write_line(f"\n{document_as_terminal(config.stash[gating.DOCUMENT])}")
    if unwritten.UNWRITTEN in config.stash:
        return
    page = "index.html" if run.settings.page else "summary.md"
    terminal.write_line(f"\nReport: {folder}/{page}, rows in results.jsonl beside it.")
    if run.settings.shard:
        terminal.write_line(
            f"This is shard {run.settings.shard} of its grid: longctx merge joins it with the others, tests the "
            "minimum rates, and gives the verdict."
        )
    if run.settings.no_text:
        terminal.write_line(
            "Kept without text (--ctx-no-text): the answers that this run asked for cannot be replayed."
        )
    for warning in [*summary.faults, *config.stash[WARNINGS]]:
        terminal.write_line(warning, yellow=True)


def _point_latest_to(folder: Path) -> str | None:
    """Make reports/latest a link to the run, or a file with its name if links are not allowed.

    Returns a warning if neither can be made.
    """
    latest = folder.parent / "latest"

    def write(part: Path) -> None:
        try:
            part.symlink_to(folder.name, target_is_directory=True)
        except OSError:
            part.write_text(folder.name, encoding="utf-8")

    try:
        write_file(latest, write)
    except UserError as error:
        return f"{error.sentence} It does not point to this run."
    return None
