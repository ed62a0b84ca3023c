"""The verdict of a gate for programs, as gate.json holds it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from longctx.gate.bands import BandVerdict
from longctx.gate.verdict import BandChange, RunVerdict, VerdictOfTest
from longctx.report.document import Document
from longctx.report.document import as_data as data_of_document
from longctx.results.row import Subject

GATE = "gate.json"


def with_words(
    verdict: RunVerdict, baseline: tuple[str, str], changed: Sequence[str], shown: Document
) -> dict[str, Any]:
    """Return the content of gate.json.

    baseline: its name, and that of its run. changed: as `verdict_document` takes it. shown: the verdict in words.
    """
    name, run = baseline
    return as_data(verdict, name, changed) | {"baseline_run": run, "document": data_of_document(shown)}


def as_data(verdict: RunVerdict, baseline: str, changed: Sequence[str]) -> dict[str, Any]:
    """Return the verdict for JSON. baseline, changed: as `verdict_document` takes them."""
    return {
        "verdict": verdict.verdict,
        "baseline": baseline,
        "margin": verdict.rules.margin,
        "run_margin": verdict.rules.run_margin,
        "alpha": verdict.rules.alpha,
        "alpha_of_verdict": verdict.rules.alpha,
        "baseline_runs": verdict.baseline_runs,
        "trials": verdict.trials,
        "left_out": verdict.not_asked,
        "reasons": list(verdict.reasons),
        "changed": list(changed),
        "improved": verdict.improved,
        **({"labelled": sorted({test for test, _ in verdict.labelled})} if verdict.labelled else {}),
        "run": _run(verdict, verdict.run_change),
        **({"anchor": _anchor(verdict)} if verdict.anchor else {}),
        "usage": finite(asdict(verdict.usage)) if verdict.usage else None,
        "limits": [
            finite({"name": limit.name, "most": limit.most, "status": limit.status})
            | {"growth": finite(asdict(limit.growth)) if limit.growth else None}
            for limit in verdict.limits
        ],
        "tests": [_test(test) for test in verdict.tests],
    }


def _anchor(verdict: RunVerdict) -> dict[str, Any] | None:
    if (anchor := verdict.anchor) is None:
        return None
    of_bands = [
        {"test": band.band.test, "band": band.band.name, "margin": anchor.rules.margin, **_numbers(band)}
        for band in anchor.bands
    ]
    return {"saved_at": verdict.since, "verdict": anchor.verdict, "run": _run(anchor), "bands": of_bands}


def _run(verdict: RunVerdict, change: BandChange | None = None) -> dict[str, Any] | None:
    if verdict.run is None:
        return None
    data = {"margin": verdict.rules.margin_of_run, **_numbers(verdict.run)}
    if change:
        data |= {"needed": verdict.run.needed, "before": change.before.as_data, "after": change.after.as_data}
        data["interval"] = list(change.interval)
    return data


def _numbers(band: BandVerdict) -> dict[str, Any]:
    names = "verdict", "n", "clusters", "gained", "lost", "difference", "bound", "p_value", "shown", "look", "looks"
    return {name: getattr(band, name) for name in names}


def _together(test: VerdictOfTest) -> dict[str, Any]:
    return {
        name: [
            {"cluster": each.cluster, "before": each.before.as_data, "after": each.after.as_data} for each in clusters
        ]
        for name, clusters in zip(("lost_together", "gained_together"), test.together, strict=True)
    }


def _test(test: VerdictOfTest) -> dict[str, Any]:
    reported: dict[str, list[dict[str, Any]]] = {}
    for beside in test.reported:
        reported.setdefault(beside.kind, []).append({**beside.data, "missed": beside in test.missed})
    return {
        "test": test.test,
        "before": _named(test.before),
        "after": _named(test.after),
        "verdict": test.verdict,
        "reasons": list(test.reasons),
        "pairs": test.asked,
        "unmeasured": test.missing,
        **_together(test),
        "bands": [
            {
                "band": band.band.name,
                "verdict": band.verdict,
                **{name: getattr(band, name) for name in ("n", "clusters", "gained", "lost", "difference")},
                **{
                    name: getattr(band, name)
                    for name in ("bound", "p_value", "needed", "same_answers", "look", "looks", "settled")
                },
                "reason": band.reason,
                "improved": band.improved,
                "before": change.before.as_data,
                "after": change.after.as_data,
                "interval": list(change.interval),
                "usage": [asdict(usage) for usage in change.usage],
                "unpaired": band.unpaired and [{"correct": rate.correct, "n": rate.n} for rate in band.unpaired],
            }
            for band, change in zip(test.bands, test.changes, strict=True)
        ],
        **reported,
    }


def finite(value: Any) -> Any:
    """Return data in which an infinite number is None, as JSON has none."""
    if isinstance(value, dict):
        return {name: finite(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _named(subject: Subject) -> dict[str, Any]:
    return subject.fields
