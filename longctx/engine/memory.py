"""What a gate remembers of earlier runs of its change, by the project's verdicts and recordings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import longctx
from longctx import clocks
from longctx.compare.pairs import item_key
from longctx.engine.places import file_of, trial_of
from longctx.engine.terms import with_other_hypotheses
from longctx.errors import UserError
from longctx.gate.memory import (
    LATER,
    Memory,
    Now,
    accuracies,
    bands_of,
    body_of,
    earlier_rows,
    judged_answers,
    runs_by_recordings,
)
from longctx.gate.verdict import Rules, RunVerdict, give_verdict
from longctx.recording.request import digest_of
from longctx.results.answer_groups import with_answers
from longctx.results.verdicts import SHORT, JudgedRun, JudgedRuns, append_verdict, read_verdicts
from longctx.vocabulary.looks import AT_ONCE
from longctx.vocabulary.point import is_check

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.engine.run_data import RunData
    from longctx.recording.tape import FirstRequest, Tape
    from longctx.results.baseline_file import Baseline
    from longctx.results.row import Row
    from longctx.vocabulary.declaration import Protocol


@dataclass(frozen=True, slots=True)
class Past:
    """Where a run's past is."""

    tape: Tape
    """All recordings, of all runs."""
    cassettes: Path
    fresh: str = ""
    """Why the user begins a new body of evidence; empty if they do not."""

    def first_request(self, row: Row) -> str:
        """Return the digest of the first request of a row's trial."""
        sent = [of for of in self._sent(row) if of.recorded_at <= (row.recorded_at or "")]
        own = row.prompt_sha256 or ""
        if not sent or any(of.sha256 == own for of in sent):
            return own
        return max(sent, key=lambda of: of.recorded_at).sha256

    def times(self, row: Row) -> Collection[str]:
        """Return when the answers to that request were recorded."""
        first = self.first_request(row)
        return {of.recorded_at for of in self._sent(row) if of.sha256 == first}

    def _sent(self, row: Row) -> Sequence[FirstRequest]:
        return self.tape.first_requests(file_of(row), row.model, trial_of(row))


@dataclass(frozen=True, slots=True)
class Remembered:
    """The verdict on a run, and the line that later runs of its change know it by."""

    verdict: RunVerdict
    line: JudgedRun | None
    """None if nothing was sent, or if an earlier line has all of its answers."""
    notes: Sequence[str] = ()


def remembered(
    baseline: Baseline, run: str, rows: Sequence[Row], terms: Rules, past: Past, known: Mapping[str, Protocol]
) -> Remembered:
    """Judge a run together with the earlier runs of its change. run: its name. known: the tests by name."""
    terms = replace(terms, next_alpha=terms.alpha / LATER)
    alone = judged_against(baseline, rows, terms, known)
    live = any(row.source == "live" for row in rows)
    judged = read_verdicts(past.cassettes, clocks.stamp())
    try:
        sent = judged_answers(baseline.rows, rows, past.first_request, known)
    except UserError:  # the verdict says so, too
        return Remembered(alone, None)
    now = Now(baseline.name, subjects_of(rows), servers_of(rows), models_returned(rows), past.fresh)
    body = body_of(sent, judged.runs, now)
    level = terms.alpha
    k = 1 + len(body.runs)
    if not body.fresh and not body.own:
        k = max(k, runs_by_recordings(sent, past.times, max(body.since, baseline.saved_at)))
    elif body.own:
        k = max(k, body.own.k)
    earlier = [] if terms.labels else earlier_rows(sent, body)  # labels are of this run's answers alone
    memory = Memory(
        k,
        level / LATER if k > 1 else level,
        body,
        sum(not is_check(row.test) for row in (*(row for _, row in earlier), *(each.row for each in sent))),
        len({(each.band, item_key(each.row)) for each in sent if not is_check(each.row.test)}),
        accuracies(earlier, sent, body),
        alone.verdict,
        alone.verdict,
        live=live,
        known=judged.exists and not judged.refused,
    )
    verdict = replace(alone, memory=memory)
    if k > 1 and alone.verdict != "invalid" and not _unchanged(alone):
        later = replace(terms, alpha=memory.level, looks=AT_ONCE, subset=True)  # what is gone counts in `alone`
        pooled = judged_against(baseline, [*rows, *(row for _, row in earlier)], later, known)
        verdict = pooled.after(alone, memory)
    line = None
    verdicts = {str(band.band): band.verdict for band in alone.bands}
    bands = bands_of(sent, judged.runs, verdicts, alone.verdict) if live else {}
    if bands:
        trials = [row for row in rows if not is_check(row.test)]
        line = JudgedRun(
            run=run,
            at=clocks.stamp(),
            version=longctx.__version__,
            baseline=now.baseline,
            subject=now.subject,
            server=now.server,
            model_returned=now.model_returned,
            k=k,
            level=memory.level,
            asked=sum(row.source == "live" for row in trials),
            of=len(trials),
            verdict=verdict.verdict,
            fresh=past.fresh,
            bands=bands,
        )
    notes = [*([judged.refused] if judged.refused else []), *(verdict.memory.sentences if verdict.memory else [])]
    return Remembered(verdict, line, notes)


