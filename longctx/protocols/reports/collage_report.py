"""What long-context QA reports: rates by variant, position and length, effects of examples, and quotes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from longctx import Answers, Report, Row, Table
from longctx.protocols.choices import CHANCE, earlier, version_of
from longctx.protocols.reports.claims import Claim, claims_table, does_not_help, helps
from longctx.protocols.reports.collage_analysis import (
    SCRATCHPAD,
    Effect,
    QaSummary,
    beside,
    effect_of,
    held,
    summary_of,
)
from longctx.results.grouping import by_subject, grouped
from longctx.stats.rates import pooled
from longctx.views.answers import CellSummary, answers_by_cell
from longctx.views.chart import letter_biases, letter_entries, letter_table
from longctx.views.view import RatePoint, RateView
from longctx.vocabulary.point import position_name
from longctx.vocabulary.report import Rank

TITLE = "Long-context QA"
GUESSING = f"Dashed: accuracy by guessing, {CHANCE}."
EXAMPLES = {"none": "no examples", "unrelated": "2 unrelated examples", "two": "2 examples", "five": "5 examples"}


SHORT = {"none": "none", "unrelated": "2 unrelated", "two": "2", "five": "5"}
"""The names of examples as columns."""


def variant_name(name: str) -> str:
    """Name a variant by its examples and its scratchpad."""
    examples, pad, _ = name.partition("_scratchpad")
    return EXAMPLES.get(examples, examples) + (" + scratchpad" if pad else "")


def more(analysis: Sequence[Answers]) -> Iterator[RateView | Table]:
    """Yield the views, and the tables of effects, letters and quotes."""
    summaries = [summary_of(answers) for answers in analysis if answers.rows]
    yield from views([cell for answers in analysis for cell in answers.cells], summaries)
    for summary in summaries:
        yield from tables(summary)
    measured = [row for answers in analysis for row in answers.rows]
    if table := claims_table(TITLE, (claim for _, rows in by_subject(measured).items() for claim in claims(rows))):
        yield table


def claims(rows: Sequence[Row]) -> Iterator[Claim]:
    """Yield what the notebook concludes, judged by the answers of one subject to the same questions at the same place.

    Source: the notebook's conclusion. rows: measured ones.
    """
    pads = ("", SCRATCHPAD)

    def over_none(*names: str) -> list[tuple[str, str]]:
        return [(f"none{pad}", name + pad) for pad in pads for name in names]

    judged = (
        (helps, "a scratchpad helps", [(name, name + SCRATCHPAD) for name in EXAMPLES]),
        (helps, "related examples help", over_none("two", "five")),
        (does_not_help, "unrelated examples do not help", over_none("unrelated")),
        (helps, "five help more than two", [(f"two{pad}", f"five{pad}") for pad in pads]),
    )
    for judge, says, variants in judged:
        effect, replies = effect_of(rows, variants)
        if effect.n:
            yield judge(rows[0].subject, says, effect, replies)


def views(cells: Sequence[CellSummary], summaries: Sequence[QaSummary]) -> Iterator[RateView]:
    """Yield rates by variant and position, by length and by distractors, and the effects."""
    yield RateView(
        points=[
            RatePoint(_variant(each), _position(each), each.rate, _of_budget(each), each.lexical) for each in cells
        ],
        name="qa-variants",
        heading=TITLE,
        title="By variant and position of the needle",
        x="variant",
        label=variant_name,
        series="needle at",
        table="accuracy [95% interval]",
        down=True,
        lines=[CHANCE],
        note=GUESSING,
        fewest=1,
    )
    yield _by_length([cell for cell in cells if cell.rate.n])
    yield _by_distractors([cell for cell in cells if cell.rate.n])
    effects = [(summary, effect) for summary in summaries for effect in summary.effects]
    yield RateView(
        points=[
            RatePoint(
                f"{effect.change}, to {variant_name(effect.before)}",
                position_name(effect.depth),
                effect.paired,
                f"{summary.subject}, {_size(summary)}",
            )
            for summary, effect in effects
        ],
        name="qa-effects",
        heading=TITLE,
        title="Effect of examples and scratchpad",
        x="added",
        series="needle at",
        scale=("difference in accuracy, same questions", -1, 1),
        down=True,
        lines=[0],
        note="Dashed: no difference.",
        fewest=1,
    )


def tables(summary: QaSummary) -> Iterator[Table]:
    """Yield effects, letters and quotes of one budget."""
    where = f"{summary.subject}, {_size(summary)}, {filtered(summary.filter_asked, summary.filter_kept)}"
    if summary.effects:
        title = f"Effect of examples and scratchpad, {where}: difference on the same questions [95% interval]"
        yield Table.from_columns(title, _effects(summary.effects))
    if summary.letters:
        yield letter_table(where, summary.letters)
    if summary.quotes:
        columns = {
            "variant": [variant for variant, _ in summary.quotes],
            "needle at": [position_name(depth) for _, depth in summary.quotes],
            "in the record": [str(quotes.in_record) for quotes in summary.quotes.values()],
            "in the right section": [str(quotes.in_needle) for quotes in summary.quotes.values()],
        }
        yield Table.from_columns(f"Quotes in scratchpads, {where}: share found [95% interval]", columns)


def findings(answers: Answers) -> Iterator[tuple[Rank, str]]:
    """Yield what is found in the collages of one subject."""
    return found([summary_of(each) for each in answers_by_cell(answers.cells, answers.rows, BY)])


def found(summaries: Sequence[QaSummary]) -> Iterator[tuple[Rank, str]]:
    """Yield letters that are always given, letters that are liked, and effects, of each budget."""
    for rank, clauses in ((Rank.CAUSE, _favourites), (Rank.CAUSE, _biases), (Rank.EFFECT, _shown_effects)):
        yield from ((rank, clause) for summary in summaries for clause in clauses(summary))


def filtered(asked: int, kept: int) -> str:
    """Say how many questions the "too hard" filter kept."""
    return f"{asked:,} questions asked alone, {kept:,} kept" if asked else "no filter"


def _variant(cell: CellSummary) -> str:
    return str(cell.params["variant"])


def _position(cell: CellSummary) -> str:
    return position_name(cell.params["depth"])


def _budget(cell: CellSummary) -> int:
    return int(cell.params["budget"] or 0)


def _of_budget(cell: CellSummary) -> str:
    """Return the subject and the budget, and what the filter kept of the questions."""
    asked, kept = (int(cell.params.get(f"filter_{name}") or 0) for name in ("asked", "kept"))
    size = ", ".join(filter(None, [f"{_budget(cell):,} tokens", beside(cell.params)]))
    return f"{cell.subject}, {size}, {filtered(asked, kept)}"


def _size(summary: QaSummary) -> str:
    return ", ".join(filter(None, [f"{summary.budget:,} tokens", summary.beside]))


def _by_distractors(cells: Sequence[CellSummary]) -> RateView:
    """Return a view of the accuracy by the number of distractors, for each variant and position of the needle."""
    points = [
        RatePoint(
            int(each.params["distractors"] or 0),
            f"{variant_name(_variant(each))}, {_position(each)}",
            each.rate,
            ", ".join(filter(None, [f"{each.subject}, {_budget(each):,} tokens", version_of(each.params)])),
            each.lexical,
        )
        for each in cells
        if each.params.get("distractors") is not None
    ]
    return RateView(
        points=points,
        name="qa-by-distractors",
        heading=TITLE,
        title="By number of distractors",
        x="distractors",
        axis="sections that resemble the needle's and do not answer",
        unit="distractors",
        series="variant, needle at",
        lines=[CHANCE],
        note=GUESSING,
        from_zero=True,
    )


def _by_length(cells: Sequence[CellSummary]) -> RateView:
    """Return a view of what records of every length were asked with.

    A single variant has a curve for each position of the needle; of several, each has one curve over all positions.
    """
    points, several = list[RatePoint](), False
    groups = grouped(cells, lambda each: ", ".join(filter(None, [str(each.subject), beside(each.params)])))
    for subject, group in groups.items():
        budgets = {_budget(cell) for cell in group}
        curves = grouped(group, lambda cell: (variant_name(_variant(cell)), _position(cell)))
        common = {curve: same for curve, same in curves.items() if {_budget(each) for each in same} == budgets}
        names = {name for name, _ in common}
        several |= len(names) > 1
        series: dict[str, list[CellSummary]] = {}
        for (name, where), same in common.items():
            series.setdefault(name if len(names) > 1 else f"{name}, {where}", []).extend(same)
        for name, same in series.items():
            by_budget = sorted(grouped(same, _budget).items())
            points += [
                RatePoint(
                    budget,
                    name,
                    pooled(each.rate for each in these),
                    subject,
                    pooled(each.lexical for each in these),
                )
                for budget, these in by_budget
            ]
    return RateView(
        points=points,
        name="qa-by-length",
        heading=TITLE,
        title="By length of the record",
        x="tokens",
        axis="tokens of the record",
        unit="tokens",
        series="variant" if several else "variant, needle at",
        lines=[CHANCE],
        note=GUESSING,
    )


def _effects(effects: Sequence[Effect]) -> dict[str, list[str]]:
    return {
        "added": [effect.change for effect in effects],
        "to": [effect.before for effect in effects],
        "needle at": [position_name(effect.depth) for effect in effects],
        "difference": [str(effect.paired) for effect in effects],
        "extra tokens": [f"{effect.extra_tokens:+,.0f}" for effect in effects],
        "tokens a point": ["-" if (cost := effect.tokens_per_point) is None else f"{cost:,.0f}" for effect in effects],
    }


def entry(answers: Answers) -> dict[str, Any]:
    """Return the entry of a budget in summary.json."""
    summary = summary_of(answers)
    return {
        "budget": summary.budget,
        "beside": summary.beside,
        "letters": letter_entries(summary.letters),
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


def _favourites(summary: QaSummary) -> Iterable[str]:
    """Yield the variants in which the model answers with one letter whatever it is asked."""
    fixed = [(variant, favourite) for variant, favourite in summary.favourites.items() if favourite.fixed]
    for letter, same in grouped(fixed, lambda each: each[1].letter).items():
        variants = ", ".join(
            f"{variant_name(variant)} ({each.share.correct:,} of {each.share.n:,})" for variant, each in same
        )
        yield (
            f"the answer is nearly always {letter} with {variants}: these accuracies reflect a bias toward {letter}, "
            "not reading"
        )


def _biases(summary: QaSummary) -> Iterable[str]:
    """Yield the letters that are chosen more often than they are right, unless one is given whatever is asked."""
    if not any(favourite.fixed for favourite in summary.favourites.values()):
        yield from letter_biases(f"in {_size(summary)}", summary.letters)


def _shown_effects(summary: QaSummary) -> Iterable[str]:
    """Yield, for each change, how often the interval of its effect excludes 0, and where the effect is largest."""
    for change, tried in grouped(summary.effects, lambda effect: effect.change).items():
        intervals = [(effect, *effect.paired.interval()) for effect in tried]
        if shown := [effect for effect, lo, hi in intervals if not lo <= 0 <= hi]:
            most = max(shown, key=lambda effect: abs(effect.paired.difference))
            where = f"{variant_name(most.before)}, needle at {position_name(most.depth)}"
            yield (
                f"with {change}, accuracy differs in {len(shown)} of {len(tried)} comparisons, most from {where}: "
                f"{most.paired}"
            )


UNREAD = "no <Answer> tag"
NO_ANSWER = 0.5
"""The share of replies without an <Answer> tag from which an accuracy is marked."""


def figure(cells: Sequence[CellSummary]) -> Iterator[RatePoint]:
    """Yield the first variant of each length by the needle's position, and all variants over all positions."""
    known = [name + pad for pad in ("", SCRATCHPAD) for name in EXAMPLES]
    for (length, more_of_it, version), alike in grouped(cells, _items).items():
        of = f" of {length:,} tokens{f' {more_of_it}' * bool(more_of_it)}{f' ({version})' * bool(version)}"
        about = tuple(filter(None, [more_of_it, version]))
        by_name = sorted(alike, key=lambda cell: known.index(_variant(cell)) if _variant(cell) in known else -1)
        variants = grouped(by_name, _variant)
        first, plain = next(iter(variants.items()))
        named = () if first == "none" else (variant_name(first),)
        for where, same in grouped(plain, _position).items():
            point = RatePoint.of(where, "", same, ", ".join([of, *named]))
            yield replace(point, at=length, counts="tokens", about=(*named, *about))
        for name, same in sorted(variants.items(), key=lambda each: _unread(each[1])) if len(variants) > 1 else ():
            examples, pad, _ = name.partition(SCRATCHPAD)
            facet = f"{of} ({UNREAD})" if _unread(same) else f" over positions{of}"
            yield replace(
                RatePoint.of(variant_name(name), "", same, facet),
                at=SHORT.get(examples, examples),
                counts="examples",
                own_row=pad.strip("_"),
                part=f"{length:,} tokens",
                about=(*([UNREAD] * _unread(same)), *about),
            )


def _items(cell: CellSummary) -> tuple[int, str, str]:
    """Return what distinguishes the collages of a cell: their length, what else they hold, and an earlier version."""
    more_of_it = held(cell.params)
    return _budget(cell), f"with {more_of_it}" * bool(more_of_it), earlier(cell.params).strip(" ()")


def _unread(cells: Sequence[CellSummary]) -> bool:
    """Return whether most of these replies have no answer that can be read."""
    return sum(cell.outcomes.get("unparseable", 0) for cell in cells) >= NO_ANSWER * sum(cell.rate.n for cell in cells)


BY = ("budget", "distractors", "questions", "letters")
REPORT = Report(by=BY, more=more, findings=findings, data=entry, entries="qa", figure=figure)
