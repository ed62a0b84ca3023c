"""What a run left out of its grid, as its rows tell: by -k or -x, or because there is nothing to ask."""

from __future__ import annotations

import pandas as pd

from longctx.plugin.run import Run
from longctx.recording.case import Case
from longctx.results.whole import scenario_name


def left_out(run: Run, rows: pd.DataFrame) -> tuple[str, ...]:
    """The scenarios of the grid that the run did not measure, or only one trial of; by their names."""
    if run.settings.only_trial is not None:
        return tuple(_name(run, case) for case in run.plan.cases)
    return tuple(_name(run, case) for case in _without_rows(run, rows) if case.size)


def empty(run: Run, rows: pd.DataFrame) -> int:
    """How many scenarios of the grid have no question."""
    return sum(not case.size for case in _without_rows(run, rows))


def _without_rows(run: Run, rows: pd.DataFrame) -> list[Case]:
    columns = ("family", "scenario", "model", "prompt_set", "labels")
    parts = zip(*(rows[name] for name in columns), strict=True)
    ran = {scenario_name(dict(zip(columns, one, strict=True))) for one in parts}
    return [case for case in run.plan.cases if _name(run, case) not in ran]


def _name(run: Run, case: Case) -> str:
    of = {"family": case.scenario.family, "scenario": case.scenario.slug, "labels": dict(run.settings.labels)}
    return scenario_name(of | {"model": case.model.model, "prompt_set": case.wording.prompt_set})
