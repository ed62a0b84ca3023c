"""The effective window of each subject in each window of the grid, and what a gate reports of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from longctx import Axes, Rate, Reported, Row, ScenarioSummary, StatedMinimum, Subject
from longctx.protocols.passkey import PasskeyAxes
from longctx.protocols.reports.effective_window import (
    EffectiveWindow,
    effective_window,
    k_max_interval,
    p_value_of_reaching,
)
from longctx.results.grouping import grouped
from longctx.stats.of_rows import rate_of


@dataclass(frozen=True, slots=True)
class PasskeySummary:
    """The effective window of one subject, measured in one window (tokens)."""

    subject: Subject
    window: int
    effective: EffectiveWindow
    interval: tuple[int, int]
    """The 95% interval of k_max; an end of 0 means less than the smallest k."""
    farthest: int
    """The largest k."""
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


def reported(before: Sequence[Row], after: Sequence[Row], grids: Sequence[Axes]) -> Iterator[Reported]:
    """Yield k_max of each window in both runs, with the minimum that the profile states, if any."""
    earlier, later = _rates(before), _rates(after)
    for window in (window for window in later if window in earlier):
        was, now = (_KMax.of(rates[window]) for rates in (earlier, later))
        tables = (grid for grid in reversed(grids) if isinstance(grid, PasskeyAxes))
        minimum = next((stated for table in tables if (stated := table.minimum_of(window))), None)
        yield Reported(
            kind="windows",
            data={
                "window": window,
                "k_max": [was.k_max, now.k_max],
                "intervals": [was.interval, now.interval],
                "minimum": minimum,
            },
            table="k_max (tokens), which has no verdict of its own: bands are judged",
            cells={
                "window": f"{window:,}",
                "before [95%]": str(was),
                "now [95%]": str(now),
                **({"minimum": f"{minimum:,}: {now.against(minimum)}"} if minimum else {}),
            },
            minimum=StatedMinimum(
                p_value_of_reaching(later[window], minimum),
                now.interval[1] < minimum,
                f"k_max {now} in a window of {window:,}, below the minimum of {minimum:,}",
            )
            if minimum
            else None,
        )


@dataclass(frozen=True, slots=True)
class _KMax:
    """k_max of one run in tokens, with its 95% interval; 0 means less than the smallest k."""

    k_max: int
    interval: tuple[int, int]

    @classmethod
    def of(cls, by_k: Mapping[int, Rate]) -> _KMax:
        return cls(effective_window(by_k).k_max or 0, k_max_interval(by_k))

    def against(self, minimum: int) -> str:
        """Return where the interval lies in comparison with a minimum."""
        lo, hi = self.interval
        return "reached" if lo >= minimum else "missed" if hi < minimum else "not known"

    def __str__(self) -> str:
        return f"{self.k_max:,} [{self.interval[0]:,}, {self.interval[1]:,}]"


def _rates(rows: Sequence[Row]) -> dict[int, dict[int, Rate]]:
    """Return the rate at each k of each window."""
    by_place = grouped(rows, lambda row: (int(row.params["window"] or 0), int(row.params["k"] or 0)))
    windows: dict[int, dict[int, Rate]] = {}
    for (window, k), of_place in by_place.items():
        windows.setdefault(window, {})[k] = rate_of(of_place)
    return windows
