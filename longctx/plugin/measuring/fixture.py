"""What the `measure` fixture does with a case: replay, judge, hand over the rows, and fail in a sentence."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from longctx.errors import TapeError, UserError
from longctx.gate.bands import EARLY_STOP
from longctx.gate.minimum import Requirement, short_among
from longctx.plugin.measuring import writing
from longctx.plugin.measuring.properties import CaseResult
from longctx.plugin.measuring.rows import measured_row, unmeasured_row
from longctx.plugin.run import RUN, UNASKED
from longctx.plugin.selection import with_minimum
from longctx.recording.case import Case, Question
from longctx.results.row import Row
from longctx.results.store import as_lines
from longctx.results.view import View
from longctx.results.whole import scenarios_of
from longctx.vocabulary.excerpt import excerpts
from longctx.vocabulary.scenario import Kind, Outcome, Reply, Trial

if TYPE_CHECKING:
    from longctx.recording.tape import Tape, Wanted

MEASURER = pytest.StashKey["Measurer"]()


def measurer(request: pytest.FixtureRequest) -> Callable[[Case], None]:
    """A function for one test that measures a case. The Measurer behind it serves all tests of the process."""
    config = request.config
    if MEASURER not in config.stash:
        config.stash[MEASURER] = Measurer(config, with_minimum(request.session.items))
    return functools.partial(config.stash[MEASURER].measure, request.node)


class Measurer:
    """Measures the cases of one process from one tape."""

    def __init__(self, config: pytest.Config, with_minimum: int) -> None:
        from longctx.recording.tape import Tape

        run = self._run = config.stash[RUN]
        self._with_minimum = with_minimum
        self._tape: Tape = Tape(run.workspace.cassettes, "none", run.name, run.private)
        self._failures: dict[str, dict[str, Any]] = json.loads(config.stash.get(UNASKED, "{}"))

    def measure(self, item: pytest.Item, case: Case) -> None:
        """Hand over a row for every trial of the case. The test fails where a trial was not measured (`invalid`), or
        where the rate is shown to lie below the minimum, which is not asked of a case cut short by an early stop."""
        try:
            fitted = case.fitted()
            rows, views, problem = self._measure(item, fitted)
            facts = fitted.scenario.run_facts
        except UserError as error:
            kind: Kind = "infra_error" if isinstance(error, TapeError) else "not_asked"
            told = self._unasked(case) or {"cause": str(error), "message": str(error)}
            rows, problem = self._none(case, kind, told["cause"]), told["message"]
            views, facts = [View(item.nodeid)] * len(rows), {}
        if not (rows or problem):
            pytest.fail(f"invalid: it has no question: {case.scenario.why_empty}.", pytrace=False)
        writing.attach(item, as_lines(rows, [] if self._run.settings.no_text else views))
        if facts:
            [name] = scenarios_of(rows)
            writing.attach_facts(item, name, facts)
        left_out = sum(row.error == EARLY_STOP for row in rows)
        # A minimum is tested on a number of trials that was set before any was answered, and over all shards together.
        untested = problem or left_out or self._run.settings.shard
        measured = CaseResult.of(case, rows, minimum=None if untested else case.min_rate)
        measured.attach(item)
        if problem:
            pytest.fail(f"invalid: {problem}", pytrace=False)
        if left_out == len(rows):
            pytest.skip("stopped early: none of its trials was asked")
        if measured.minimum is not None:
            required = Requirement(measured.rate, measured.minimum)
            if short_among(required, self._with_minimum):
                pytest.fail(str(required), pytrace=False)

    def _measure(self, item: pytest.Item, case: Case) -> tuple[list[Row], list[View], str]:
        from longctx.recording import absence
        from longctx.recording.tape import Wanted

        rows: list[Row] = []
        views: list[View] = []
        absent: list[Wanted] = []
        failed: list[str] = []
        for question in case.questions():
            failure = self._failures.get(question.key)
            if failure and failure["cause"] == EARLY_STOP:
                # Not what an earlier run was answered either: the verdict is of what this one looked at.
                rows.append(unmeasured_row(self._run, question, "not_asked", EARLY_STOP))
                views.append(View(item.nodeid))
                continue
            trial = question.build()
            wanted = Wanted.of(question, trial)
            # What was asked anew in vain is not measured, though an older answer may be on the tape.
            reply = None if failure else self._tape.reply(wanted)
            if reply is not None:
                outcome = case.scenario.judge(trial, reply)
                rows.append(measured_row(self._run, question, trial, reply, outcome))
                views.append(_view(item, question, trial, reply, outcome))
                continue
            views.append(View(item.nodeid))
            absent.append(wanted)
            if failure:
                failed.append(failure["message"])
            kind: Kind = "infra_error" if failure and not failure["fatal"] else "not_asked"
            error = failure["cause"] if failure else self._tape.status(wanted)
            rows.append(unmeasured_row(self._run, question, kind, error))
        return rows, views, absence.sentence(case, self._tape, absent, failed) if absent else ""

    def _unasked(self, case: Case) -> dict[str, Any] | None:
        """What kept the asking pass from asking any of a case; None where nothing did."""
        return next(filter(None, (self._failures.get(question.key) for question in case.questions())), None)

    def _none(self, case: Case, kind: Kind, error: str) -> list[Row]:
        return [unmeasured_row(self._run, question, kind, error) for question in case.questions()]


def _view(item: pytest.Item, question: Question, trial: Trial, reply: Reply, outcome: Outcome) -> View:
    case = question.case
    marks = case.scenario.marks(case.wording.words, trial, outcome)
    quotes = case.scenario.quotes(trial, reply)
    return View(item.nodeid, excerpts(trial.user, marks), reply.text, quotes)
