"""Looks: a gate asks part by part, judges after each, and asks no more in bands that are settled.

A look judges the rows that the run would have if it stopped there, exactly as the end of a run does. A replay leaves
out the same trials, since looks depend on the seed and on the recorded answers alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from longctx import clocks
from longctx.cases.case import Case, Trial
from longctx.engine.measure import rows_of, unmeasured_row
from longctx.engine.run_data import RunData
from longctx.engine.terms import beside, looks_to_take, place_of, place_of_row, rules
from longctx.errors import UserError
from longctx.gate.bands import Band
from longctx.gate.evidence import Unit, in_looks
from longctx.gate.usage import GrowthLimits
from longctx.gate.verdict import RunVerdict, give_verdict
from longctx.live.failure import Failure
from longctx.recording.episodes import PROMPT_CUT, CutPrompts
from longctx.recording.tape import Tape
from longctx.recording.trials import Ended, Judged, Waiting, run_protocol
from longctx.results.row import EARLY_STOP, Row, Subject
from longctx.results.store import with_answers
from longctx.vocabulary.cell import name_of_test
from longctx.vocabulary.looks import AT_ONCE, LooksPlan, RunLooks

if TYPE_CHECKING:
    from longctx.live.failure import Asked
    from longctx.live.run import AskingOrder, AskQuestions
    from longctx.views.reporting import Reports

PENDING = Failure("pending", "sent once the batches of the previous look have ended; run the same command", fatal=True)


def until_settled(run: RunData, tape: Tape) -> AskingOrder:
    """Return an order that asks look by look, and in each only the bands that are not settled yet.

    Following it raises UserError if the run cannot be compared with its baseline.
    """

    from longctx.live.failure import Asked

    async def order(cases: Sequence[Case], trials: Sequence[Trial], ask: AskQuestions) -> Asked:
        looks, asked = LiveLooks(run, cases, tape), Asked()
        by_key = {trial.key: trial for trial in trials}
        steps = looks.steps(by_key)
        try:
            now = next(steps)
            while True:
                asked.add(await ask([by_key[key] for key in by_key if key in now]))
                now = steps.send(stopped_by(asked.stopped, asked.failures.values()))
        except StopIteration as end:
            asked.failures |= end.value
        return asked

    return order


def stopped_by(stopped: Failure | None, failures: Iterable[Failure]) -> Failure | None:
    """Return why a look is the last for now: the live pass stopped, or a batch of this look has not ended."""
    return stopped or (PENDING if any(failure.cause == PENDING.cause for failure in failures) else None)


def looks_by(run: RunData, tape: Tape, trials: Iterable[Trial]) -> LooksPlan:
    """Return the plan by which these questions are sent: that of what is recorded of them unless all is asked anew."""
    recorded = None if tape.asks_anew else tape.looks_of(map(place_of, trials))
    return recorded or looks_to_take(run)


def keep_left_out(run: RunData) -> None:
    """Keep which trials of a replay have no answer because a gate that looked at the others needed none."""
    asked_in_looks = run.settings.looks and run.settings.only_trial is None
    if not asked_in_looks or run.plan.own is None or run.plan.baseline is None:
        return
    tape = run.recorded
    try:
        cases = [case.fitted() for case in run.plan.cases if case.size]
    except UserError:
        return  # a cell that cannot be built; its test says why
    run.unasked |= left_out_by(LiveLooks(run, cases, tape))


def may_leave_out_functions(run: RunData) -> bool:
    """Return whether a replay may leave out trials of test functions, because some were asked in looks."""
    baseline, settings = run.plan.baseline, run.settings
    if not (settings.looks and baseline and settings.only_trial is None):
        return False
    names = {name_of_test(row.test) for row in baseline.rows} - run.plan.tests.keys()
    return any(map(run.recorded.any_in_looks, sorted(names)))


def left_out_by(looks: LiveLooks) -> dict[str, dict[str, Any]]:
    """Return the fields of the Failure of each question that is not recorded, and that looks needed no answer to.

    A question whose answers are all stale counts as not recorded if all those up to the look that settled its band have
    one: a change was asked in looks, and the answers from before it are still there.
    """
    lacking, stale = looks.lacking(), looks.stale()
    unneeded = looks.left_out(lacking) if lacking else set()
    if stale:
        unneeded |= looks.later(stale, looks.left_out(lacking | stale))
    if not unneeded:
        return {}
    why = looks.stopped(unneeded)
    return {key: asdict(why) for key in unneeded}


class LiveLooks:
    """The looks of a run, and the rows known so far. Every answer is judged once.

    of: the look of each question, from 1, by its key. Questions that no gate judges belong to the first.
    """

    def __init__(self, run: RunData, cases: Sequence[Case], tape: Tape) -> None:
        assert run.plan.baseline is not None
        self._run, self._tape, self._baseline = run, tape, run.plan.baseline.rows
        self._anchor = run.plan.baseline.anchor
        self._questions = {trial.key: trial for case in cases for trial in case.each_trial()}
        self.plan = looks_by(run, tape, self._questions.values())
        self._rows: dict[str, list[Row]] = {}
        self._prompts: dict[str, CutPrompts] = defaultdict(CutPrompts)
        """Of each case by its id: a trial whose prompt was cut is not measured."""
        self._bands = {key: self._band(trial.case) for key, trial in self._questions.items()}
        self._elsewhere, self._asked_to_the_end = self._other_bands(cases)
        units: dict[Band | None, dict[str, Unit]] = defaultdict(dict)
        for key, trial in self._questions.items():
            units[self._bands[key]][key] = unit_of(trial)
        self.of: dict[str, int] = {}
        terms = run.plan.margin, run.settings.alpha
        for band, of_band in units.items():
            looks = in_looks(of_band.values(), "once" if band is None else self.plan, *terms).of
            self.of |= {key: looks[unit] for key, unit in of_band.items()}
        self.most = max(self.of.values(), default=0)

    def steps(self, keys: Iterable[str]) -> Generator[set[str], Failure | None, dict[str, Failure]]:
        """Yield the questions that each look asks; return why each of the others was not sent.

        keys: those of the questions that lack an answer. The caller sends why no further look may follow, or None.
        """
        left, why = dict.fromkeys(keys), None
        for look in range(1, self.most + 1):
            unneeded = self.unneeded(left)
            now = {key for key in left if self.of[key] <= look and key not in unneeded}
            if now:
                why = yield now
                left = {key: None for key in left if key not in now}
                if why:
                    break
        unneeded = self.unneeded(left)
        settled = self.stopped(left) if unneeded else None
        return {key: failure for key in left if (failure := settled if key in unneeded else why)}

    def left_out(self, lacking: Collection[str]) -> set[str]:
        """Return those of the questions without an answer, given by their keys, that looks did not ask.

        The others were asked in their look, and failed: a few of them do not keep a band from being settled.
        """
        steps = self.steps(lacking)
        try:
            next(steps)
            while True:
                steps.send(None)
        except StopIteration as end:
            return set(end.value)

    def unneeded(self, left: Collection[str]) -> set[str]:
        """Return those of the questions `left`, given by their keys, whose bands are settled without them."""
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

    def lacking(self) -> set[str]:
        """Return the questions of which nothing is recorded: no answer to another request, and none that is refused."""
        return {
            key
            for key, trial in self._questions.items()
            if not (self._tape.has_trial(trial) or self._tape.refuses(trial))
        }

    def stale(self) -> set[str]:
        """Return the questions that only other requests were answered for; none unless a run asked in looks."""
        if not self._tape.looks_of(map(place_of, self._questions.values())):
            return set()
        rows = [row for key, trial in self._questions.items() for row in self._known(key, trial)]
        if not self._tape.looks_of(map(place_of_row, rows)):
            return set()
        return {
            key
            for key, trial in self._questions.items()
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

        Protocols and test functions are sent apart, and neither can be judged without the other.
        """
        run, verdict = self._run, self.verdict(left)
        settled = f"{verdict.not_asked:,} of {verdict.trials:,} trials not sent, in bands that are settled"
        return Failure(EARLY_STOP, settled if run.cells and run.plan.tests else verdict.shown_after, fatal=True)

    def verdict(self, left: Collection[str]) -> RunVerdict:
        """Return the verdict that the run would have if the questions in `left`, given by their keys, stay unasked."""
        known = {key: self._known(key, trial) for key, trial in self._questions.items() if key not in left}
        cut = {key for prompts in self._prompts.values() for key in prompts.found()}
        rows: list[Row] = []
        for key, trial in self._questions.items():
            if key in left:
                rows.append(unmeasured_row(self._run, trial, "not_asked", EARLY_STOP))
            elif key in cut:
                rows.append(unmeasured_row(self._run, trial, "infra_error", PROMPT_CUT))
            else:
                rows += known[key]
        now = clocks.stamp()
        terms = rules(self._run, rows, now, RunLooks.all(self.plan))
        terms = replace(beside(terms, self._anchor), elsewhere=self._elsewhere)
        return give_verdict(self._baseline, with_answers(rows), terms, self._run.plan.tests)

    def _other_bands(self, cases: Sequence[Case]) -> tuple[int, set[Band]]:
        """Return how many bands are judged elsewhere, and those that are asked to the end whatever is shown.

        Elsewhere: in other shards, or of test functions, whose stated minimums count, too. To the end: bands of which
        other shards ask a part, and those whose trials a minimum rate or a limit of growth takes.
        """
        from longctx.engine.gate_plan import minimums_of_tests

        plan = self._run.plan
        here = [(case, band) for case in cases if (band := self._band(case))]
        everywhere = [
            (case, band) for name in plan.tests for case in plan.all_cases_of(name) if (band := self._band(case))
        ]
        if self._run.settings.shard is None:
            everywhere = here
        names = {case.id for case, _ in here}
        parted = {band for case, band in everywhere if case.id not in names}
        with_minimum = {band for case, band in here if case.min_rate is not None}
        own = {band for _, band in here}
        functions = {self._band(cell) for cell in self._run.cells} - {None}
        limited = own if rules(self._run, (), "", AT_ONCE).limits != GrowthLimits() else set()
        minimums = minimums_of_tests(self._baseline, self._reports(self._run.cells))
        return len({band for _, band in everywhere} - own) + len(functions) + minimums, parted | with_minimum | limited

    def _reports(self, cases: Sequence[Case]) -> Reports:
        """Return the reports that these cells of test functions declare."""
        names = {case.cell.test for case in cases}
        return {name: report for name, report in self._run.reports.items() if name in names}

    def _band(self, case: Case) -> Band | None:
        subject = Subject.of(
            case.model.model, case.wording.prompt_set, {**dict(self._run.settings.labels), **case.labels}, case.shape
        )
        return Band(case.cell.test, case.band, subject) if case.gated else None

    def _known(self, key: str, trial: Trial) -> list[Row]:
        if key not in self._rows:
            # If building raises, the question's own test reports it, and the asking goes on.
            try:
                rows = self._rows_of(trial, run_protocol(self._tape, trial))
            except Exception as error:
                rows = [unmeasured_row(self._run, trial, "infra_error", str(error))]
            if not rows[0].measured:
                return rows
            self._rows[key] = rows
        return self._rows[key]

    def _rows_of(self, trial: Trial, result: Waiting | Judged | Ended) -> list[Row]:
        """Return the rows of a trial that was run, and note its prompts."""
        for exchange in result.exchanges if isinstance(result, Judged) else ():
            if exchange.reply:
                prompts = self._prompts[trial.case.id]
                prompts.add(trial.key, exchange.model, exchange.body, exchange.reply.input_tokens)
        return rows_of(self._run, self._tape, trial, result)


