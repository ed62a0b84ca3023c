"""The effective window of each subject in each window of the grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longctx.families.passkey.effective_window import EffectiveWindow, effective_window, k_max_interval
from longctx.results.subject import Subject
from longctx.summary.summary import ScenarioSummary


@dataclass(frozen=True, slots=True)
class PasskeySummary:
    """The effective window of one subject, measured in one window (tokens).

    interval: the 95% interval of k_max; an end of 0 means less than the smallest k. farthest: the largest k.
    """

    subject: Subject
    window: int
    effective: EffectiveWindow
    interval: tuple[int, int]
    farthest: int
    distance_at_k_max: int | None


def windows_of(scenarios: Sequence[ScenarioSummary]) -> tuple[PasskeySummary, ...]:
    """Summarize each subject and window among scenarios of this family."""
    windows: dict[tuple[Subject, int], dict[int, ScenarioSummary]] = {}
    for scenario in scenarios:
        window, k = scenario.params.get("window"), scenario.params.get("k")
        if isinstance(window, int) and isinstance(k, int):
            windows.setdefault((scenario.subject, window), {})[k] = scenario
    summaries = []
    for (subject, window), by_k in windows.items():
        rates = {k: scenario.rate for k, scenario in by_k.items()}
        effective = effective_window(rates)
        distance = None if effective.k_max is None else by_k[effective.k_max].distance_from_end
        summaries.append(PasskeySummary(subject, window, effective, k_max_interval(rates), max(by_k), distance))
    return tuple(summaries)
