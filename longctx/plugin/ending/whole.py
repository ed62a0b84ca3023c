"""What a run left out of its grid, as its rows tell: by -k or -x, or because there is nothing to ask."""

from __future__ import annotations

from collections.abc import Sequence

from longctx.plugin.run import Run
from longctx.recording.case import Case
from longctx.results.row import Row
from longctx.results.subject import Subject
from longctx.results.whole import scenario_name, scenarios_of


def left_out(run: Run, rows: Sequence[Row]) -> tuple[str, ...]:
    """The scenarios of the grid that the run did not measure, or only one trial of; by their names."""
    if run.settings.only_trial is not None:
        return tuple(_name(run, case) for case in run.plan.cases)
    return tuple(_name(run, case) for case in _without_rows(run, rows) if case.size)


def empty(run: Run, rows: Sequence[Row]) -> tuple[str, ...]:
    """The scenarios of the grid that have no question; by their names."""
    return tuple(_name(run, case) for case in _without_rows(run, rows) if not case.size)


def min_rates(run: Run) -> dict[str, float]:
    """The least rate of each of a shard's scenarios that has one; none where the run tests them itself."""
    cases = run.plan.cases if run.settings.shard else []
    return {_name(run, case): case.min_rate for case in cases if case.min_rate is not None}


def _without_rows(run: Run, rows: Sequence[Row]) -> list[Case]:
    ran = scenarios_of(rows)
    return [case for case in run.plan.cases if _name(run, case) not in ran]


def _name(run: Run, case: Case) -> str:
    subject = Subject.of(case.model.model, case.wording.prompt_set, dict(run.settings.labels))
    return scenario_name(case.scenario.family, case.scenario.slug, subject)
