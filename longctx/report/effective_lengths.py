"""What a parameter costs within one run, and how far each curve of lengths reaches, in tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from longctx.compare.across import SHARE, Curve
from longctx.report.default_views import value_text
from longctx.report.document import Document
from longctx.stats.paired import with_interval
from longctx.text import count
from longctx.views.chart import Table


def across_document(curves: Sequence[Curve], parameter: str, about: Sequence[str], share: float) -> Document:
    """Return what a parameter costs in one run. about: a sentence on the run."""
    tables = [*map(_table, curves), *effective_lengths(curves, share)]
    return Document(f"Across {parameter}", (*about, *_notes_of_curves(curves)), tuple(tables))


def effective_lengths(curves: Sequence[Curve], share: float = SHARE) -> Iterator[Table]:
    """Yield a table of the effective length of each curve of lengths, if there are any."""
    rows = [_effective(curve) for curve in _of_lengths(curves)]
    if rows:
        yield Table.from_rows(
            f"Effective length: longest length up to which the accuracy is significantly at least {share:.0%} of that "
            "at the shortest length",
            rows,
        )


def effective_lengths_data(curves: Sequence[Curve]) -> Iterator[dict[str, Any]]:
    """Yield the entries of summary.json: None where the rate at the shortest is not shown to exceed guessing."""
    for curve in _of_lengths(curves):
        shown, observed, most, open_end = curve.effective
        yield {
            "test": curve.test,
            **curve.subject.fields,
            "parameter": curve.parameter,
            "share": SHARE,
            "shortest": curve.first,
            "shortest_correct": curve.rate.correct,
            "shortest_n": curve.rate.n,
            "effective": shown if curve.can_fall else None,
            "observed": observed if curve.can_fall else None,
            "at_most": most if curve.can_fall and not open_end else None,
        }


def _of_lengths(curves: Sequence[Curve]) -> list[Curve]:
    return [curve for curve in curves if isinstance(curve.first, int | float)]


def _effective(curve: Curve) -> dict[str, str]:
    shown, observed, most, open_end = curve.effective
    known = {
        "effective length": value_text(shown),
        "as observed": value_text(observed),
        "95% interval": f"[{value_text(shown)}, {value_text(most)}{' or more' if open_end else ''}]",
    }
    unknown = dict.fromkeys(known, "not known: the accuracy at the shortest does not significantly exceed guessing")
    return {
        "test": curve.test,
        "of": str(curve.subject),
        "measured in": curve.parameter,
        "rate at the shortest": f"{value_text(curve.first)}: {curve.rate}",
        **(known if curve.can_fall else {**unknown, "as observed": "", "95% interval": ""}),
    }


def _table(curve: Curve) -> Table:
    rows = [{curve.parameter: value_text(curve.first), "accuracy": str(curve.rate), "difference": ""}]
    rows += [
        {
            curve.parameter: value_text(step.value),
            "accuracy": str(step.rate),
            "difference": with_interval(step.difference, step.interval),
        }
        for step in curve.steps
    ]
    how = "on the same items" if curve.paired else "unpaired, since the items do not correspond"
    title = f"{curve.test}, {curve.subject}: difference to {curve.parameter} {value_text(curve.first)}, {how}"
    return Table.from_rows(title, rows)


def _notes_of_curves(curves: Sequence[Curve]) -> Iterator[str]:
    for curve in curves:
        if curve.left_out:
            yield (
                f"{curve.test} of {curve.subject}: {count(curve.left_out, 'trial')} with other parameters, which are "
                f"not measured with every value of {curve.parameter}, are left out."
            )
        if curve.pooled:
            yield (
                f"{curve.test} of {curve.subject}: no combination of the other parameters is measured with every "
                f"value of {curve.parameter}, so rates are over all of them."
            )
