"""What a trial with a stale recording sends in another process: if that differs, no recording can ever answer it.

The usual cause is the order of a set, which differs between processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from longctx.functions.asking import cause, difference
from longctx.functions.function_run import FunctionRun
from longctx.plugin.nested import NestedSession, without_output
from longctx.plugin.run import RunOfCommand
from longctx.plugin.session import run_of, session_of
from longctx.plugin.workers import arguments

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.functions.measure import RunOnce, TrialOf
    from longctx.functions.trial import FunctionTrial
    from longctx.recording.request import Place
    from longctx.recording.tape import Tape

MOST_FUNCTIONS = 3
"""The most test functions of a process that are looked at: each takes another process, and seconds."""
PATIENCE = 120
"""Seconds after which the other process is stopped."""
CODE = "import sys; from longctx.plugin.rerun_in_process import main; main(*sys.argv[1:])"
SEED = "PYTHONHASHSEED"


class SendingRun(FunctionRun):
    """Takes what one trial sends; it sends no request."""

    def __init__(self, tape: Tape, trial: str) -> None:
        super().__init__(tape)
        self.bodies: list[Any] = []
        self._trial = trial

    def run_cell(self, cell: Cell, trial_of: TrialOf, start: RunOnce) -> None:
        for trial in cell.each_trial():
            if str(trial.identity) == self._trial:
                running = trial_of(trial)
                start(running)
                self.bodies = [*running.bodies.values()]


def main(test: str, trial: str, *given: str) -> None:
    """Print the requests of a trial as JSON. test: the id of its test. given: the arguments of pytest."""
    bodies: list[Any] = []

    def work(nested: NestedSession) -> None:
        nested.session.items[:] = [item for item in nested.session.items if item.nodeid == test]
        sending = SendingRun(run_of(nested.session.config).tape(), trial)
        nested.run(sending)
        bodies.extend(sending.bodies)

    with without_output():
        pytest.main([*given, "--capture=no"], plugins=[NestedSession(work)])
    sys.stdout.write(json.dumps(bodies) + "\n")


def difference_sentence(item: pytest.Item, running: FunctionTrial, stale: Place) -> str:
    """Return how a stale request of a trial differs in another process; empty if it does not, or that is not known."""
    known = session_of(item.config).elsewhere
    if running.function not in known and len(known) < MOST_FUNCTIONS:
        sent, here = _sent(item, stale.trial), json.loads(json.dumps(running.bodies[stale.key]))
        other = None if here in sent else next(iter(sent[stale.number :]), None)  # threads send in any order
        known[running.function] = "" if other is None else _difference(running, here, other)
    return known.get(running.function, "")


def _difference(running: FunctionTrial, here: dict[str, Any], other: dict[str, Any]) -> str:
    return (
        f"{running.cell.id}, trial {running.item}: another process sends another request for it, so no recording "
        f"fits. {cause(here, other)} The difference:\n{difference(here, other)}"
    )


def _sent(item: pytest.Item, trial: str) -> list[Any]:
    """Return the requests of a trial in another process; none if that fails."""
    config = item.config
    if any(isinstance(plugin, RunOfCommand) for plugin in config.pluginmanager.get_plugins()):
        return []  # it has no arguments that say which run it is
    given = [*arguments(config), *(["-n0"] if hasattr(config.option, "numprocesses") else [])]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    env = {**own, SEED: "1" if os.environ.get(SEED) == "0" else "0"}
    command = [sys.executable, "-c", CODE, item.nodeid, trial, *given]
    try:
        done = subprocess.run(  # noqa: S603
            command, cwd=config.invocation_params.dir, env=env, capture_output=True, timeout=PATIENCE, check=True
        )
        found = json.loads(done.stdout.splitlines()[-1])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return []
    return found if isinstance(found, list) else []
