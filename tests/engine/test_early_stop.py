"""What belongs to which look, and what keeps a further look from being taken."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest

from longctx.engine.early_stop import PENDING, InterimLooks, stopped_by, unit_of
from longctx.engine.measure import unmeasured_row
from longctx.engine.run import Run
from longctx.gate.evidence import Unit, in_looks
from longctx.live.failure import Failure
from tests.functions.examples import cell_of


def test_the_trials_of_a_cluster_are_asked_in_one_look_as_they_are_judged(tmp_path: Path) -> None:
    trials = list(cell_of(trials=240, of_one_context=4).each_trial())
    run = Run(profile={}, root=tmp_path)
    of_rows = [Unit.of_row(unmeasured_row(run, trial, "not_asked", "missing")) for trial in trials]
    assert [unit_of(trial) for trial in trials] == of_rows
    looks = in_looks(map(unit_of, trials), "equal", 0.05, 0.05)
    of_context: dict[object, set[int]] = defaultdict(set)
    for trial in trials:
        of_context[trial.cell.point.cluster(trial.index)].add(looks.of[unit_of(trial)])
    assert len(of_context) == 60
    assert all(len(seen) == 1 for seen in of_context.values())
    assert {look for seen in of_context.values() for look in seen} == set(range(1, looks.looks.number + 1))


def test_no_look_follows_while_a_batch_is_pending_or_once_the_asking_stopped() -> None:
    overloaded, pending = Failure("overloaded", "try later"), Failure("pending", "in a batch", fatal=True)
    stopped = Failure("budget", "the cap leaves no room", fatal=True)
    assert stopped_by(None, []) is None
    assert stopped_by(None, [overloaded]) is None
    assert stopped_by(None, [overloaded, pending]) == PENDING
    assert stopped_by(stopped, [pending]) == stopped


def test_the_verdict_on_a_part_of_a_run_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the functions, that on protocols is invalid, whatever the run's is."""
    judged = SimpleNamespace(not_asked=96, trials=240, shown_after="invalid after 144 of 240 trials, 96 not sent")
    monkeypatch.setattr(InterimLooks, "verdict", lambda *_: judged)
    looks = object.__new__(InterimLooks)
    for cells, told in (
        ([object()], "96 of 240 trials not sent, in bands that are settled"),
        ([], judged.shown_after),
    ):
        looks._run = SimpleNamespace(cells=cells, plan=SimpleNamespace(tests={"line_retrieval": object()}))  # type: ignore[assignment]
        assert looks.stopped(()).message == told
