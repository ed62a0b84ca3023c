"""The last line of a gated run: its verdict, the bands concerned, and the exit status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longctx.text import count

if TYPE_CHECKING:
    from longctx.gate.bands import BandVerdict
    from longctx.gate.verdict import RunVerdict

WHOLE_RUN = "INVALID in the whole run"
"""The headline of a run that measured nothing."""


def headline(verdict: RunVerdict) -> str:
    """Return the verdict, in how many bands it was given, and the cells that are in none.

    Such as `REGRESSION in 2 of 2 bands, 3 cells not gated`.
    """
    bands = [(test, band) for test in verdict.tests for band in test.bands]
    given = sum(verdict.verdict in (band.verdict, test.reasons and test.verdict) for test, band in bands)
    if given:
        where = f"{given:,} of {count(len(bands), 'band')}"
    elif (
        (run := verdict.run) and run.verdict == verdict.verdict and (verdict.stated_run or run.verdict == "regression")
    ):
        where = "all bands together"
    elif any(test.missed for test in verdict.tests):
        where = "a stated minimum"
    elif any(limit.status == verdict.verdict for limit in verdict.limits):
        where = "a stated limit of growth"
    else:
        where = "the whole run"
    left_out = f", {count(verdict.cells_not_gated, 'cell')} not gated" if verdict.cells_not_gated else ""
    return f"{verdict.verdict.upper()} in {where}{left_out}"


def why_each_band_fails(verdict: RunVerdict) -> dict[str, str]:
    """Return what each band that does not pass failed at, by its name, after the reasons of the whole run."""
    failed = {"the whole run": "; ".join(verdict.reasons)} if verdict.reasons else {}
    if verdict.is_no_verdict:
        return failed
    if (run := verdict.stated_run) and run.verdict != "pass":
        failed["all bands together"] = _failure(run, ())
    for test in verdict.tests:
        for band in test.bands:
            if band.verdict != "pass" or test.reasons:
                which = f"{band.band.test}, {band.band.name}"
                name = f"{which} [{band.band.subject}]" if band.band.subject else which
                failed[name] = _failure(band, test.reasons)
    return failed


def _failure(band: BandVerdict, reasons: Sequence[str]) -> str:
    from longctx.report.usage_table import trials

    if band.reason or reasons:
        return f"invalid: {band.reason or '; '.join(reasons)}"
    return (
        f"{band.verdict}: {trials(band.lost)} of {band.n:,} lost, {trials(band.gained)} gained; "
        f"bound of the drop {band.bound:.3f}, {band.tested}"
    )


def last_line(headline: str, status: int) -> str:
    return f"GATE: {headline} (exit {status})"
