"""The summary of a run as JSON for programs: summary.json."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from longctx.registry import shipped
from longctx.report.across import effective_lengths_data
from longctx.report.judges import judges_data
from longctx.report.tests import chunks_data, retention_data, window_data
from longctx.results.row import COLUMNS
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
        "usage": [{COLUMNS.get(name, name): value for name, value in asdict(usage).items()} for usage in summary.usage],
        "costs": [asdict(cost) for cost in summary.costs],
        "answered": [asdict(answered) for answered in summary.answered],
        "scenarios": [
            {
                "family": cell.test,
                **cell.subject.fields,
                "scenario": cell.cell,
                "params": cell.params,
                **cell.rate.as_data,
                "outcomes": cell.outcomes,
                "lexical": cell.lexical.as_data if cell.lexical.n else None,
                "depth": cell.depth,
                "distance_from_end": cell.distance_from_end,
            }
            for cell in summary.cells
        ],
    }
    for known in shipped().values():
        document |= reporting_of(known).data(())  # what a run did not measure is empty, not absent
    for test in summary.tests.values():
        for name, entries in test.reporting.data(test.analysis).items():  # several tests may share a list
            document[name] = [*document.get(name, ()), *entries]
    if retained := [each for name, of in summary.tests.items() for each in retention_data(name, of.retention)]:
        document["retention"] = retained
    if windows := [each for name, of in summary.tests.items() for each in window_data(name, of.windows)]:
        document["windows"] = windows
    if found := [each for name, of in summary.tests.items() for each in chunks_data(name, of.retrievals)]:
        document["chunks"] = found
    if graded := list(judges_data(summary.graded)):
        document["judges"] = graded
    lengths = [curve for test in summary.tests.values() for curve in test.lengths]
    document["effective_lengths"] = list(effective_lengths_data(lengths))
    return json.dumps(document, indent=1, allow_nan=False) + "\n"
