"""Runs of test functions: what asking them would cost, which trials a gate left out, and what is measured of them.

function_pass.py asks them.
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from longctx.cells.cell import Cell, Trial
from longctx.engine.early_stop import InterimLooks, left_out_by
from longctx.engine.loads import SubjectBand, band_of
from longctx.engine.measure import MeasuredCell, Measurer
from longctx.engine.preflight import cannot_pass, target_of
from longctx.errors import TapeError, UserError
from longctx.functions.asking import TrialFilter
from longctx.functions.estimating import FunctionEstimates
from longctx.functions.function_run import FunctionRun, Functions
from longctx.functions.measure import Result, RunOnce, TrialOf, ended, run_trial
from longctx.functions.trial import FunctionTrial
from longctx.gate.power import Load
from longctx.live.batches.ledger import Ledger
from longctx.live.cost.estimate import Estimates, total_price
from longctx.live.estimating import with_estimated_counts
from longctx.recording.tape import Tape
from longctx.recording.trials import Judged, TrialEnd, Waiting

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.engine.run_data import RunData


class ReplayingRun(FunctionRun):
    """Notes the cells of all functions, and how their recorded trials end; it sends no request."""

    def __init__(self, tape: Tape, part: TrialFilter) -> None:
        super().__init__(tape)
        self.cells: list[Cell] = []
        self._part = part

    def run_cell(self, cell: Cell, trial_of: TrialOf, start: RunOnce) -> None:
        self.cells.append(cell)
        for trial in cell.each_trial():
            if self.tape.has_trial(trial):
                running = trial_of(trial)
                with contextlib.suppress(TapeError):  # the test itself reports it
                    self._part.note(running, start(running))


class MeasuringRun(FunctionRun):
    """Measures the cells of test functions from what is recorded."""

    def __init__(self, run: RunData, tape: Tape) -> None:
        super().__init__(tape)
        self.cells: list[MeasuredCell] = []
        self._measurer = Measurer(run, tape)

    def fitted(self, cell: Cell) -> Cell:
        return cell

    def run_cell(self, cell: Cell, trial_of: TrialOf, start: RunOnce) -> None:
        run = functools.partial(run_trial, trial_of, start)
        self.cells.append(self._measurer.measure(cell, self.test, run))


class ShowingRun(FunctionRun):
    """Runs a trial of one cell against what is recorded, to show what it sends."""

    def __init__(self, tape: Tape, slug: str) -> None:
        """slug: the name of the cell's parameters. The settings of the run name the trial."""
        super().__init__(tape)
        self.slugs: list[str] = []
        """The names of the parameters of all cells."""
        self.shown: tuple[FunctionTrial, Result] | None = None
        """None if there is no such cell, or if `mistake` states why it cannot be shown."""
        self.mistake: UserError | None = None
        self._slug = slug

    def fitted(self, cell: Cell) -> Cell | None:
        self.slugs.append(cell.point.slug)
        if self.shown is not None or cell.point.slug != self._slug:
            return None
        try:
            return super().fitted(with_estimated_counts(cell))
        except UserError as mistake:
            self.mistake = mistake
            return None

    def run_cell(self, cell: Cell, trial_of: TrialOf, start: RunOnce) -> None:
        running = trial_of(next(iter(cell.each_trial())))
        self.shown = running, start(running)


class FirstRequestsRun(FunctionRun):
    """Notes the digest of the first request of each trial, whatever is recorded; it sends none."""

    def __init__(self, run: RunData) -> None:
        super().__init__(run.tape("all"))
        self.digests: list[str] = []

    def run_cell(self, cell: Cell, trial_of: TrialOf, start: RunOnce) -> None:
        for trial in cell.each_trial():
            running = trial_of(trial)
            first = FunctionTrial(trial, self.tape, running.judge, running.strategy)
            start(first)
            self.digests += [request.place.sha256 for request in first.unanswered[:1]]


