"""The end of a run in the process that started it: the report is written and shown."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from longctx.engine.finish import Finished, finish
from longctx.errors import UserError
from longctx.plugin import hooks, measuring, report_folder, selected_tests
from longctx.plugin.session import LongctxSession, run_of, session_of
from longctx.results import store
from longctx.results.sent_texts import SentTexts

if TYPE_CHECKING:
    from longctx.engine.run import Run


def close_run(config: pytest.Config) -> None:
    """Write the run's folder, completely or not at all."""
    run = run_of(config)
    session = session_of(config)
    if not session.unwritten:
        try:
            if not measuring.has_rows(config):
                store.append(run.folder, [])
            selected_tests.load_reports_of_workers(config)
            if run.settings.base is not None and run.settings.baseline is not None:
                from longctx.plugin.base_judging import judge_by_base

                judge_by_base(config)
            texts, keep = session.texts or SentTexts(), functools.partial(_keep, session)
            done = session.finished = finish(run, session.facts, texts, keep, _counts(config))
        except UserError as error:
            session.unwritten = str(error)
    if session.unwritten:
        report_folder.delete_rows_without_report(run)
        return
    if run.settings.save_baseline and not run.settings.shard:
        _save_baseline(config, run)
    hooks.call_hook(config, "pytest_longctx_report", folder=run.folder, summary=done.summary, verdict=done.verdict)


def _counts(config: pytest.Config) -> dict[str, int]:
    """Return how many tests passed, failed and so on, as pytest's last line counts them."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    stats = terminal.stats if terminal is not None else {}
    return {outcome: len(stats[outcome]) for outcome in ("passed", "failed", "error") if stats.get(outcome)}


def _save_baseline(config: pytest.Config, run: Run) -> None:
    """Save the run as the baseline that an option names; keep what is said of it, or why it cannot be saved."""
    from longctx.engine.baselines import save

    assert run.settings.save_baseline
    session = session_of(config)
    try:
        session.saved += save(run.workspace, run.settings.save_baseline, run.folder)
    except UserError as error:
        session.not_saved = True
        session.saved.append(f"! The baseline {run.settings.save_baseline} was not saved: {error}")


def _keep(session: LongctxSession, finished: Finished) -> None:
    session.finished = finished
