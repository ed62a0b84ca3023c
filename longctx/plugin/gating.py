"""The gate of a run: what its options require, and the exit status of its verdict."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, NoReturn

import pytest

from longctx.errors import Invalid, UserError
from longctx.gate.rules import EXIT
from longctx.gate.rules import exit_status as status_of
from longctx.plugin import options, report_folder
from longctx.plugin.mistakes import end_of_run
from longctx.plugin.session import run_of, session_of
from longctx.plugin.workers import is_worker
from longctx.report.headline import WHOLE_RUN, last_line

if TYPE_CHECKING:
    from longctx.engine.run import Run

NOTHING = "Gate: invalid - no cell was measured: every test was deselected or skipped, or was not of longctx"
NO_TESTS = (
    *("--collect-only", "--co", "--ctx-estimate", "--help", "-h", "--version", "-V", "--markers"),
    *("--fixtures", "--funcargs", "--fixtures-per-test", "--cache-show"),
)
"""The options with which pytest ends well without running a test."""


def check(run: Run) -> None:
    """Raise UserError if a baseline cannot be used or saved, or if options contradict each other."""
    settings = run.settings
    if settings.trust == "base" and not settings.base:
        raise UserError(
            "trust-without-base",
            "LONGCTX_TRUST=base needs LONGCTX_BASE: the branch or commit whose recordings are "
            "accepted, such as origin/main.",
        )
    if settings.base:
        run.tape()  # its base must be known before anything is asked
    if settings.save_baseline:
        from longctx.engine.baselines import baseline_file
        from longctx.files import check_new

        check_new(baseline_file(run.workspace, settings.save_baseline), force=False)
    if settings.judge_labels:
        from longctx.results.labels import read_labels

        if settings.baseline is None or settings.shard:
            raise UserError(
                "labels-without-gate",
                f"--ctx-judge-labels {settings.judge_labels} needs a gate: name its baseline with --ctx-baseline, and "
                "merge shards before (longctx gate BASELINE RUN --judge-labels FILE judges a merged run).",
            )
        if settings.trust == "base":
            raise UserError(
                "labels-not-trusted",
                f"LONGCTX_TRUST=base accepts no labels, which a pull request can edit as it can answers: leave out "
                f"--ctx-judge-labels {settings.judge_labels}.",
            )
        read_labels(settings.judge_labels)
    if settings.baseline is None:
        return
    from longctx.results.baseline_file import check_baseline

    check_baseline(run.workspace.find_baseline(settings.baseline))


def leave_out_what_live_left_out(config: pytest.Config) -> None:
    """Have a gate that sends no request leave out the trials that a live one left out."""
    run = run_of(config)
    if run.settings.baseline is not None and not (is_worker(config) or config.option.collectonly):
        from longctx.engine.early_stop import keep_left_out, may_leave_out_functions

        keep_left_out(run)
        if may_leave_out_functions(run):
            from longctx.engine import function_runs
            from longctx.plugin.nested import run_nested

            run_nested(config, functools.partial(function_runs.leave_out, run))


def end_before_asking(config: pytest.Config, error: Invalid) -> NoReturn:
    """End the run: print the error as pytest prints a usage error, but exit with the status of the verdict."""
    sys.stderr.write(f"ERROR: Gate: invalid - {error}\n\n{last_line(WHOLE_RUN, EXIT['invalid'])}\n")
    raise end_of_run(config, EXIT["invalid"])


def lacks_verdict(config: pytest.Config) -> bool:
    """Return whether a gated run gave no verdict although the person did not ask for less than a run."""
    gated = config.option.ctx_baseline is not None or options.is_typed(config, "--ctx-baseline")
    if not gated or config.option.ctx_shard or is_worker(config):
        return False
    less = getattr(config.option, "ctx_ask_only", False) or options.is_typed(config, *NO_TESTS)
    return not session_of(config).verdict and not less


def end_without_verdict() -> int:
    """Say that a file of the project kept the run from its tests; return the exit status."""
    sys.stderr.write(
        "ERROR: Gate: invalid - no verdict: a file of the project, such as --collect-only in addopts of pytest.ini or "
        "a hook in a conftest.py, ended the run early or turned its gate off. Remove it there.\n\n"
        f"{last_line(WHOLE_RUN, EXIT['invalid'])}\n"
    )
    return EXIT["invalid"]


def keep_status(config: pytest.Config, status: int | pytest.ExitCode) -> int | pytest.ExitCode:
    """Return the exit status of a run that hooks of the project end with this one: its verdict is not made 0."""
    decided = session_of(config).decided
    return decided if status == pytest.ExitCode.OK and decided not in (0, pytest.ExitCode.TESTS_FAILED) else status


def print_verdict_last(session: pytest.Session) -> None:
    """Print the verdict as the last line of a gated run, at every verbosity."""
    config = session.config
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    ended = session_of(config)
    if terminal is None or is_worker(config) or config.option.collectonly or not ended.verdict:
        return
    counts = ", ".join(text for text, _ in terminal.build_summary_stats_line()[0])
    line = last_line(ended.finished.headline if ended.finished else WHOLE_RUN, int(session.exitstatus))
    terminal.write_line(f"{line} · {counts}", **{"red" if session.exitstatus else "green": True})


def judge_without_cells(config: pytest.Config) -> None:
    """Set the verdict to invalid if a baseline was given but no cell was measured."""
    run = run_of(config)
    settings = run.settings
    if settings.baseline is not None and not (is_worker(config) or settings.shard or config.option.collectonly):
        session_of(config).nothing_measured = True


def exit_status(config: pytest.Config, status: int) -> int:
    """Return the exit status of the run. status: pytest's own.

    The first that applies counts: 13 no report, pytest's own from 2 on, 12 invalid, 10 regression, 1 failed tests,
    11 inconclusive, 0.
    """
    session = session_of(config)
    if session.unwritten:
        return report_folder.EXIT
    if status == pytest.ExitCode.OK and session.not_saved:
        status = pytest.ExitCode.TESTS_FAILED
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or not session.verdict:
        return status
    failed = status == pytest.ExitCode.TESTS_FAILED
    return status_of(session.verdict, failed, session.run.settings.on_inconclusive)


GATE = "gate::"
"""How the ids of the test cases of bands begin."""


def report_failed_bands(session: pytest.Session) -> None:
    """Report each band that fails the gate as a failed test case, which no exit status counts."""
    config = session.config
    finished = session_of(config).finished
    if finished is None:
        return
    failed, stopped = session.testsfailed, session.shouldfail
    session.testscollected += len(finished.failed)  # or pytest's progress would exceed 100%
    for name, why in finished.failed.items():
        of_band = pytest.TestReport(f"{GATE}{name}", ("gate", 0, name), {}, "failed", why, "call")
        config.hook.pytest_runtest_logreport(report=of_band)
    session.testsfailed, session.shouldfail = failed, stopped
    if (terminal := config.pluginmanager.get_plugin("terminalreporter")) is not None:
        reports = terminal.stats.get("failed", [])
        session_of(config).failed_bands = [report for report in reports if report.nodeid.startswith(GATE)]
        reports[:] = [report for report in reports if not report.nodeid.startswith(GATE)]


def count_failed_bands(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Count the failed bands as pytest counts failed tests, whose reasons it has shown by now: a table shows theirs."""
    if bands := session_of(config).failed_bands:
        terminal.stats.setdefault("failed", []).extend(bands)
