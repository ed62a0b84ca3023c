"""The scenarios of the grid that a run's rows lack: deselected, not reached, or without a question."""

from __future__ import annotations

from collections.abc import Sequence

from longctx.plugin.run import Run
from longctx.recording.case import Case
from longctx.results.completeness import scenario_name, scenarios_of
from longctx.results.row import Row
from longctx.results.subject import Subject


def left_out(run: Run, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the names of the scenarios that the run did not measure, or measured one trial of."""
    if run.settings.only_trial is not None:
        return tuple(_name(run, case) for case in run.plan.cases)
    return tuple(_name(run, case) for case in _without_rows(run, rows) if case.size)


def empty(run: Run, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the names of the scenarios that have no question."""
    return tuple(_name(run, case) for case in _without_rows(run, rows) if not case.size)


def min_rates(run: Run) -> dict[str, float]:
    """Return the minimum rates of a shard's scenarios by name; none if the run is whole and tests them itself."""
    cases = run.plan.cases if run.settings.shard else []
    return {_name(run, case): case.min_rate for case in cases if case.min_rate is not None}


def _without_rows(run: Run, rows: Sequence[Row]) -> list[Case]:
    measured = scenarios_of(rows)
    return [case for case in run.plan.cases if _name(run, case) not in measured]


def _name(run: Run, case: Case) -> str:
    subject = Subject.of(case.model.model, case.wording.prompt_set, dict(run.settings.labels))
    return scenario_name(case.scenario.family, case.scenario.slug, subject)
