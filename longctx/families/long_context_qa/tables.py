"""The tables of long-context QA: rates by variant and position, effects, quotes, and controls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from longctx.families.long_context_qa.analysis import Effect, QaSummary, Quotes, above_chance
from longctx.families.long_context_qa.names import position
from longctx.report.table import Table, pivot, subject_columns
from longctx.results.grouping import by_subject
from longctx.summary.summary import ScenarioSummary


def collage(scenarios: Sequence[ScenarioSummary], summaries: Sequence[QaSummary]) -> Iterator[Table]:
    """Yield rates by variant (down) and position (across), then effects and quotes, for each budget."""
    for subject, group in by_subject(scenarios).items():
        for budget in dict.fromkeys(scenario.params["budget"] for scenario in group):
            of_budget = [scenario for scenario in group if scenario.params["budget"] == budget]
            asked, kept = (int(of_budget[0].params.get(f"filter_{name}") or 0) for name in ("asked", "kept"))
            title = f"Long-context QA, {subject}, {budget:,} tokens, {filtered(asked, kept)}: rate [95% interval]"
            yield Table(title, variants(of_budget))
    for summary in summaries:
        where = f"{summary.subject}, {summary.budget:,} tokens, {filtered(summary.filter_asked, summary.filter_kept)}"
        if summary.effects:
            yield Table(
                f"What helps, {where}: difference on the same questions [95% interval]", _effects(summary.effects)
            )
        if summary.quotes:
            yield Table(f"Quotes in scratchpads, {where}: share found [95% interval]", _quotes(summary.quotes))


def variants(scenarios: Sequence[ScenarioSummary]) -> pd.DataFrame:
    """Return rates by variant (down) and position (across). scenarios: those of one subject and budget."""
    cells = [
        (scenario.params["variant"], position(scenario.params["depth"]), str(scenario.rate)) for scenario in scenarios
    ]
    return pivot(cells, "variant")


def filtered(asked: int, kept: int) -> str:
    """Say how many questions the "too hard" filter kept."""
    return f"{asked:,} questions asked alone, {kept:,} kept" if asked else "no filter"


def control(scenarios: Sequence[ScenarioSummary]) -> Iterator[Table]:
    """Yield the rates with the right section alone, a wrong one, and none; raw and corrected for guessing."""
    frame = pd.DataFrame(
        {
            **subject_columns([scenario.subject for scenario in scenarios]),
            "record": [scenario.params["record"] for scenario in scenarios],
            "rate [95% interval]": [str(scenario.rate) for scenario in scenarios],
            "above chance": [
                f"{above_chance(scenario.rate):+.2f}" if scenario.rate.n else "" for scenario in scenarios
            ],
        }
    )
    yield Table("Controls of the questions: with the right section alone, a wrong one, none", frame.set_index("model"))


def _effects(effects: Sequence[Effect]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "what is added": [effect.change for effect in effects],
            "to": [effect.before for effect in effects],
            "needle at": [position(effect.depth) for effect in effects],
            "difference": [str(effect.paired) for effect in effects],
            "extra tokens": [f"{effect.extra_tokens:+,.0f}" for effect in effects],
            "tokens a point": [_cost(effect.tokens_per_point) for effect in effects],
        }
    ).set_index("what is added")


def _quotes(quotes: dict[tuple[str, int], Quotes]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "variant": [variant for variant, _ in quotes],
            "needle at": [position(depth) for _, depth in quotes],
            "in the record": [str(of_cell.in_record) for of_cell in quotes.values()],
            "in the right section": [str(of_cell.in_needle) for of_cell in quotes.values()],
        }
    ).set_index("variant")


def _cost(tokens: float | None) -> str:
    return "-" if tokens is None else f"{tokens:,.0f}"