def judged_against(
    baseline: Baseline,
    rows: Sequence[Row],
    terms: Rules,
    known: Mapping[str, Protocol] | None = None,
    guessing: float = 0.0,
) -> RunVerdict:
    """Judge rows against a baseline, and against its anchor if it has one. Holm's correction counts both together.

    guessing: see `give_verdict`.
    """
    own, anchor = with_answers(rows), baseline.anchor
    verdict = give_verdict(baseline.rows, own, with_other_hypotheses(terms, anchor), known, guessing)
    if anchor is None:
        return verdict
    return verdict.with_anchor(
        give_verdict(anchor.rows, own, replace(with_other_hypotheses(terms, baseline), subset=True), known, guessing),
        anchor.saved_at,
    )


def keep(remembered: Remembered, cassettes: Path) -> str:
    """Write the line of a run; return a warning if that fails."""
    if remembered.line is None:
        return ""
    try:
        append_verdict(cassettes, remembered.line)
    except OSError as error:
        return f"The verdict could not be kept, so later runs will not know of this one: {error}."
    return ""


def subjects_of(rows: Iterable[Row]) -> str:
    return "; ".join(sorted({str(row.subject) for row in rows}))


def servers_of(rows: Iterable[Row]) -> str:
    return ", ".join(sorted({row.server for row in rows if row.server}))


def models_returned(rows: Iterable[Row]) -> str:
    return ", ".join(sorted({str(row.model_returned) for row in rows if row.measured}))


def _unchanged(verdict: RunVerdict) -> bool:
    """Return whether the run replays the baseline's own answers in all bands."""
    return bool(verdict.bands) and all(band.same_answers for band in verdict.bands)


def open_requests(run: RunData) -> set[str]:
    """Return the first requests of changes that are judged against the run's baseline and have not passed."""
    baseline = run.plan.baseline
    if baseline is None or run.settings.fresh:
        return set()
    judged: JudgedRuns = read_verdicts(run.workspace.cassettes, clocks.stamp())
    found: set[str] = set()
    for line in judged.runs:
        if line.baseline == baseline.name:
            judged_requests = {request for band in line.bands.values() for request in band.requests}
            found = found - judged_requests if line.verdict == "pass" else found | judged_requests
    return found


def is_settled(tape: Tape, cells: Iterable[Cell]) -> bool:
    """Return whether a gate was settled without some of these trials, and they are not all sent again."""
    return not tape.asks_anew and any(
        tape.left_out(trial) for cell in cells if cell.size for trial in cell.each_trial()
    )


def continues(run: RunData, digests: Iterable[str]) -> bool:
    """Return whether any of these first requests belongs to a change that has not passed; it is then sent whole."""
    requests = open_requests(run)
    return bool(requests) and any(digest[:SHORT] in requests for digest in digests)


def first_requests(cells: Iterable[Cell]) -> Iterator[str]:
    """Yield the digests of the requests of cells of protocols."""
    for cell in cells:
        if cell.size:
            fitted = cell.fitted()
            for trial in fitted.each_trial():
                yield digest_of(trial.build(), cell.model)
