"""The gate of a run: what its options require, and the exit status of its verdict."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

import pytest

from longctx.errors import Invalid, UserError
from longctx.gate.exit_status import EXIT
from longctx.gate.exit_status import exit_status as status_of
from longctx.plugin.ending import unwritten
from longctx.plugin.over import over
from longctx.plugin.run import RUN, is_worker

if TYPE_CHECKING:
    from longctx.engine.run import Run

NOTHING = "Gate: invalid - no scenario was measured: every test was deselected or skipped, or was not of longctx"
VERDICT = pytest.StashKey[str]()
"""The key of the verdict."""


def check(run: Run, early_stop: bool) -> None:
    """Raise UserError if the baseline cannot be used, or if options contradict each other.

    early_stop: whether --ctx-early-stop is given.
    """
    settings = run.settings
    if early_stop and not settings.looks:
        raise UserError(
            "early-stop-without-looks",
            "--ctx-early-stop asks for what --ctx-no-looks turns off: give one of them.",
        )
    if early_stop and (settings.baseline is None or settings.record == "none"):
        raise UserError(
            "early-stop-without-baseline",
            "--ctx-early-stop needs --ctx-baseline NAME, which the verdict is against, and --ctx-record MODE: "
            "a run that asks nothing saves nothing by stopping.",
        )
    if settings.trust == "base" and not settings.base:
        raise UserError(
            "trust-without-base",
            "--ctx-trust base needs --ctx-base REV or LONGCTX_BASE: the branch or commit whose recordings are "
            "accepted, such as origin/main.",
        )
    if settings.base:
        run.tape()  # its base must be known before anything is asked
    if settings.baseline is None:
        return
    from longctx.results.baseline import check_baseline

    check_baseline(run.workspace.find_baseline(settings.baseline))


def leave_out(config: pytest.Config) -> None:
    """Have a gate that asks nothing leave out the trials that a live one left out."""
    run = config.stash[RUN]
    if run.settings.baseline is not None and not (is_worker(config) or config.option.collectonly):
        from longctx.engine.early_stop import keep_left_out, may_leave_out_functions

        keep_left_out(run)
        if may_leave_out_functions(run):
            from longctx.plugin.asking import function_runs

            function_runs.leave_out(config)


def end_before_asking(config: pytest.Config, error: Invalid) -> NoReturn:
    """End the run: print the error as pytest prints a usage error, but exit with the status of the verdict."""
    sys.stderr.write(f"ERROR: Gate: invalid - {error}\n\n")
    raise over(config, EXIT["invalid"])


def judge_nothing(config: pytest.Config) -> None:
    """Set the verdict to invalid if a baseline was given but no scenario was measured."""
    run = config.stash[RUN]
    settings = run.settings
    if settings.baseline is not None and not (is_worker(config) or settings.shard or config.option.collectonly):
        config.stash[VERDICT] = "invalid"


def exit_status(config: pytest.Config, status: int) -> int:
    """Return the exit status of the run. status: pytest's own.

    The first that applies counts: 13 no report, pytest's own from 2 on, 12 invalid, 10 regression, 1 failed tests,
    11 inconclusive, 0.
    """
    if unwritten.UNWRITTEN in config.stash:
        return unwritten.EXIT
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or VERDICT not in config.stash:
        return status
    failed = status == pytest.ExitCode.TESTS_FAILED
    return status_of(config.stash[VERDICT], failed, config.stash[RUN].settings.on_inconclusive)
