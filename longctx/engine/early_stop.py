"""Looks: a gate asks part by part, judges after each, and asks no more in bands that are settled.

A look judges the rows that the run would have if it stopped there, exactly as the end of a run does. A replay leaves
out the same trials, since looks depend on the seed and on the recorded answers alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from longctx import clocks
from longctx.cells.cell import Cell, Trial
from longctx.engine.measure import rows_of, unmeasured_row
from longctx.engine.places import place_of, place_of_row
from longctx.engine.run_data import RunData
from longctx.engine.terms import looks_to_take, rules, with_other_hypotheses
from longctx.errors import UserError
from longctx.gate.bands import Band
from longctx.gate.evidence import Unit, in_looks
from longctx.gate.usage import GrowthLimits
from longctx.gate.verdict import RunVerdict, give_verdict
from longctx.live.failure import Failure
from longctx.recording.cut_prompts import PROMPT_CUT, CutPrompts
from longctx.recording.tape import NotRecorded, Tape
from longctx.recording.trials import Judged, RunTrial, TrialEnd, Waiting, run_protocol
from longctx.results.answer_groups import with_answers
from longctx.results.row import EARLY_STOP, Row, Subject
from longctx.vocabulary.looks import AT_ONCE, LooksPlan, RunLooks
from longctx.vocabulary.point import name_of_test

if TYPE_CHECKING:
    from longctx.live.failure import SendResult
    from longctx.live.run import AskingOrder, SendRequests
    from longctx.live.watch import Say
    from longctx.recording.request import Request
    from longctx.views.reporting import Reports

PENDING = Failure("pending", "sent once the batches of the previous look have ended; run the same command", fatal=True)


def until_settled(run: RunData, tape: Tape) -> AskingOrder:
    """Return an order that asks look by look, and in each only the bands that are not settled yet.

    Following it raises UserError if the run cannot be compared with its baseline.
    """

    from longctx.live.failure import SendResult

    async def order(cells: Sequence[Cell], requests: Sequence[Request], send: SendRequests) -> SendResult:
        by_key, asked = {request.key: request for request in requests}, SendResult()
        steps = Steps(InterimLooks(run, cells, tape, partial(run_protocol, tape)), by_key)
        for now in steps:
            asked.add(await send([by_key[key] for key in by_key if key in now]))
            steps.stop(stopped_by(asked.stopped, asked.failures.values()))
        asked.failures |= steps.not_asked
        return asked

    return order


def stopped_by(stopped: Failure | None, failures: Iterable[Failure]) -> Failure | None:
    """Return why a look is the last for now: the live pass stopped, or a batch of this look has not ended."""
    return stopped or (PENDING if any(failure.cause == PENDING.cause for failure in failures) else None)


def looks_by(run: RunData, tape: Tape, trials: Iterable[Trial]) -> LooksPlan:
    """Return the plan by which these questions are sent: that of their recordings, unless all are sent anew."""
    recorded = None if tape.asks_anew else tape.looks_of(map(place_of, trials))
    return recorded or looks_to_take(run)


def record_left_out(tape: Tape, cells: Iterable[Cell], failures: Mapping[str, Failure], say: Say) -> None:
    """Record which trials a live gate was settled without, so that a run without a baseline does not miss them.

    failures: why trials were not sent, by their keys.
    """
    early = {key for key, failure in failures.items() if failure.cause == EARLY_STOP}
    try:
        for cell in cells if early else ():
            if cell.size:
                tape.leave_out([trial for trial in cell.each_trial() if trial.key in early])
    except NotRecorded as error:
        say(f"{error} A run without a baseline will miss the {len(early):,} trials that were left out.")


def keep_left_out(run: RunData) -> None:
    """Keep which trials of a replay have no answer because a gate that looked at the others needed none."""
    asked_in_looks = run.settings.looks and run.settings.only_trial is None
    if not asked_in_looks or run.plan.own is None or run.plan.baseline is None:
        return
    tape = run.recorded
    try:
        cells = [cell.fitted() for cell in run.plan.cells if cell.size]
    except UserError:
        return  # a cell that cannot be built; its test says why
    run.unasked |= left_out_by(InterimLooks(run, cells, tape, partial(run_protocol, tape)))


def may_leave_out_functions(run: RunData) -> bool:
    """Return whether a replay may leave out trials of test functions, because some were asked in looks."""
    baseline, settings = run.plan.baseline, run.settings
    if not (settings.looks and baseline and settings.only_trial is None):
        return False
    names = {name_of_test(row.test) for row in baseline.rows} - run.plan.tests.keys()
    return any(map(run.recorded.any_in_looks, sorted(names)))


def left_out_by(looks: InterimLooks) -> dict[str, dict[str, Any]]:
    """Return the fields of the Failure of each question that is not recorded, and that looks needed no answer to.

    A question whose answers are all stale counts as not recorded if all those up to the look that settled its band have
    one: a change was asked in looks, and the answers from before it are still there.
    """
    unrecorded, stale = looks.unrecorded(), looks.stale()
    unneeded = looks.left_out(unrecorded) if unrecorded else set()
    if stale:
        unneeded |= looks.later(stale, looks.left_out(unrecorded | stale))
    if not unneeded:
        return {}
    why = looks.stopped(unneeded)
    return {key: asdict(why) for key in unneeded}


class InterimLooks:
    """The looks of a run at its protocols, or at its test functions, and the rows known so far.

    Every answer is judged once. of: the look of each trial, from 1, by its key. Those that no gate judges belong to the
    first.
    """

    def __init__(self, run: RunData, cells: Sequence[Cell], tape: Tape, run_trial: RunTrial | None = None) -> None:
        """run_trial: runs a trial against what is recorded; None for test functions, whose results `ended` takes."""
        assert run.plan.baseline is not None
        self._run, self._tape, self._baseline = run, tape, run.plan.baseline.rows
        self._run_trial = run_trial
        self._anchor = run.plan.baseline.anchor
        self._trials = {trial.key: trial for cell in cells for trial in cell.each_trial()}
        self.plan = looks_by(run, tape, self._trials.values())
        self._rows: dict[str, list[Row]] = {}
        self._prompts: dict[str, CutPrompts] = defaultdict(CutPrompts)
        """The cut prompts of each cell by its id: such a trial is not measured."""
        self._bands = {key: self._band(trial.cell) for key, trial in self._trials.items()}
        self._elsewhere, self._asked_to_the_end = self._other_bands(cells)
        units: dict[Band | None, dict[str, Unit]] = defaultdict(dict)
        for key, trial in self._trials.items():
            units[self._bands[key]][key] = unit_of(trial)
        self.of: dict[str, int] = {}
        terms = run.plan.margin, run.settings.alpha
        for band, by_key in units.items():
            looks = in_looks(by_key.values(), "once" if band is None else self.plan, *terms).of
            self.of |= {key: looks[unit] for key, unit in by_key.items()}
        self.most = max(self.of.values(), default=0)

    def left_out(self, unrecorded: Collection[str]) -> set[str]:
        """Return the trials without an answer, by their keys, that early stopping left out.

        The others were asked in their look, and failed: a few of them do not keep a band from being settled.
        """
        steps = Steps(self, unrecorded)
        for _ in steps:
            pass
        return set(steps.not_asked)

    def unneeded(self, left: Collection[str]) -> set[str]:
        """Return the trials of `left`, by their keys, whose bands are settled without them."""
        verdict = self.verdict(left)
        settled = {
            band.band
            for test in verdict.tests
            if not any(reported.minimum for reported in test.reported)
            for band in test.bands
            if not band.asking and (band.n or band.verdict != "inconclusive")  # without a pair, nothing was looked at
        } - self._asked_to_the_end
        going = {
            (name_of_test(band.test), band.name, band.subject)
            for band in (band.band for band in verdict.bands)
            if band not in settled
        }

        def needless(band: Band | None) -> bool:
            """Return whether a band is settled, and with it those of the checks of its trials."""
            return band in settled and band is not None and (band.test, band.name, band.subject) not in going

        return {key for key in left if needless(self._bands[key])}

    def unrecorded(self) -> set[str]:
        """Return the questions of which nothing is recorded: no answer to another request, and none that is refused."""
        return {
            key for key, trial in self._trials.items() if not (self._tape.has_trial(trial) or self._tape.refuses(trial))
        }

    def stale(self) -> set[str]:
        """Return the questions that only other requests were answered for; none unless a run asked in looks."""
        if not self._tape.looks_of(map(place_of, self._trials.values())):
            return set()
        rows = [row for key, trial in self._trials.items() for row in self._known(key, trial)]
        if not self._tape.looks_of(map(place_of_row, rows)):
            return set()
        return {
            key
            for key, trial in self._trials.items()
            if self._tape.has_trial(trial)
            and not self._tape.refuses(trial)
            and any(row.outcome == "not_asked" for row in self._known(key, trial))
        }

    def later(self, stale: Collection[str], unneeded: Collection[str]) -> set[str]:
        """Return the stale questions that are unneeded, of bands where none is stale up to the look of the verdict."""
        bands = [band for test in self.verdict(unneeded).tests for band in test.bands]
        settled: dict[Band | None, int] = {band.band: band.look for band in bands}
        early = {band for key in stale if self.of[key] <= settled.get(band := self._bands[key], 0)}
        return {key for key in stale if key in unneeded and self._bands[key] not in early}

    def stopped(self, left: Collection[str]) -> Failure:
        """Return why the questions in `left` are not sent: the verdict, unless it lacks a part of the run.

        The requests of protocols and of test functions are sent apart, and neither can be judged without the other.
        """
        run, verdict = self._run, self.verdict(left)
        settled = f"{verdict.not_asked:,} of {verdict.trials:,} trials not sent, in bands that are settled"
        return Failure(EARLY_STOP, settled if run.cells and run.plan.tests else verdict.shown_after, fatal=True)

    def verdict(self, left: Collection[str]) -> RunVerdict:
        """Return the verdict that the run would have if the questions in `left`, given by their keys, stay unasked."""
        known = {key: self._known(key, trial) for key, trial in self._trials.items() if key not in left}
        cut = {key for prompts in self._prompts.values() for key in prompts.found()}
        rows: list[Row] = []
        for key, trial in self._trials.items():
            if key in left:
                rows.append(unmeasured_row(self._run, trial, "not_asked", EARLY_STOP))
            elif key in cut:
                rows.append(unmeasured_row(self._run, trial, "infra_error", PROMPT_CUT))
            else:
                rows += known[key]
        now = clocks.stamp()
        terms = rules(self._run, rows, now, RunLooks.all(self.plan))
        terms = replace(with_other_hypotheses(terms, self._anchor), bands_elsewhere=self._elsewhere)
        return give_verdict(self._baseline, with_answers(rows), terms, self._run.plan.tests)

    def _other_bands(self, cells: Sequence[Cell]) -> tuple[int, set[Band]]:
        """Return how many bands are judged elsewhere, and those of which every trial is sent.

        Elsewhere: in other shards, of test functions or of protocols, whose stated minimums count, too. All trials:
        of bands of which other shards send a part, or for which a minimum rate or a limit of growth is stated.
        """
        own = self._bands_of(cells)
        elsewhere, parted = (self._beside_protocols if self._run_trial else self._beside_functions)(cells, own)
        with_minimum = self._bands_of(cell for cell in cells if cell.min_rate is not None)
        limited = own if rules(self._run, (), "", AT_ONCE).limits != GrowthLimits() else set()
        return elsewhere, parted | with_minimum | limited

    def _beside_protocols(self, cells: Sequence[Cell], own: set[Band]) -> tuple[int, set[Band]]:
        """Return how many bands are judged elsewhere, and those of which other shards ask a part."""
        from longctx.engine.minimums import minimums_of_tests

        plan, names = self._run.plan, {cell.id for cell in cells if self._band(cell)}
        others = [cell for name in plan.tests for cell in plan.all_cells_of(name) if cell.id not in names]
        if self._run.settings.shard is None:
            others = []
        parted = self._bands_of(others)
        minimums = minimums_of_tests(self._baseline, self._reports(self._run.cells))
        return len(parted - own) + len(self._bands_of(self._run.cells)) + minimums, parted

    def _beside_functions(self, cells: Sequence[Cell], own: set[Band]) -> tuple[int, set[Band]]:
        """Return the same for test functions. Only the baseline knows what other shards measure of these."""
        from longctx.engine.minimums import minimums_of

        plan, names = self._run.plan, {(cell.point.test, cell.point.slug) for cell in cells}
        gated = [(name_of_test(row.test), row) for row in self._baseline if row.band is not None]
        kept = [(test, row) for test, row in gated if test not in plan.tests]
        asked_there = {(test, row.band) for test, row in kept if (test, row.cell) not in names}
        named = {(band.test, band.name) for band in own}
        elsewhere = {(row.test, row.band) for test, row in kept if (test, row.band) not in named} - named
        protocol_bands = self._bands_of(
            cell for name in (plan.tests if plan.own else ()) for cell in plan.all_cells_of(name)
        )
        stated = minimums_of(plan) if protocol_bands else 0
        return len(protocol_bands) + len(elsewhere) + stated, {
            band for band in own if (band.test, band.name) in asked_there
        }

    def _bands_of(self, cells: Iterable[Cell]) -> set[Band]:
        return {band for cell in cells if (band := self._band(cell))}

    def _reports(self, cells: Sequence[Cell]) -> Reports:
        """Return the reports that these cells of test functions declare."""
        names = {cell.point.test for cell in cells}
        return {name: report for name, report in self._run.reports.items() if name in names}

    def _band(self, cell: Cell) -> Band | None:
        subject = Subject.of(
            cell.model.model,
            cell.wording.prompt_set,
            {**dict(self._run.settings.labels), **cell.labels},
            cell.shape,
            cell.server,
        )
        return Band(cell.point.test, cell.band, subject) if cell.gated else None

    def _known(self, key: str, trial: Trial) -> list[Row]:
        if key not in self._rows:
            if self._run_trial is None:
                return [unmeasured_row(self._run, trial, "not_asked", "missing")]
            # If building raises, the question's own test reports it, and the asking goes on.
            try:
                rows = self._rows_of(trial, self._run_trial(trial))
            except Exception as error:
                rows = [unmeasured_row(self._run, trial, "infra_error", str(error))]
            if not rows[0].measured:
                return rows
            self._rows[key] = rows
        return self._rows[key]

    def ended(self, trial: Trial, result: Waiting | Judged | TrialEnd) -> None:
        """Note a trial that ran to its end."""
        self._rows[trial.key] = self._rows_of(trial, result)

    def _rows_of(self, trial: Trial, result: Waiting | Judged | TrialEnd) -> list[Row]:
        """Return the rows of a trial that was run, and note its prompts."""
        for exchange in result.exchanges if isinstance(result, Judged) else ():
            if exchange.answer:
                prompts = self._prompts[trial.cell.id]
                prompts.add(trial.key, exchange.model, exchange.body, exchange.answer.input_tokens)
        return rows_of(self._run, self._tape, trial, result)


class Steps:
    """The looks at trials that lack an answer: iterating yields the keys of the trials that each look sends."""

    def __init__(self, looks: InterimLooks, keys: Iterable[str]) -> None:
        self._looks, self._left = looks, dict.fromkeys(keys)
        self._why: Failure | None = None

    def __iter__(self) -> Iterator[set[str]]:
        looks = self._looks
        for look in range(1, looks.most + 1):
            unneeded = looks.unneeded(self._left)
            now = {key for key in self._left if looks.of[key] <= look and key not in unneeded}
            if now:
                yield now
                self._left = {key: None for key in self._left if key not in now}
                if self._why:
                    return

    def stop(self, why: Failure | None) -> None:
        """Note why no further look may follow; None if it may."""
        self._why = why

    @property
    def not_asked(self) -> dict[str, Failure]:
        """Why each of the others was not sent, once no look follows."""
        looks, left = self._looks, self._left
        unneeded = looks.unneeded(left)
        settled = looks.stopped(left) if unneeded else None
        return {key: failure for key in left if (failure := settled if key in unneeded else self._why)}


def unit_of(trial: Trial) -> Unit:
    """Return the group of a question, which looks do not divide; its row has the same group."""
    identity = trial.identity
    cluster = trial.cell.point.cluster(trial.index) or None
    return Unit.of(identity.cell, identity.seed, cluster, identity.trial, identity.item)
