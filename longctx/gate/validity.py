"""The reasons why a run is invalid as a whole, or measured too little."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from longctx.gate.cases import Retired, vanished_sentence
from longctx.gate.evidence import MOST_MISSING
from longctx.results.row import EARLY_STOP

if TYPE_CHECKING:
    from longctx.compare.pairs import TrialPairs
    from longctx.gate.cases import Vanished
    from longctx.gate.evidence import Evidence

NONE_GATED = "the run has no cell that a gate judges: its profile excludes all of them"


def why_run_is_invalid(left_out: int, empty: int, asked: int, in_common: int = 0, cells: int = 0) -> Iterator[str]:
    """Yield the reasons why a whole run is invalid.

    left_out: the number of the grid's cells that it left out. empty: the number without a question. asked: the
    number of pairs that the baseline measured. in_common: the number of pairs, measured or not. cells: the number of
    the grid's cells; 0 if it is not known.
    """
    if left_out:
        of_all = f"{cells:,}" if cells else "the grid's"
        yield (
            f"{left_out:,} of {of_all} cells {'was' if left_out == 1 else 'were'} left out (-k, -x, --lf, --ctx-only): "
            "run all"
        )
    if empty:
        yield f"{empty:,} of the grid's cells have no question"
    if not asked and in_common:
        yield f"nothing was measured: the baseline has no answer to any of the {in_common:,} trials in common"
    elif not asked:
        yield "the run and its baseline have no trial in common: their seed, their cells or their questions differ"


def unmeasured(
    pairs: TrialPairs, bands: Mapping[str, Evidence], gone: Sequence[Vanished] = (), retired: Retired | None = None
) -> Iterator[str]:
    """Yield a sentence, without its full stop, for each way in which too many trials are missing.

    gone: the trials that the run lacks. retired: the retired cases, to say which of them do not count yet.
    """
    causes = Counter(row.error for row in pairs.after.values() if row.error and row.error != EARLY_STOP)
    if stale := causes["stale"]:
        yield (
            f"{stale:,} trials have only stale recordings, of another wording or request: record them with "
            "--ctx-record new_episodes"
        )
    asked, missing = (sum(getattr(band, name) for band in bands.values()) for name in ("asked", "missing"))
    too_many = missing > MOST_MISSING["test"] * asked
    if gone and (too_many or any(band.missing > MOST_MISSING["band"] * band.asked for band in bands.values())):
        yield vanished_sentence(gone, asked, retired or Retired())
    if too_many and missing > (lost := sum(trial.answers for trial in gone)):
        causes["not in this run"] += lost
        why = ", ".join(f"{number:,} {_short(cause)}" for cause, number in causes.most_common(3) if number)
        yield f"{missing:,} of {asked:,} trials were not measured ({why or 'no cause was recorded'})"
    for name, band in bands.items():
        if band.missing > MOST_MISSING["band"] * band.asked:
            yield f"{band.missing:,} of {band.asked:,} trials of the band {name} were not measured"


def _short(cause: str) -> str:
    """Return a cause, cut to 60 characters."""
    return cause if len(cause) <= 60 else f"{cause[:59]}…"
