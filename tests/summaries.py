"""Functions that change summaries, for tests of how they are reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from longctx.registry import shipped
from longctx.summary.summary import OfFamily, Summary
from longctx.views.reporting import Answers
from longctx.views.reporting import Reporting, reporting_of
from longctx.views.reporting import ScenarioSummary
from tests.rows import row


def made(summary: Summary, scenarios: Sequence[ScenarioSummary] | None = None, **analyses: Any) -> Summary:
    """Return the summary with other scenarios, or its own if None, and with these analyses by the name of their family.

    A family without an analysis keeps that of the summary, or has an empty one.
    """
    kept = summary.scenarios if scenarios is None else tuple(scenarios)
    names = [*shipped(), *(scenario.family for scenario in kept if scenario.family not in shipped())]
    families = {
        name: _of(name, analyses.get(name, _before(summary, name)))
        for name in names
        if name in analyses or any(scenario.family == name for scenario in kept)
    }
    return replace(summary, scenarios=kept, families=families)


def answers_to(*cells: ScenarioSummary) -> list[Answers]:
    """Return the Answers to cells of one protocol, as its report puts them together, with a row for each trial."""
    rows = [
        row(
            "correct" if trial < cell.rate.correct else "wrong",
            family=cell.family,
            scenario=cell.scenario,
            params=dict(cell.params),
            model=cell.subject.model,
            prompt_set=cell.subject.prompt_set,
            labels=dict(cell.subject.labels),
            trial=trial,
        )
        for cell in cells
        for trial in range(cell.rate.n)
    ]
    analysis: list[Answers] = reporting_of(shipped()[cells[0].family]).analyse(cells, rows)
    return analysis


def _of(name: str, analysis: Any) -> OfFamily:
    family = shipped().get(name)
    if family is None:
        return OfFamily(name, "tokens", "", Reporting(), None)
    return OfFamily(
        family.title,
        family.unit,
        family.variant,
        reporting_of(family),
        analysis,
        family.context,
        family.cell.identified_by,
    )


def _before(summary: Summary, name: str) -> Any:
    return summary.families[name].analysis if name in summary.families else ()
