"""The `measure` fixture: it replays and judges the trials of a case, hands over the rows, and fails the test."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from longctx.errors import TapeError, UserError
from longctx.gate.bands import EARLY_STOP
from longctx.gate.minimum import Requirement, below_minimum_among
from longctx.plugin.measuring import writing
from longctx.plugin.measuring.properties import CaseResult
from longctx.plugin.measuring.rows import measured_row, unmeasured_row
from longctx.plugin.run import RUN, UNASKED
from longctx.plugin.selection import with_minimum
from longctx.recording.case import Case, Question
from longctx.results.completeness import scenarios_of
from longctx.results.row import Row
from longctx.results.store import as_lines
from longctx.results.view import View
from longctx.vocabulary.excerpt import excerpts
from longctx.vocabulary.scenario import Kind, Outcome, Reply, Trial

if TYPE_CHECKING:
    from longctx.recording.tape import Tape, Wanted

MEASURER = pytest.StashKey["Measurer"]()


def measurer(request: pytest.FixtureRequest) -> Callable[[Case], None]:
    """Return a function that measures a case for one test. All tests of the process share one Measurer."""
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
        """Hand over a row for each trial of the case.

        The test fails if a trial was not measured (`invalid`), or if the rate is shown to be below the minimum. A case
        that an early stop cut short is not tested against a minimum.
        """
        try:
            fitted = case.fitted()
            rows, views, problem = self._measure(item, fitted)
            facts = fitted.scenario.run_facts
        except UserError as error:
            kind: Kind = "infra_error" if isinstance(error, TapeError) else "not_asked"
            failure = self._failure(case) or {"cause": error.code, "message": str(error)}
            rows, problem = self._unmeasured(case, kind, failure["cause"]), failure["message"]
            views, facts = [View(item.nodeid)] * len(rows), {}
        if not (rows or problem):
            pytest.fail(f"invalid: it has no question: {case.scenario.why_empty}.", pytrace=False)
        writing.attach(item, as_lines(rows, [] if self._run.settings.no_text else views))
        if facts:
            [name] = scenarios_of(rows)
            writing.attach_facts(item, name, facts)
        left_out = sum(row.error == EARLY_STOP for row in rows)
        # A minimum needs a number of trials that was fixed before any answer was seen, and all shards together.
        untested = problem or left_out or self._run.settings.shard
        measured = CaseResult.of(case, rows, minimum=None if untested else case.min_rate)
        measured.attach(item)
        if problem:
            pytest.fail(f"invalid: {problem}", pytrace=False)
        if left_out == len(rows):
            pytest.skip("stopped early: none of its trials was asked")
        if measured.minimum is not None:
            requirement = Requirement(measured.rate, measured.minimum)
            if below_minimum_among(requirement, self._with_minimum):
                pytest.fail(str(requirement), pytrace=False)

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
                # An earlier recorded answer is not used either: the verdict covers only what this run looked at.
                rows.append(unmeasured_row(self._run, question, "not_asked", EARLY_STOP))
                views.append(View(item.nodeid))
                continue
            trial = question.build()
            wanted = Wanted.of(question, trial)
            # A trial that was asked again in vain is not measured, even if the tape has an older answer.
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

    def _failure(self, case: Case) -> dict[str, Any] | None:
        """Return the first failure of the asking pass for this case; None if it had none."""
        return next(filter(None, (self._failures.get(question.key) for question in case.questions())), None)

    def _unmeasured(self, case: Case, kind: Kind, error: str) -> list[Row]:
        return [unmeasured_row(self._run, question, kind, error) for question in case.questions()]


def _view(item: pytest.Item, question: Question, trial: Trial, reply: Reply, outcome: Outcome) -> View:
    case = question.case
    marks = case.scenario.marks(case.wording.words, trial, outcome)
    quotes = case.scenario.quotes(trial, reply)
    return View(item.nodeid, excerpts(trial.user, marks), reply.text, quotes)
