"""The verdict of a gate in words: one line for a tired person, then the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Any

import pandas as pd

from longctx.gate.bands import BandVerdict
from longctx.gate.verdict import FamilyVerdict, RunVerdict
from longctx.report.document import Document
from longctx.report.table import Table

MOST = 8
"""Scenarios shown as having moved most."""
SAME = "same answers"
SAYS = {
    "pass": "no drop of {margin:.0%} or more, in any band",
    "regression": "a drop is shown",
    "inconclusive": "neither a drop nor its absence is shown",
    "invalid": "not measured enough to say",
}


def verdict_document(found: RunVerdict, baseline: str, changed: Sequence[str]) -> Document:
    return Document(
        title=f"Gate: {found.verdict} - {_why(found)}",
        notes=tuple(_notes(found, baseline, changed)),
        tables=tuple(_tables(found)),
    )


def _why(found: RunVerdict) -> str:
    """What decided, in half a line."""
    if found.verdict == "invalid":
        return "; ".join(found.reasons)
    if found.verdict == "regression":
        bands = [
            f"{family.family} {_signed(band.difference)} in {band.band.name}"
            for family in found.families
            for band in family.bands
            if band.verdict == "regression"
        ]
        further = [
            judged.says
            for family in found.families
            for judged in family.hypotheses
            if "regression" in (judged.verdict, judged.against_minimum)
        ]
        return "; ".join([*bands, *further])
    return SAYS[found.verdict].format(margin=found.rules.margin)


def _notes(found: RunVerdict, baseline: str, changed: Sequence[str]) -> Iterator[str]:
    yield f"Against the baseline {baseline}. Changed: {'; '.join(changed) or 'nothing that longctx knows of'}."
    yield from _method(found)
    bands = [band for one in found.families for band in one.bands]
    if same := [str(band.band) for band in bands if band.same_answers]:
        which = "every band" if len(same) == len(bands) else "; ".join(dict.fromkeys(same))
        yield f"The baseline's own recorded answers, replayed and judged the same: {which}."
    for one in found.families:
        yield from (f"{one.family}: {reason}." for reason in one.reasons)
        for band in one.bands:
            if band.within_margin:
                yield f"{band.band}: a drop of {-band.difference:.1%} is shown, and shown to be below the margin."
            if band.needed is not None and one.verdict == "inconclusive":
                yield f"{one.family}, {band.band.name}: about {band.needed:,} trials would settle it, not {band.n:,}."
        if sum(one.alone):
            yield (
                f"{one.family}: not paired, {one.alone[0]:,} trials of the baseline alone and {one.alone[1]:,} of this "
                "run alone."
            )
        if one.mismatched:
            yield (
                f"{one.family}: {one.mismatched:,} trials ask something else than in the baseline, and are not paired."
            )
        if one.missing and not one.reasons:
            yield f"{one.family}: {one.missing:,} of {one.asked:,} trials were not measured; they change nothing."
    for which, left in zip(("the baseline", "this run"), found.left, strict=True):
        for family, subject in left:
            yield f"{family} of {subject} is in {which} only, and is not judged."


def _method(found: RunVerdict) -> Iterator[str]:
    if found.left_out:
        yield (
            f"Stopped early: {found.shown_after}. Bounds and p are of evidence that holds whenever a run is stopped "
            "(longctx's guide docs/early-stop.md)."
        )
    test = "a bet on the trials that changed" if found.left_out else "an exact test"
    yield (
        f"A band passes where the upper bound of the drop ({100 * (1 - found.alpha):g}%, one-sided) is below "
        f"{found.rules.margin:.0%}; a drop is shown by {test}, Holm over all bands, at {found.alpha:g}."
    )
    if found.rules.early_stop:
        other = "a test at its end would have had" if found.left_out else "the looks for an early stop had"
        yield f"That is a part of the alpha of {found.rules.alpha:g}: {other} the rest."


def _tables(found: RunVerdict) -> Iterator[Table]:
    if bands := _bands(found):
        yield Table("By family and band of lengths", _frame(bands, "family"))
    further: dict[str, list[Mapping[str, str]]] = {}
    for judged in (judged for family in found.families for judged in family.hypotheses):
        further.setdefault(judged.table, []).append(judged.cells)
    for title, rows in further.items():
        yield Table(title, _frame(rows, next(iter(rows[0]))))
    yield from _moved(found)


def _moved(found: RunVerdict) -> Iterator[Table]:
    """The scenarios that moved most, with intervals that hold for all there are together (Bonferroni)."""
    scenarios = [(family, name, paired) for family in found.families for name, paired in family.scenarios]
    moved = sorted(
        (scenario for scenario in scenarios if scenario[2].difference),
        key=lambda one: abs(one[2].difference),
        reverse=True,
    )
    if not moved:
        return
    z = NormalDist().inv_cdf(1 - 0.05 / (2 * len(scenarios)))
    rows = [
        {
            "scenario": f"{one.family}/{name}",
            **_of(found, one),
            "difference": _signed(paired.difference),
            "interval": "[{:+.2f}, {:+.2f}]".format(*paired.interval(z)),
            "n": f"{paired.n:,}",
        }
        for one, name, paired in moved[:MOST]
    ]
    title = (
        f"Scenarios that moved most, {len(rows):,} of {len(scenarios):,}, to look at first: the verdict rests on what "
        f"stands above; the 95% intervals hold for all {len(scenarios):,} together"
    )
    yield Table(title, _frame(rows, "scenario"))


def _bands(found: RunVerdict) -> list[dict[str, Any]]:
    rows = []
    for family in found.families:
        subject = _of(found, family)
        rows += [{"family": family.family, **subject, **_band(band)} for band in family.bands]
        if family.verdict == "invalid":
            rows.append({"family": family.family, **subject, "band": "all", "verdict": "invalid"})
    return rows


def _of(found: RunVerdict, one: FamilyVerdict) -> dict[str, str]:
    """Whose verdict it is, where there are several."""
    return {"of": str(one.after)} if len({family.after for family in found.families}) > 1 else {}


def _band(one: BandVerdict) -> dict[str, str]:
    return {
        "band": one.band.name,
        "verdict": one.verdict,
        "difference": _signed(one.difference),
        "bound of drop": SAME if one.same_answers else f"{one.bound:.3f}",
        "p": f"{one.p_value:.2g}",
        "lost": f"{one.lost:,}",
        "gained": f"{one.gained:,}",
        "n": f"{one.n:,}" + (f" in {one.clusters:,} clusters" if one.clusters != one.n else ""),
    }


def _frame(rows: Sequence[Mapping[str, Any]], index: str) -> pd.DataFrame:
    return pd.DataFrame(rows).fillna("").set_index(index)


def _signed(difference: float) -> str:
    return f"{difference:+.3f}"
