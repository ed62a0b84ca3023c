"""A function that changes summaries, for tests of how they are reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from longctx.registry import shipped
from longctx.summary.summary import OfFamily, Summary
from longctx.views.account import Account, account_of
from longctx.views.scenario_summary import ScenarioSummary


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


def _of(name: str, analysis: Any) -> OfFamily:
    family = shipped().get(name)
    if family is None:
        return OfFamily(name, "tokens", "", Account(), None)
    return OfFamily(
        family.title,
        family.unit,
        family.variant,
        account_of(family),
        analysis,
        family.size,
        family.scenario.identified_by,
    )


def _before(summary: Summary, name: str) -> Any:
    return summary.families[name].analysis if name in summary.families else ()
