"""A run's summary as data: summary.json, for programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from longctx.measure.qa import Effect
from longctx.measure.rates import Rate
from longctx.measure.subject import Subject
from longctx.measure.summary import Summary

SCHEMA = 1
"""Raised when a field changes its meaning or goes."""


def as_json(summary: Summary, run: str) -> str:
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "run": run,
        "trials": {"live": summary.live, "replayed": summary.replayed, "unmeasured": summary.unmeasured},
        "errors": summary.errors,
        "usage": [asdict(one) for one in summary.usage],
        "costs": [asdict(one) for one in summary.costs],
        "answered": [asdict(one) for one in summary.answered],
        "scenarios": [
            {
                "family": one.family,
                **_subject(one.subject),
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
                **_subject(one.subject),
                "window": one.window,
                "k_max": one.effective.k_max,
                "distance_at_k_max": one.distance_at_k_max,
                "k_max_lo": one.interval[0],
                "k_max_hi": one.interval[1],
                "at_least": one.effective.at_least,
                "less_than": one.effective.less_than,
            }
            for one in summary.passkey
        ],
        "qa": [
            {
                **_subject(one.subject),
                "budget": one.budget,
                "filter_asked": one.filter_asked,
                "filter_kept": one.filter_kept,
                "effects": [_effect(effect) for effect in one.effects],
                "favourites": {
                    variant: {"letter": favourite.letter, "given": favourite.share.correct, "of": favourite.share.n}
                    for variant, favourite in one.favourites.items()
                },
            }
            for one in summary.qa
        ],
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _subject(subject: Subject) -> dict[str, Any]:
    return {"model": subject.model, "prompt_set": subject.prompt_set, "labels": dict(subject.labels)}


def _effect(effect: Effect) -> dict[str, float | int | str | None]:
    lo, hi = effect.paired.interval()
    return {
        "change": effect.change,
        "before": effect.before,
        "depth": effect.depth,
        "n": effect.paired.n,
        "difference": effect.paired.difference if effect.paired.n else None,
        "lo": lo,
        "hi": hi,
        "extra_tokens": effect.extra_tokens,
        "tokens_per_point": effect.tokens_per_point,
    }


def _rate(rate: Rate) -> dict[str, float | int | None]:
    value = rate.rate if rate.n else None
    return {"correct": rate.correct, "n": rate.n, "rate": value, "lo": rate.lo, "hi": rate.hi}
