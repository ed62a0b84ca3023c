"""The reasons why a run is invalid: it measured too little, or not what was to be judged."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from longctx.compare.pairs import Treatments, guessing_of, pairs
from longctx.gate.cases import Retired, vanished_sentence
from longctx.gate.evidence import MOST_MISSING
from longctx.gate.rules import MAX_AGE_DAYS
from longctx.results.row import EARLY_STOP, grouped
from longctx.stats.rates import Rate, design_effect, wilson
from longctx.vocabulary.point import is_check, name_of_test

if TYPE_CHECKING:
    from longctx.compare.pairs import Matched, TrialPairs, Unmatched
    from longctx.gate.cases import Vanished
    from longctx.gate.evidence import Evidence
    from longctx.results.row import Row, Subject
    from longctx.vocabulary.declaration import Protocol

NONE_GATED = "the run has no cell that a gate judges: its profile excludes all of them"
UNREADABLE = "unparseable", "truncated"
"""The outcomes of replies that could not be read, or were cut off before their answer."""
NAMED = 3
"""The most cells that a reason names."""
Z_ONE_SIDED = 1.6448536269514722
"""The 95% quantile of the normal distribution."""


@dataclass(frozen=True, slots=True)
class AgeLimit:
    """The age limit for recordings of a changed model."""

    now: str = ""
    """The end of the run in ISO 8601."""
    most_days: float = MAX_AGE_DAYS
    """Recordings of this age or older are not accepted."""

    def days(self, recorded_at: str) -> float:
        """Return the age of a recording in days; infinite if it is not known.

        recorded_at: in ISO 8601; UTC if it names no time zone.
        """
        try:
            moments = [datetime.datetime.fromisoformat(moment) for moment in (self.now, recorded_at)]
        except ValueError:
            return math.inf
        now, then = (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC) for moment in moments)
        return (now - then) / datetime.timedelta(days=1)


def why_run_is_invalid(left_out: int, empty: int, asked: int, in_common: int = 0) -> Iterator[str]:
    """Yield the reasons why a whole run is invalid.

    left_out: the number of the grid's cells that it left out. empty: the number without a question. asked: the
    number of pairs that the baseline measured. in_common: the number of pairs, measured or not.
    """
    if left_out:
        yield (
            f"the run leaves out {left_out:,} of the grid's cells: a verdict needs the whole grid, without -k, -x, "
            "--lf and --ctx-only"
        )
    if empty:
        yield f"{empty:,} of the grid's cells have no question"
    if not asked and in_common:
        yield f"nothing was measured: the baseline has no answer to any of the {in_common:,} trials in common"
    elif not asked:
        yield "the run and its baseline have no trial in common: their seed, their cells or their questions differ"


def cells_not_judged(
    matched: Sequence[Matched], only_before: Unmatched, after: Sequence[Row], known: Mapping[str, Protocol]
) -> Iterator[str]:
    """Yield a sentence, without its full stop, if the run does not judge cells that its baseline judges.

    It is the same however they were lost: a test, a table or a model was removed, or the profile leaves them out of the
    gate. A cell that is compared with one at another parameter is judged. A check is lost where its trial was right,
    which it can only be after all of its checks. only_before: the baseline's rows without a counterpart.
    """
    right = {(row.test, row.cell) for row in after if row.correct}
    not_judged: set[tuple[str, str, str]] = set()
    number = 0
    for test, subject, was, now in _gated_cells(matched, only_before, known):
        number += len(was)
        lost = {(test, cell) for cell in was - now}
        if is_check(test):
            lost = {(test, cell) for _, cell in lost if (name_of_test(test), cell) in right}
        not_judged |= {(*cell, str(subject)) for cell in lost}
    if not_judged:
        several = len({subject for *_, subject in not_judged}) > 1
        cells = [f"{test}/{cell}{f' of {subject}' if several else ''}" for test, cell, subject in sorted(not_judged)]
        yield (
            f"the run does not judge {len(not_judged):,} of the {number:,} cells that its baseline judges "
            f"({', '.join(cells[:NAMED])}{' …' if len(cells) > NAMED else ''}): run them all, without -k, -x and --lf, "
            "and do not leave them out of the gate, or save a baseline without them"
        )


def _gated_cells(
    matched: Sequence[Matched], only_before: Unmatched, known: Mapping[str, Protocol]
) -> Iterator[tuple[str, Subject, set[str], set[str]]]:
    """Yield the cells that the baseline judges of each test and subject, and those that the run judges."""
    for match in matched:
        was, now = ({row.cell for row in rows if row.band is not None} for rows in match.rows)
        if was - now:
            across = pairs(*match.rows, Treatments.of(known.get(match.test))).across
            now = now | {cells.before for cells in across if cells.after in now}
        yield match.test, match.before, was, now
    for (test, subject), rows in only_before.items():
        yield test, subject, {row.cell for row in rows if row.band is not None}, set()


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


def nothing_to_lose(baseline: Sequence[Row], guessing: float, margin: float) -> str:
    """Return why a band cannot pass whatever the run answers, without a full stop; empty if it can.

    baseline: its measured rows of the band. guessing: the accuracy that guessing reaches, or 0. The baseline's must
    exceed that significantly by more than the margin (95%, one-sided), with trials counted at their effective number,
    and its replies must not be significantly more often unreadable than not.
    """
    if not (n := len(baseline)):
        return ""
    unreadable = sum(row.outcome in UNREADABLE for row in baseline)
    least_unreadable, _ = wilson(unreadable, n, Z_ONE_SIDED)
    if least_unreadable > 0.5:
        return (
            f"{unreadable:,} of the baseline's {n:,} replies are unreadable or cut off, so its accuracy measures "
            "their format"
        )
    rate = Rate(sum(row.credit for row in baseline), n)
    deff = design_effect(
        [[row.credit for row in rows] for rows in grouped(baseline, lambda row: row.cluster_key).values()]
    )
    least, _ = wilson(rate.correct / deff, n / deff, Z_ONE_SIDED)
    if least > guessing + margin:
        return ""
    floor = f"guessing, {guessing:.2f}," if guessing else "0"
    return (
        f"the baseline has nothing to lose: its accuracy {rate} does not significantly exceed {floor} by more than "
        f"{margin:.1%}"
    )


def vacuous_bands(rows: Sequence[Row], known: Mapping[str, Protocol], margin: float) -> Iterator[str]:
    """Yield a sentence, without its full stop, for each band of a baseline that no run can pass."""
    judged = [row for row in rows if row.measured and row.band is not None]
    for (test, subject, band), of_band in grouped(judged, lambda row: (row.test, row.subject, row.band)).items():
        if why := nothing_to_lose(of_band, guessing_of(known.get(test), of_band), margin):
            yield f"{test} of {subject}, {band}: {why}"


def too_old(before: Sequence[Row], after: Sequence[Row], age: AgeLimit) -> str:
    """Return why the recordings are too old for a changed model; empty if it is unchanged, or they are young enough."""
    if models_of(before) == models_of(after):
        return ""
    days = [age.days(str(row.recorded_at)) for row in after if row.source == "replayed" and row.measured]
    old = [day for day in days if day >= age.most_days]
    if not old:
        return ""
    return (
        f"the model has changed, and {len(old):,} of {len(after):,} answers are recordings of up to "
        f"{max(old):.0f} days ago, where {age.most_days:g} are allowed (max_age): record again with --ctx-record all"
    )


def models_of(rows: Sequence[Row]) -> set[tuple[str, str]]:
    """Return pairs of a model that was requested and a model that answered: an alias may have moved."""
    return {(row.model, returned) for row in rows if row.measured for returned in str(row.model_returned).split(", ")}


def _short(cause: str) -> str:
    """Return a cause, cut to 60 characters."""
    return cause if len(cause) <= 60 else f"{cause[:59]}…"