class FunctionLooks(LiveLooks):
    """The looks of test functions. Only pytest can judge their trials, and tells here how each ended."""

    def ended(self, trial: Trial, result: Waiting | Judged | Ended) -> None:
        """Note a trial that ran to its end."""
        self._rows[trial.key] = self._rows_of(trial, result)

    def _known(self, key: str, trial: Trial) -> list[Row]:
        if key in self._rows:
            return self._rows[key]
        return [unmeasured_row(self._run, trial, "not_asked", "missing")]

    def _other_bands(self, cases: Sequence[Case]) -> tuple[int, set[Band]]:
        """See above. What other shards ask of test functions is known from the baseline alone."""
        from longctx.engine.gate_plan import minimums_of

        run = self._run
        here = [(case, band) for case in cases if (band := self._band(case))]
        own = {band for _, band in here}
        cells = {(case.cell.test, case.cell.slug) for case in cases}
        gated = [(name_of_test(row.test), row) for row in self._baseline if row.band is not None]
        kept = [(test, row) for test, row in gated if test not in run.plan.tests]
        lacking = {(test, row.band) for test, row in kept if (test, row.cell) not in cells}
        parted = {band for band in own if (band.test, band.name) in lacking}
        named = {(band.test, band.name) for band in own}
        elsewhere = {(row.test, row.band) for _, row in kept} - named
        elsewhere = {name for name in elsewhere if (name_of_test(name[0]), name[1]) not in named}
        of_tests = {
            band
            for name in (run.plan.tests if run.plan.own else ())
            for case in run.plan.all_cases_of(name)
            if (band := self._band(case))
        }
        with_minimum = {band for case, band in here if case.min_rate is not None}
        limited = own if rules(run, (), "", AT_ONCE).limits != GrowthLimits() else set()
        stated = minimums_of(run.plan) if of_tests else 0
        return len(of_tests) + len(elsewhere) + stated, parted | with_minimum | limited


def unit_of(trial: Trial) -> Unit:
    """Return what a question is not divided from when it is asked in looks; it is that of its row when it is judged."""
    identity = trial.identity
    cluster = trial.case.cell.cluster(trial.index) or None
    return Unit.of(identity.cell, identity.seed, cluster, identity.trial, identity.item)
