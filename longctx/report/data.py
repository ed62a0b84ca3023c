"""A run's summary as data: summary.json, for programs."""

from __future__ import annotations

import json
from typing import Any

from longctx.measure.rates import Rate
from longctx.measure.summary import Summary

SCHEMA = 1
"""Raised when a field changes its meaning or goes."""


def as_json(summary: Summary, run: str) -> str:
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "run": run,
        "trials": {"live": summary.live, "replayed": summary.replayed, "unmeasured": summary.unmeasured},
        "errors": summary.errors,
        "scenarios": [
            {
                "family": one.family,
                "model": one.model,
                "prompt_set": one.prompt_set,
                "scenario": one.scenario,
                "params": one.params,
                **_rate(one.rate),
                "outcomes": one.outcomes,
                "depth": one.depth,
                "distance_from_end": one.distance_from_end,
            }
            for one in summary.scenarios
        ],
        "passkey": [
            {
                "model": one.model,
                "prompt_set": one.prompt_set,
                "window": one.window,
                "k_max": one.effective.k_max,
                "distance_at_k_max": one.distance_at_k_max,
                "at_least": one.effective.at_least,
                "less_than": one.effective.less_than,
            }
            for one in summary.passkey
        ],
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _rate(rate: Rate) -> dict[str, float | int | None]:
    value = rate.rate if rate.n else None
    return {"correct": rate.correct, "n": rate.n, "rate": value, "lo": rate.lo, "hi": rate.hi}
