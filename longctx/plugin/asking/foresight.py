"""The check of a gated run before it asks: it ends if its verdict must be invalid, and warns if it seldom passes."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator, Sequence

from longctx.errors import TapeError
from longctx.gate.invalid_in_advance import invalid_in_advance
from longctx.gate.validity import vacuous_bands
from longctx.live.failure import Unasked
from longctx.live.waiting import Say
from longctx.plugin.asking.odds import unpowered
from longctx.plugin.ending.gating import Invalid, rules
from longctx.plugin.measuring.rows import foreseen_row, unmeasured_row
from longctx.plugin.run import Run
from longctx.recording.case import Case, Question
from longctx.recording.tape import Tape, Wanted
from longctx.results.row import Row


class Foresight:
    """What is known of a run's verdict before it asks.

    cases: the selected cases. say: prints a sentence.
    """

    def __init__(self, run: Run, cases: Sequence[Case], tape: Tape, say: Say) -> None:
        assert run.plan.baseline is not None
        self._run, self._cases, self._tape, self._say = run, cases, tape, say
        self._baseline = run.plan.baseline.rows
        self._known: dict[str, Row] = {}

    def passed_over(self, question: Question, wanted: Wanted) -> None:
        """Note a question that is not asked: its recorded answer counts, or the record mode does not ask it."""
        try:
            reply = self._tape.reply(wanted)
        except TapeError as error:
            row = unmeasured_row(self._run, question, "infra_error", error.code)
        else:
            stale = unmeasured_row(self._run, question, "not_asked", self._tape.status(wanted))
            row = foreseen_row(self._run, question, reply) if reply else stale
        self._known[question.key] = row

    def ready(self, unasked: Sequence[Unasked]) -> None:
        """Check again, now that the tape has been read and the models are known."""
        for case, why in unasked:
            self._known |= {
                question.key: unmeasured_row(self._run, question, "not_asked", why.cause)
                for question in case.questions()
            }
        self.check(list(dict.fromkeys(why.message for _, why in unasked)))
        if len(self._known) < sum(case.size for case in self._cases):
            self.warn()

    def warn(self) -> None:
        """Warn if the gate would pass too seldom even though nothing changed, or cannot pass."""
        plan = self._run.plan
        for why in vacuous_bands(self._gated(), plan.families, plan.margin):
            self._say(f"No run can pass: {why}.")
        cases = [case for family in plan.families for case in plan.all_cases_of(family)]
        if warning := unpowered(cases, plan.margin, self._run.settings.alpha):
            self._say(warning)

    def _gated(self) -> list[Row]:
        """Return the baseline's rows in the bands that this run judges."""
        bands = {(case.scenario.family, case.band) for case in self._cases if case.gated}
        return [row for row in self._baseline if (row.family, row.band) in bands]

    def check(self, causes: Sequence[str] = ()) -> None:
        """Raise Invalid if the verdict can only be invalid. causes: sentences on what cannot be asked."""
        rows = [row for case in self._cases for row in self._rows(case)]
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        part = self._run.settings.shard is not None
        if reasons := invalid_in_advance(self._baseline, rows, rules(self._run, rows, now), part):
            why = " ".join([f"{'; '.join(reasons)}.", *causes[:1]])
            raise Invalid("verdict-foregone", f"{why} The verdict could only be invalid, so nothing was asked.")

    def _rows(self, case: Case) -> Iterator[Row]:
        with contextlib.suppress(ValueError):  # a case without the trial that --ctx-trial names; its test says so
            for question in case.questions():
                yield self._known.get(question.key) or foreseen_row(self._run, question)
