"""Early stop: after each round of questions the asking pass looks at the verdict, and stops once it is settled.

A look judges the rows that the run would have if it stopped there, exactly as the end of a run does.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from longctx.engine.rows import measured_row, unmeasured_row
from longctx.engine.run import Run
from longctx.engine.terms import rules
from longctx.gate.bands import EARLY_STOP
from longctx.gate.verdict import RunVerdict, give_verdict
from longctx.live.asking import Asked
from longctx.live.cost.sharing import shared
from longctx.live.failure import Failure
from longctx.live.rounds import in_rounds
from longctx.live.run import AskingOrder, AskQuestions
from longctx.recording.case import Case, Question
from longctx.recording.tape import Tape, Wanted
from longctx.results.answers import with_answers
from longctx.results.row import Row


def until_settled(run: Run, tape: Tape) -> AskingOrder:
    """Return an order that asks round by round until the verdict is settled.

    Following it raises UserError if the run cannot be compared with its baseline.
    """
    baseline = run.plan.baseline
    assert baseline is not None

    async def order(cases: Sequence[Case], questions: Sequence[Question], ask: AskQuestions) -> Asked:
        looks = _Looks(run, cases, tape, baseline.rows)
        asked = Asked()
        rounds = in_rounds(cases, questions)
        for place, questions_now in enumerate(rounds):
            left = [question for later in rounds[place:] for question in later]
            if asked.stopped is None:
                look = looks.look({question.key for question in left})
                asked.settled = Failure(EARLY_STOP, look.shown_after, fatal=True) if look.settled else None
            if why := asked.stopped or asked.settled:
                asked.failures |= {question.key: why for question in left}
                break
            asked.add(await ask(shared(questions_now)))
        return asked

    return order


class _Looks:
    """The rows known so far. Every answer is judged once."""

    def __init__(self, run: Run, cases: Sequence[Case], tape: Tape, baseline: Sequence[Row]) -> None:
        self._run, self._tape, self._baseline = run, tape, baseline
        self._questions = {question.key: question for case in cases for question in case.questions()}
        self._rows: dict[str, Row] = {}

    def look(self, left: set[str]) -> RunVerdict:
        """Return the verdict that the run would have if the questions in `left`, given by their keys, stay unasked."""
        for key, question in self._questions.items():
            if key not in left and key not in self._rows:
                self._rows[key] = self._row(question)
        rows = [
            unmeasured_row(self._run, question, "not_asked", EARLY_STOP) if key in left else self._rows[key]
            for key, question in self._questions.items()
        ]
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        return give_verdict(self._baseline, with_answers(rows), rules(self._run, rows, now), self._run.plan.families)

    def _row(self, question: Question) -> Row:
        # If building or judging raises, the question's own test reports it, and the asking goes on.
        try:
            trial = question.build()
            wanted = Wanted.of(question, trial)
            reply = self._tape.reply(wanted)
            if reply is None:
                return unmeasured_row(self._run, question, "not_asked", self._tape.status(wanted))
            return measured_row(self._run, question, trial, reply, question.case.scenario.judge(trial, reply))
        except Exception as error:
            return unmeasured_row(self._run, question, "infra_error", str(error))
