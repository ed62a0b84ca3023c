"""A gated run whose verdict can only be invalid ends before it asks, and pays; one that would seldom pass says so."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator, Sequence

from longctx.errors import TapeError
from longctx.gate.foregone import foregone
from longctx.live.server.calibrate import Unasked
from longctx.live.waiting import Say
from longctx.plugin.asking.odds import unpowered
from longctx.plugin.ending.gating import Invalid, rules
from longctx.plugin.measuring.rows import foreseen_row, unmeasured_row
from longctx.plugin.run import Run
from longctx.recording.case import Case, Question
from longctx.recording.tape import Tape, Wanted
from longctx.results.row import Row


class Foresight:
    """What is known of a run's verdict before it asks. cases: those that are selected. say: tells a person
    a sentence."""

    def __init__(self, run: Run, cases: Sequence[Case], tape: Tape, say: Say) -> None:
        assert run.plan.baseline is not None
        self._run, self._cases, self._tape, self._say = run, cases, tape, say
        self._baseline = run.plan.baseline.rows
        self._known: dict[str, Row] = {}

    def passed_over(self, question: Question, wanted: Wanted) -> None:
        """Its recorded answer counts, or it has none that does."""
        try:
            reply = self._tape.reply(wanted)
        except TapeError as error:
            row = unmeasured_row(self._run, question, "infra_error", str(error))
        else:
            stale = unmeasured_row(self._run, question, "not_asked", self._tape.status(wanted))
            row = foreseen_row(self._run, question, reply) if reply else stale
        self._known[question.key] = row

    def ready(self, unasked: Sequence[Unasked]) -> None:
        """A second check, with all that is known of the tape and of the models."""
        for case, why in unasked:
            self._known |= {
                question.key: unmeasured_row(self._run, question, "not_asked", why.cause)
                for question in case.questions()
            }
        self.check(list(dict.fromkeys(why.message for _, why in unasked)))
        if len(self._known) < sum(case.size for case in self._cases):
            self.warn()

    def warn(self) -> None:
        """Say so where an unchanged model would pass too seldom."""
        plan, given = self._run.plan, self._run.settings
        cases = [case for family in plan.families for case in plan.all_cases_of(family)]
        if warning := unpowered(cases, plan.margin, given.alpha):
            self._say(warning)

    def check(self, causes: Sequence[str] = ()) -> None:
        """Raises Invalid where the verdict can be no other. causes: sentences on what cannot be asked."""
        rows = [row for case in self._cases for row in self._rows(case)]
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        part = self._run.settings.shard is not None
        if reasons := foregone(self._baseline, rows, rules(self._run, rows, now), part):
            why = " ".join([f"{'; '.join(reasons)}.", *causes[:1]])
            raise Invalid("verdict-foregone", f"{why} The verdict could only be invalid, so nothing was asked.")

    def _rows(self, case: Case) -> Iterator[Row]:
        with contextlib.suppress(ValueError):  # it has no such trial, which its test will say
            for question in case.questions():
                yield self._known.get(question.key) or foreseen_row(self._run, question)
