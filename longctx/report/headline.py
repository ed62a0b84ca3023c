"""The last line of a gated run: its verdict, where that holds, and the exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from longctx.plural import count

if TYPE_CHECKING:
    from longctx.gate.verdict import RunVerdict

WHOLE_RUN = "INVALID in the whole run"
"""Of a run that measured nothing."""


def headline(verdict: RunVerdict) -> str:
    """Return the verdict and in how many bands it was given, such as `REGRESSION in 2 of 2 bands`."""
    bands = [(family, band) for family in verdict.families for band in family.bands]
    given = sum(verdict.verdict in (band.verdict, family.reasons and family.verdict) for family, band in bands)
    if given:
        where = f"{given:,} of {count(len(bands), 'band')}"
    elif verdict.verdict == "regression" and verdict.run and verdict.run.verdict == "regression":
        where = "all bands together"
    elif any(family.missed for family in verdict.families):
        where = "a stated minimum"
    elif any(limit.status == verdict.verdict for limit in verdict.limits):
        where = "a stated limit of growth"
    else:
        where = "the whole run"
    return f"{verdict.verdict.upper()} in {where}"


def last_line(headline: str, status: int) -> str:
    return f"GATE: {headline} (exit {status})"
