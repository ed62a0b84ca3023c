"""The tables of long-context QA: variant by position, what scratchpad and examples do, quotes, controls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from longctx.families.long_context_qa.analysis import Effect, QaSummary, Quotes, above_chance
from longctx.families.long_context_qa.names import position
from longctx.report.table import Table, by_subject, pivot, subject_columns
from longctx.summary.summary import ScenarioSummary


def collage(scenarios: Sequence[ScenarioSummary], summaries: Sequence[QaSummary]) -> Iterator[Table]:
    """Rates of every variant (down) and position (across); then effects, then quotes, for each budget."""
    for subject, group in by_subject(scenarios).items():
        for budget in dict.fromkeys(one.params["budget"] for one in group):
            params = group[0].params
            kept = filtered(int(params.get("filter_asked") or 0), int(params.get("filter_kept") or 0))
            title = f"Long-context QA, {subject}, {budget:,} tokens, {kept}: rate [95% interval]"
            yield Table(title, variants([one for one in group if one.params["budget"] == budget]))
    for one in summaries:
        where = f"{one.subject}, {one.budget:,} tokens, {filtered(one.filter_asked, one.filter_kept)}"
        if one.effects:
            yield Table(f"What helps, {where}: difference on the same questions [95% interval]", _effects(one.effects))
        if one.quotes:
            yield Table(f"Quotes in scratchpads, {where}: share found [95% interval]", _quotes(one.quotes))


def variants(scenarios: Sequence[ScenarioSummary]) -> pd.DataFrame:
    """Rates by variant (down) and position (across). scenarios: of one subject and budget."""
    cells = [(one.params["variant"], position(one.params["depth"]), str(one.rate)) for one in scenarios]
    return pivot(cells, "variant")


def filtered(asked: int, kept: int) -> str:
    """What the "too hard" filter left of the questions."""
    return f"{asked:,} questions asked alone, {kept:,} kept" if asked else "no filter"


def control(scenarios: Sequence[ScenarioSummary]) -> Iterator[Table]:
    """Right section alone, a wrong one, none; raw and above chance."""
    frame = pd.DataFrame(
        {
            **subject_columns([one.subject for one in scenarios]),
            "record": [one.params["record"] for one in scenarios],
            "rate [95% interval]": [str(one.rate) for one in scenarios],
            "above chance": [f"{above_chance(one.rate):+.2f}" if one.rate.n else "" for one in scenarios],
        }
    )
    yield Table("Controls of the questions: with the right section alone, a wrong one, none", frame.set_index("model"))


def _effects(effects: Sequence[Effect]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "what is added": [one.change for one in effects],
            "to": [one.before for one in effects],
            "needle at": [position(one.depth) for one in effects],
            "difference": [str(one.paired) for one in effects],
            "extra tokens": [f"{one.extra_tokens:+,.0f}" for one in effects],
            "tokens a point": [_cost(one.tokens_per_point) for one in effects],
        }
    ).set_index("what is added")


def _quotes(found: dict[tuple[str, int], Quotes]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "variant": [variant for variant, _ in found],
            "needle at": [position(depth) for _, depth in found],
            "in the record": [str(one.in_record) for one in found.values()],
            "in the right section": [str(one.in_needle) for one in found.values()],
        }
    ).set_index("variant")


def _cost(tokens: float | None) -> str:
    return "-" if tokens is None else f"{tokens:,.0f}"
