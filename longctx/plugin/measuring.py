"""What the `measure` fixture does with a case: replay, judge, record the rows, and fail in a sentence."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from longctx.ask.case import Case, Question
from longctx.ask.money import paid
from longctx.config.folders import CASSETTES
from longctx.errors import TapeError, UserError
from longctx.measure.minimum import Requirement, short_among
from longctx.plugin.grid import with_minimum
from longctx.plugin.properties import Measured
from longctx.plugin.run import RUN, Run
from longctx.results.row import Row
from longctx.results.store import append
from longctx.results.view import View
from longctx.scenarios.base import Kind, Outcome, Reply, Trial
from longctx.scenarios.excerpt import excerpt

if TYPE_CHECKING:
    from longctx.ask.tape import Tape, Wanted

MEASURER = pytest.StashKey["Measurer"]()
FAILURES = "asking.json"
"""In the run's folder, written by the asking pass: why trials could not be asked."""


def measurer(request: pytest.FixtureRequest) -> Callable[[Case], None]:
    """A function for one test that measures a case. The Measurer behind it serves all tests of the process."""
    config = request.config
    if MEASURER not in config.stash:
        config.stash[MEASURER] = Measurer(config.stash[RUN], with_minimum(request.session.items))
    return functools.partial(config.stash[MEASURER].measure, request.node)


class Measurer:
    """Measures the cases of one process from one tape."""

    def __init__(self, run: Run, with_minimum: int) -> None:
        from longctx.ask.tape import Tape

        self._run = run
        self._with_minimum = with_minimum
        self._tape: Tape = Tape(CASSETTES, "none", run.name, run.private)
        failures = run.folder / FAILURES
        self._failures: dict[str, dict[str, Any]] = (
            json.loads(failures.read_text(encoding="utf-8")) if failures.exists() else {}
        )

    def measure(self, item: pytest.Item, case: Case) -> None:
        """Record a row for every trial of the case. The test fails where a trial was not measured (`invalid`), or
        where the rate is shown to lie below the minimum."""
        try:
            rows, views, problem = self._measure(item, case.fitted())
        except UserError as error:
            kind: Kind = "infra_error" if isinstance(error, TapeError) else "not_asked"
            rows, problem = self._none(case, kind, error), str(error)
            views = [View(item.nodeid)] * len(rows)
        append(self._run.folder, self._run.worker, rows, [] if self._run.settings.no_text else views)
        measured = Measured.of(case, rows, minimum=None if problem else case.min_rate)
        measured.attach(item)
        if problem:
            pytest.fail(f"invalid: {problem}", pytrace=False)
        if measured.minimum is not None:
            required = Requirement(measured.rate, measured.minimum)
            if short_among(required, self._with_minimum):
                pytest.fail(str(required), pytrace=False)

    def _measure(self, item: pytest.Item, case: Case) -> tuple[list[Row], list[View], str]:
        from longctx.ask import absence
        from longctx.ask.tape import Wanted

        rows: list[Row] = []
        views: list[View] = []
        absent: list[Wanted] = []
        failed: list[str] = []
        for question in case.questions():
            trial = question.build()
            wanted = Wanted.of(question, trial)
            failure = self._failures.get(question.key)
            # What was asked anew in vain is not measured, though an older answer may be on the tape.
            reply = None if failure else self._tape.reply(wanted)
            if reply is not None:
                outcome = case.scenario.judge(trial, reply)
                rows.append(self._measured(question, trial, reply, outcome))
                views.append(_view(item, question, trial, reply, outcome))
                continue
            views.append(View(item.nodeid))
            absent.append(wanted)
            if failure:
                failed.append(failure["message"])
            kind: Kind = "infra_error" if failure and not failure["fatal"] else "not_asked"
            rows.append(self._unmeasured(question, kind, failure["cause"] if failure else self._tape.status(wanted)))
        return rows, views, absence.sentence(case, self._tape, absent, failed) if absent else ""

    def _none(self, case: Case, kind: Kind, error: Exception) -> list[Row]:
        return [self._unmeasured(question, kind, str(error)) for question in case.questions()]

    def _measured(self, question: Question, trial: Trial, reply: Reply, outcome: Outcome) -> Row:
        text = not self._run.settings.no_text
        distance = trial.distance_from_end
        return Row(
            **self._asked(question),
            params={**question.case.scenario.params, **trial.recorded},
            outcome=outcome.kind,
            model_returned=reply.model,
            expected=trial.expected if text else None,
            returned=outcome.returned if text else None,
            why=outcome.why if text else None,
            trace=outcome.trace if text else {},
            depth=round(trial.depth, 6),
            distance_from_end=round((1 - trial.depth) * reply.input_tokens) if distance is None else distance,
            input_tokens=reply.input_tokens,
            cached_tokens=reply.cached_tokens,
            output_tokens=reply.output_tokens,
            latency_s=reply.latency_s,
            cost_usd=paid(question.case.model.prices, reply),
            stop_reason=reply.stop_reason,
            source="live" if reply.live else "replayed",
            recorded_at=reply.recorded_at,
            prompt_sha256=reply.request_sha256,
        )

    def _unmeasured(self, question: Question, kind: Kind, error: str) -> Row:
        return Row(**self._asked(question), params=question.case.scenario.params, outcome=kind, error=error)

    def _asked(self, question: Question) -> dict[str, Any]:
        identity, case = question.identity, question.case
        return {
            "run": self._run.name,
            "model": case.model.model,
            "prompt_set": case.wording.prompt_set,
            "prompt_digest": case.wording.digest,
            "labels": dict(self._run.settings.labels),
            "family": identity.family,
            "version": identity.version,
            "scenario": identity.scenario,
            "seed": identity.seed,
            "trial": identity.trial,
            "item": identity.item,
            "repeat": identity.repeat,
            "band": case.band if case.scenario.gated else None,
            "cluster": case.scenario.cluster(question.index) or None,
        }


def _view(item: pytest.Item, question: Question, trial: Trial, reply: Reply, outcome: Outcome) -> View:
    case = question.case
    marks = case.scenario.marks(case.wording.words, trial, outcome)
    quotes = case.scenario.quotes(trial, reply)
    return View(item.nodeid, [excerpt(trial.user, mark) for mark in marks], reply.text, quotes)
