"""What a run measured, from its rows: a rate for each scenario, and k_max for each model and window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from longctx.registry import account_of, in_order, shipped
from longctx.stats.rates import Rate
from longctx.summary.answered import Answered, answered_as_another
from longctx.summary.costs import Cost, costs
from longctx.summary.heatmap import Place, heatmap
from longctx.summary.subject import Subject, subjects
from longctx.summary.truncated import Truncated, truncated
from longctx.vocabulary.account import Account
from longctx.vocabulary.family import Family

MEASURED = ("correct", "wrong", "unparseable", "refusal", "truncated")
"""Outcomes that count in a rate."""


@dataclass(frozen=True, slots=True)
class ScenarioSummary:
    """One scenario of one subject. distance_from_end: median, tokens; depth: median."""

    family: str
    subject: Subject
    scenario: str
    params: Mapping[str, int | str | None]
    rate: Rate
    outcomes: Mapping[str, int]
    depth: float | None
    distance_from_end: int | None


@dataclass(frozen=True, slots=True)
class UsageSummary:
    """What one family took on one model.

    Tokens; input includes cached, what the server read from its prompt cache, and written, what it wrote to it. None
    where no answer tells of the cache.
    cost_usd: what the answers cost when they were asked; None where prices are not known. latency_s: median and 95th
    percentile, seconds.
    """

    family: str
    model: str
    input: int
    cached: int | None
    output: int
    cost_usd: float | None
    latency_s: tuple[float, float]
    written: int = 0


@dataclass(frozen=True, slots=True)
class OfFamily:
    """A family in a run. unit: of its contexts' lengths. analysis: what its account made of the measured trials."""

    title: str
    unit: str
    account: Account
    analysis: Any


@dataclass(frozen=True, slots=True)
class Summary:
    """live, replayed, unmeasured: numbers of trials. recorded: first and last day of the replayed answers.

    families: those that it has, in their order.
    """

    scenarios: tuple[ScenarioSummary, ...]
    places: tuple[Place, ...]
    usage: tuple[UsageSummary, ...]
    live: int
    replayed: int
    unmeasured: int
    recorded: tuple[str, str] | None
    errors: Mapping[str, int] = field(default_factory=dict)
    costs: tuple[Cost, ...] = ()
    answered: tuple[Answered, ...] = ()
    truncated: tuple[Truncated, ...] = ()
    families: Mapping[str, OfFamily] = field(default_factory=dict)

    def of(self, family: str) -> list[ScenarioSummary]:
        """The scenarios of a family."""
        return [one for one in self.scenarios if one.family == family]

    def title(self, family: str) -> str:
        """As a heading says it; a family that is not installed here keeps its name."""
        return self.families[family].title if family in self.families else family


def summarize(
    rows: pd.DataFrame,
    prices_of: Mapping[str, str] | None = None,
    sent_as: Mapping[str, str] | None = None,
    families: Mapping[str, Family] | None = None,
) -> Summary:
    """rows: one a trial, as results.store loads them. The summary lists them in their order, by families.

    prices_of: model -> the day of the prices by which the rows tell what was paid. sent_as: model -> the id that its
    provider was sent, where that is another. families: those that are known, by default those of longctx.
    """
    known = shipped() if families is None else families
    rows = rows.assign(subject=subjects(rows)).iloc[in_order(list(rows["family"]), known)]
    scenarios = tuple(_scenario(group) for _, group in rows.groupby(["family", "subject", "scenario"], sort=False))
    measured = rows[rows["outcome"].isin(MEASURED)]
    replayed = rows[rows["source"] == "replayed"]
    days = sorted(str(at)[:10] for at in replayed["recorded_at"])
    return Summary(
        scenarios=scenarios,
        places=tuple(heatmap(measured, {name: one.size for name, one in known.items()})),
        families={
            name: _of_family(name, known.get(name), scenarios, measured)
            for name in dict.fromkeys(one.family for one in scenarios)
        },
        usage=tuple(_usage(group) for _, group in measured.groupby(["family", "model"], sort=False)),
        live=int((rows["source"] == "live").sum()),
        replayed=len(replayed),
        unmeasured=len(rows) - len(measured),
        recorded=(days[0], days[-1]) if days else None,
        errors=dict(Counter(rows["error"].dropna())),
        costs=costs(measured, prices_of or {}),
        answered=answered_as_another(measured, sent_as or {}),
        truncated=truncated(measured),
    )


def _of_family(
    name: str, family: Family | None, scenarios: Sequence[ScenarioSummary], measured: pd.DataFrame
) -> OfFamily:
    """family: None where it is not installed here: its rows are shown plainly."""
    account = account_of(family) if family else Account()
    own = [one for one in scenarios if one.family == name]
    analysis = account.analyse(own, measured[measured["family"] == name])
    return OfFamily(family.title if family else name, family.unit if family else "tokens", account, analysis)


def _scenario(rows: pd.DataFrame) -> ScenarioSummary:
    first = rows.iloc[0]
    outcomes = Counter(rows["outcome"])
    measured = rows[rows["outcome"].isin(MEASURED)]
    return ScenarioSummary(
        family=first["family"],
        subject=first["subject"],
        scenario=first["scenario"],
        params=first["params"],
        rate=Rate(outcomes["correct"], len(measured)),
        outcomes=dict(outcomes),
        depth=None if measured.empty else float(measured["depth"].median()),
        distance_from_end=None if measured.empty else int(measured["distance_from_end"].median()),
    )


def _usage(rows: pd.DataFrame) -> UsageSummary:
    columns = {"input": "input", "written": "cache_write", "output": "output"}
    tokens = {name: int(rows[f"{column}_tokens"].sum()) for name, column in columns.items()}
    cached = int(rows["cached_tokens"].sum()) if rows["cached_tokens"].notna().any() else None
    median, slow = rows["latency_s"].quantile([0.5, 0.95])
    cost = None if rows["cost_usd"].isna().any() else float(rows["cost_usd"].sum())
    return UsageSummary(
        rows["family"].iloc[0],
        rows["model"].iloc[0],
        **tokens,
        cached=cached,
        cost_usd=cost,
        latency_s=(float(median), float(slow)),
    )
