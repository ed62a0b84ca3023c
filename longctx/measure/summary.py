"""What a run measured, from its rows: a rate for each scenario, and k_max for each model and window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from longctx.measure.kmax import EffectiveWindow, effective_window
from longctx.measure.qa import QaSummary, summarize_qa
from longctx.measure.rates import Rate

MEASURED = ("correct", "wrong", "unparseable", "refusal", "truncated")
"""Outcomes that count in a rate."""


@dataclass(frozen=True, slots=True)
class ScenarioSummary:
    """One scenario of one model in one wording. distance_from_end: median, tokens; depth: median."""

    family: str
    model: str
    prompt_set: str
    scenario: str
    params: Mapping[str, int | str | None]
    rate: Rate
    outcomes: Mapping[str, int]
    depth: float | None
    distance_from_end: int | None


@dataclass(frozen=True, slots=True)
class PasskeySummary:
    """The effective window of one model in one wording, measured in one window (tokens)."""

    model: str
    prompt_set: str
    window: int
    effective: EffectiveWindow
    distance_at_k_max: int | None


@dataclass(frozen=True, slots=True)
class TokenSummary:
    """Tokens of one family on one model. input includes cached, what the server read from its prompt cache."""

    family: str
    model: str
    input: int
    cached: int
    output: int


@dataclass(frozen=True, slots=True)
class Summary:
    """live, replayed, unmeasured: numbers of trials. recorded: first and last day of the replayed answers."""

    scenarios: tuple[ScenarioSummary, ...]
    passkey: tuple[PasskeySummary, ...]
    qa: tuple[QaSummary, ...]
    tokens: tuple[TokenSummary, ...]
    live: int
    replayed: int
    unmeasured: int
    recorded: tuple[str, str] | None
    errors: Mapping[str, int] = field(default_factory=dict)


def summarize(rows: pd.DataFrame) -> Summary:
    """rows: one a trial, as results.store loads them, in the order in which the summary lists them."""
    keys = ["family", "model", "prompt_set", "scenario"]
    scenarios = tuple(_scenario(group) for _, group in rows.groupby(keys, sort=False))
    measured = rows[rows["outcome"].isin(MEASURED)]
    replayed = rows[rows["source"] == "replayed"]
    days = sorted(str(at)[:10] for at in replayed["recorded_at"])
    return Summary(
        scenarios=scenarios,
        passkey=tuple(_passkeys(scenarios)),
        qa=tuple(summarize_qa(measured[measured["family"] == "collage"])),
        tokens=tuple(_tokens(group) for _, group in measured.groupby(["family", "model"], sort=False)),
        live=int((rows["source"] == "live").sum()),
        replayed=len(replayed),
        unmeasured=len(rows) - len(measured),
        recorded=(days[0], days[-1]) if days else None,
        errors=dict(Counter(rows["error"].dropna())),
    )


def _scenario(rows: pd.DataFrame) -> ScenarioSummary:
    first = rows.iloc[0]
    outcomes = Counter(rows["outcome"])
    measured = rows[rows["outcome"].isin(MEASURED)]
    return ScenarioSummary(
        family=first["family"],
        model=first["model"],
        prompt_set=first["prompt_set"],
        scenario=first["scenario"],
        params=first["params"],
        rate=Rate(outcomes["correct"], len(measured)),
        outcomes=dict(outcomes),
        depth=None if measured.empty else float(measured["depth"].median()),
        distance_from_end=None if measured.empty else int(measured["distance_from_end"].median()),
    )


def _tokens(rows: pd.DataFrame) -> TokenSummary:
    total = {name: int(rows[f"{name}_tokens"].sum()) for name in ("input", "cached", "output")}
    return TokenSummary(rows["family"].iloc[0], rows["model"].iloc[0], **total)


def _passkeys(scenarios: tuple[ScenarioSummary, ...]) -> list[PasskeySummary]:
    windows: dict[tuple[str, str, int], dict[int, ScenarioSummary]] = {}
    for one in scenarios:
        window, k = one.params.get("window"), one.params.get("k")
        if one.family == "passkey" and isinstance(window, int) and isinstance(k, int):
            windows.setdefault((one.model, one.prompt_set, window), {})[k] = one
    found = []
    for (model, prompt_set, window), by_k in windows.items():
        effective = effective_window({k: one.rate for k, one in by_k.items()})
        distance = None if effective.k_max is None else by_k[effective.k_max].distance_from_end
        found.append(PasskeySummary(model, prompt_set, window, effective, distance))
    return found