class EstimatingRun(FunctionRun):
    """Takes the first requests that each cell lacks, estimates later ones from recorded trials, and sends nothing."""

    def __init__(self, tape: Tape, recorded: Tape, counted: bool) -> None:
        """recorded: replays what is recorded, whatever the record mode. counted: whether the server was asked to count
        the probes of functions, whose tokens are estimated otherwise.
        """
        super().__init__(tape)
        self._counted = counted
        self.estimates = FunctionEstimates()
        self.held = 0
        self._recorded = recorded
        self._claimed = {place for batch in Ledger(tape.written_to).open() for place in batch.places}

    def fitted(self, cell: Cell) -> Cell | None:
        return super().fitted(cell if self._counted else with_estimated_counts(cell))

    def estimates_of(self, cell: Cell) -> FunctionEstimates:
        """Return the estimates that a cell is part of."""
        return self.estimates

    def run_cell(self, cell: Cell, trial_of: TrialOf, start: RunOnce) -> None:
        estimates = self.estimates_of(cell)
        estimates.add_cell(cell)
        for trial in cell.each_trial():
            running = trial_of(trial)
            replayed = FunctionTrial(trial, self._recorded, running.judge, running.strategy)
            estimates.add_recorded(replayed, start(replayed))
            if (result := start(running)).kind == "error":
                estimates.add_error(cell, result)
            asked = [request for request in running.unanswered if self.tape.asks_request(request.place)]
            free = [request for request in asked if request.place not in self._claimed]
            self.held += len(asked) - len(free)
            if free:
                estimates.add_unanswered(running, free)


class PlanningRun(EstimatingRun):
    """Estimates what each gated band asks if nothing of it is recorded; it sends no request."""

    def __init__(self, run: RunData) -> None:
        super().__init__(run.tape("all"), run.tape(), counted=False)
        self._claimed = set()  # a plan is of all trials
        self._bands: dict[SubjectBand, tuple[list[Cell], FunctionEstimates]] = {}

    def estimates_of(self, cell: Cell) -> FunctionEstimates:
        cells, estimates = self._bands.setdefault(band_of(cell), ([], FunctionEstimates()))
        cells.append(cell)
        return estimates

    def run_cell(self, cell: Cell, trial_of: TrialOf, start: RunOnce) -> None:
        if cell.gated:
            super().run_cell(cell, trial_of, start)

    def loads(self) -> dict[SubjectBand, Load]:
        """Return the load of each band, with later requests as in the trials that are recorded."""
        found = {}
        for band, (cells, estimates) in self._bands.items():
            clusters = [cluster for cell in cells for cluster in cell.clusters()]
            [direct], [batch] = estimates.estimates(batch=False), estimates.estimates(batch=True)
            found[band] = Load(
                len(clusters),
                len(set(clusters)),
                direct.input_tokens,
                direct.output_tokens,
                None if direct.price is None else direct.price.paid(batches=False),
                None if batch.price is None else batch.price.paid(batches=True),
                in_contexts=any(cell.point.questions_per_context > 1 for cell in cells),
            )
        return found


def price(run: RunData, tests: Functions) -> float:
    """Return the estimated cost of test functions in USD, as far as prices are known."""
    return total_price(_estimated(run, tests, counted=True).estimates.estimates(batch := run.settings.batch), batch)


def _estimated(run: RunData, tests: Functions, counted: bool) -> EstimatingRun:
    estimating = EstimatingRun(run.tape(run.asking_mode), run.tape(), counted)
    tests.run(estimating)
    return estimating


def estimated(run: RunData, tests: Functions) -> Estimates:
    """Return what the requests of test functions cost, and what must be known of that. Raises UserError."""
    estimating = _estimated(run, tests, counted=False)
    remarks = [*estimating.estimates.sentences()]
    remarks += [f"{name} could not be estimated: {why}" for name, why in estimating.broken.items()]
    if estimating.held:
        remarks.append(f"{estimating.held:,} more are in batches that are not collected yet, and would not be sent.")
    remarks += cannot_pass(run.cells, replace(target_of(run), run_margin=None))
    return Estimates(tuple(estimating.estimates.estimates(run.settings.batch)), tuple(remarks))


def leave_out(run: RunData, tests: Functions) -> None:
    """Have a replay leave out the trials of test functions that looks left out."""
    known: list[tuple[Trial, Waiting | Judged | TrialEnd]] = []

    def note(trial: FunctionTrial, result: Result) -> None:
        known.append((trial.trial, ended(trial, result)))

    replaying = ReplayingRun(run.tape(), TrialFilter(ended=note))
    tests.run(replaying)
    looks = InterimLooks(run, replaying.cells, run.recorded)
    for trial, kept in known:
        looks.ended(trial, kept)
    run.unasked |= left_out_by(looks)
