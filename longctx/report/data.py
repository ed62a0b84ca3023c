"""The summary of a run as JSON for programs: summary.json."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from longctx.registry import shipped
from longctx.report.across import effective_lengths_data
from longctx.report.tests import chunks_data
from longctx.report.judges import judges_data
from longctx.report.tests import retention_data
from longctx.report.tests import window_data
from longctx.summary.summary import Summary
from longctx.views.reporting import reporting_of

SCHEMA = 1
"""The version of the format, raised when a field changes its meaning or is removed."""


def as_json(summary: Summary, run: str) -> str:
    """Return the text of summary.json. run: the name of the run."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "run": run,
        "trials": {"live": summary.live, "replayed": summary.replayed, "unmeasured": summary.unmeasured},
        "errors": summary.errors,
        "usage": [asdict(usage) for usage in summary.usage],
        "costs": [asdict(cost) for cost in summary.costs],
        "answered": [asdict(answered) for answered in summary.answered],
        "scenarios": [
            {
                "family": scenario.family,
                **scenario.subject.fields,
                "scenario": scenario.scenario,
                "params": scenario.params,
                **scenario.rate.as_data,
                "outcomes": scenario.outcomes,
                "lexical": scenario.lexical.as_data if scenario.lexical.n else None,
                "depth": scenario.depth,
                "distance_from_end": scenario.distance_from_end,
            }
            for scenario in summary.scenarios
        ],
    }
    for known in shipped().values():
        document |= reporting_of(known).data(())  # what a run did not measure is empty, not absent
    for family in summary.families.values():
        for name, entries in family.reporting.data(family.analysis).items():  # several tests may share a list
            document[name] = [*document.get(name, ()), *entries]
    if retained := [each for name, of in summary.families.items() for each in retention_data(name, of.retention)]:
        document["retention"] = retained
    if windows := [each for name, of in summary.families.items() for each in window_data(name, of.windows)]:
        document["windows"] = windows
    if found := [each for name, of in summary.families.items() for each in chunks_data(name, of.retrievals)]:
        document["chunks"] = found
    if graded := list(judges_data(summary.graded)):
        document["judges"] = graded
    lengths = [curve for family in summary.families.values() for curve in family.lengths]
    document["effective_lengths"] = list(effective_lengths_data(lengths))
    return json.dumps(document, indent=1, allow_nan=False) + "\n"
