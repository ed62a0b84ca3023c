"""The analysis of long-context QA and of its controls, and their part of the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longctx.families.long_context_qa import charts, tables
from longctx.families.long_context_qa.analysis import Effect, QaSummary, summarize_qa
from longctx.families.long_context_qa.names import position
from longctx.families.long_context_qa.names import variant as variant_name
from longctx.report.charts.chart import Chart
from longctx.report.table import Table
from longctx.stats.paired import Paired
from longctx.summary.summary import ScenarioSummary
from longctx.vocabulary.account import Account, Rank

if TYPE_CHECKING:
    from longctx.results.row import Row


class CollageAccount(Account):
    """The account of the collage family. analysis: a summary for each subject and budget."""

    def analyse(self, scenarios: Sequence[ScenarioSummary], rows: Sequence[Row]) -> tuple[QaSummary, ...]:
        return tuple(summarize_qa(scenarios, rows))

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[QaSummary]) -> Iterator[Table]:
        return tables.collage(scenarios, analysis)

    def charts(self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[QaSummary]) -> Iterator[Chart]:
        return charts.collage(scenarios, analysis)

    def findings(
        self, scenarios: Sequence[ScenarioSummary], analysis: Sequence[QaSummary]
    ) -> Iterator[tuple[Rank, str]]:
        yield from ((Rank.CAUSE, favourite) for favourite in _favourites(analysis))
        yield from ((Rank.EFFECT, effect) for effect in _effects(analysis))

    def data(self, analysis: Sequence[QaSummary]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return {"qa": [_entry(summary) for summary in analysis]}


class ControlAccount(Account):
    """The account of the controls: rates with the right section alone, a wrong one, and none."""

    def tables(self, scenarios: Sequence[ScenarioSummary], analysis: None) -> Iterator[Table]:
        return tables.control(scenarios)

    def charts(self, scenarios: Sequence[ScenarioSummary], analysis: None) -> Iterator[Chart]:
        return charts.control(scenarios)


def _entry(summary: QaSummary) -> dict[str, Any]:
    return {
        **summary.subject.fields,
        "budget": summary.budget,
        "filter_asked": summary.filter_asked,
        "filter_kept": summary.filter_kept,
        "effects": [_effect(effect) for effect in summary.effects],
        "favourites": {
            variant: {"letter": favourite.letter, "given": favourite.share.correct, "of": favourite.share.n}
            for variant, favourite in summary.favourites.items()
        },
    }


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


def _favourites(analysis: Sequence[QaSummary]) -> Iterator[str]:
    """Yield the variants in which the model answers with one letter whatever it is asked."""
    for summary in analysis:
        fixed: dict[str, list[str]] = {}
        for variant, favourite in summary.favourites.items():
            if favourite.fixed:
                share = favourite.share
                fixed.setdefault(favourite.letter, []).append(
                    f"{variant_name(variant)} ({share.correct:,} of {share.n:,})"
                )
        for letter, variants in fixed.items():
            yield (
                f"Long-context QA, {summary.subject}: the answer is nearly always {letter} with {', '.join(variants)}: "
                f"these rates say how often {letter} is right, not what was read."
            )


def _effects(analysis: Sequence[QaSummary]) -> Iterator[str]:
    """Yield, for each change, how often the interval of its effect excludes 0, and where the effect is largest."""
    for summary in analysis:
        for change in dict.fromkeys(effect.change for effect in summary.effects):
            tried = [effect for effect in summary.effects if effect.change == change]
            shown = [effect for effect in tried if not _holds_0(effect.paired)]
            if shown:
                most = max(shown, key=lambda effect: abs(effect.paired.difference))
                where = f"{variant_name(most.before)}, needle at {position(most.depth)}"
                yield (
                    f"Long-context QA, {summary.subject}: with {change}, the rate differs in {len(shown)} of "
                    f"{len(tried)} comparisons, most from {where}: {most.paired}."
                )


def _holds_0(paired: Paired) -> bool:
    lo, hi = paired.interval()
    return lo <= 0 <= hi
