"""The reasons why a run will be invalid whatever the answers: they are known before anything is asked and paid for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from longctx.compare.pairs import Treatments, match_runs, pairs
from longctx.errors import UserError
from longctx.gate.cases import vanished, without_retired
from longctx.gate.coverage import cells_not_judged
from longctx.gate.evidence import by_band, with_bands_of
from longctx.gate.recording_age import models_of
from longctx.gate.validity import NONE_GATED, unmeasured, why_run_is_invalid
from longctx.gate.verdict import Rules
from longctx.registry import shipped
from longctx.results.row import Row
from longctx.vocabulary.declaration import Protocol


def invalid_in_advance(
    before: Sequence[Row],
    after: Sequence[Row],
    rules: Rules,
    part: bool = False,
    tests: Mapping[str, Protocol] | None = None,
) -> list[str]:
    """Return the reasons why the verdict can only be invalid, each a sentence without its full stop.

    before: the baseline's rows. after: the run's rows in the best case, with everything answered that will be sent;
    their `model_returned` is None, because the model that will answer is not known. part: these are the rows of one
    shard, so that only reasons count that hold whatever the other shards measure. tests: the known ones, by default
    those of longctx.
    """
    try:
        after = with_bands_of(before, after) if rules.of_base else after
        before, _ = without_retired(before, after, rules.retired)
        matched, (only_before, _) = match_runs(before, after)
    except UserError as error:
        return [*why_run_is_invalid(rules.left_out, rules.empty, 1, cells=rules.cells)] if part else [error.reason]
    gated = [match for match in matched if match.is_gated]
    if matched and not gated:
        return [*why_run_is_invalid(rules.left_out, rules.empty, 1, cells=rules.cells), NONE_GATED]
    known = shipped() if tests is None else tests
    in_common = 0
    reasons: list[str] = []
    for match in gated:
        rows_before, rows_after = match.rows
        paired = pairs(rows_before, rows_after, Treatments.of(known.get(match.test)))
        gone = () if part or rules.is_part else tuple(vanished(paired))
        bands = by_band(paired, gone)
        in_common += sum(evidence.asked for evidence in bands.values()) - sum(trial.answers for trial in gone)
        missing = "" if part else next(unmeasured(paired, bands, gone, rules.retired), "")
        too_old = rules.age.too_old(rows_before, _at_best(rows_before, rows_after)) if rules.age else ""
        faults = [missing, too_old]
        reasons += [f"{match.test}: {reason}" for reason in faults if reason]
    excused = part or rules.left_out or rules.other_profile
    # Which checks a trial reaches is not known before it is asked.
    not_judged = cells_not_judged(matched, only_before, (), known) if in_common and not excused else ()
    own = reasons if in_common or part else []
    return [*why_run_is_invalid(rules.left_out, rules.empty, in_common or part, cells=rules.cells), *not_judged, *own]


def _at_best(before: Sequence[Row], after: Sequence[Row]) -> list[Row]:
    """Return the run's rows as if the models that answered the baseline gave the answers that are still to come."""
    known = models_of(before)
    answered_by = {
        asked: ", ".join(sorted(returned for name, returned in known if name == asked))
        for asked in {row.model for row in after}
    }
    return [
        row if row.model_returned is not None else replace(row, model_returned=answered_by[row.model]) for row in after
    ]
