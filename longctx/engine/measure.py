"""Measuring: the trials of a case are replayed and judged, and each becomes a row with its view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from longctx.engine.rows import check_row, measured_row, unmeasured_row
from longctx.errors import TapeError, UserError
from longctx.plural import count
from longctx.recording import absence
from longctx.recording.tape import Wanted
from longctx.results.row import EARLY_STOP, Row
from longctx.results.view import View
from longctx.vocabulary.excerpt import excerpts
from longctx.vocabulary.scenario import Kind, Outcome, Reply, Trial
from longctx.vocabulary.shapes import CITATIONS, judged_citations

if TYPE_CHECKING:
    from longctx.cases.case import Case, Question
    from longctx.engine.finish import Finished
    from longctx.engine.run import Run
    from longctx.gate.verdict import RunVerdict
    from longctx.summary.summary import Summary


NOT_READ = "context_not_read"
"""The cause of trials whose blocks the server left out."""
MOST_CHARACTERS_A_TOKEN = 10
"""More characters than the tokens of any text have on average."""


@dataclass(frozen=True, slots=True)
class MeasuredCase:
    """What a run measured of one case."""

    case: Case
    rows: Sequence[Row]
    views: Sequence[View]
    facts: Mapping[str, int] = field(default_factory=dict)
    """The facts of its scenario, such as how many questions a filter kept."""
    problem: str = ""
    """Why a trial was not measured, and how to record it; empty if all were."""

    @property
    def own_rows(self) -> list[Row]:
        """The rows of its trials, without those of checks."""
        return [row for row in self.rows if row.family == self.case.scenario.family]

    @property
    def left_out(self) -> int:
        """How many trials an early stop left out."""
        return sum(row.error == EARLY_STOP for row in self.rows)


class Measurer:
    """Measures the cases of a run from its recordings, which are read once."""

    def __init__(self, run: Run) -> None:
        self._run, self._tape = run, run.tape()
        self._failures: Mapping[str, Mapping[str, Any]] = run.unasked

    def measure(self, case: Case, test: str = "") -> MeasuredCase:
        """Replay and judge each trial of the case. test: the id of its test, which views carry."""
        try:
            return self._replayed(case.fitted(), test)
        except UserError as error:
            kind: Kind = "infra_error" if isinstance(error, TapeError) else "not_asked"
            failures = (self._failures.get(question.key) for question in case.questions())
            failure = next(filter(None, failures), None) or {"cause": error.code, "message": str(error)}
            rows = [unmeasured_row(self._run, question, kind, failure["cause"]) for question in case.questions()]
            return MeasuredCase(case, rows, [View(test)] * len(rows), problem=failure["message"])

    def _replayed(self, case: Case, test: str) -> MeasuredCase:
        rows: list[Row] = []
        views: list[View] = []
        absent: list[Wanted] = []
        failed: list[str] = []
        unread = 0
        for question in case.questions():
            failure = self._failures.get(question.key)
            if failure and failure["cause"] == EARLY_STOP:
                # An earlier recorded answer is not used either: the verdict covers only what this run looked at.
                rows.append(unmeasured_row(self._run, question, "not_asked", EARLY_STOP))
                views.append(View(test))
                continue
            trial = question.build()
            wanted = Wanted.of(question, trial)
            # A trial that was asked again without success is not measured, even if there is an older answer.
            reply = None if failure else self._tape.reply(wanted)
            if reply is not None and trial.context is not None and not was_read(trial.user, reply):
                rows.append(unmeasured_row(self._run, question, "infra_error", NOT_READ))
                views.append(View(test))
                unread += 1
                continue
            if reply is not None:
                outcome = case.scenario.judge(trial, reply)
                row = measured_row(self._run, question, trial, reply, outcome, self._tape.origin(wanted))
                checks = {**_checks(trial, reply), **case.scenario.checks(trial, outcome)}
                rows += [row, *(check_row(row, name, held) for name, held in checks.items())]
                views += [_view(test, question, trial, reply, outcome), *(View(test) for _ in checks)]
                continue
            views.append(View(test))
            absent.append(wanted)
            if failure:
                failed.append(failure["message"])
            kind: Kind = "infra_error" if failure and not failure["fatal"] else "not_asked"
            error = failure["cause"] if failure else self._tape.status(wanted)
            rows.append(unmeasured_row(self._run, question, kind, error))
        problem = absence.sentence(case, self._tape, absent, failed) if absent else ""
        if unread:
            problem = " ".join(filter(None, [problem, _not_read(case, unread)]))
        return MeasuredCase(case, rows, views, case.scenario.run_facts, problem)


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a run measured: `rows`, one a trial, and what can be made of them."""

    run: Run
    cases: Sequence[MeasuredCase]

    @property
    def rows(self) -> list[Row]:
        return [row for case in self.cases for row in case.rows]

    @property
    def problems(self) -> list[str]:
        """Why trials were not measured, a sentence for each case that lacks any."""
        return [case.problem for case in self.cases if case.problem]

    @property
    def summary(self) -> Summary:
        """The rate of each scenario, and each family's own analysis."""
        from longctx.engine.finish import manifest_of
        from longctx.summary.summary import summarize

        manifest = manifest_of(self.run, self.rows, self.facts)
        return summarize(self.rows, manifest.prices_of, manifest.sent_as, self.run.plan.families, manifest.facts)

    @property
    def facts(self) -> dict[str, Mapping[str, int]]:
        """The facts of each scenario, by its name in a run."""
        from longctx.results.completeness import scenarios_of

        return {name: case.facts for case in self.cases if case.facts for name in scenarios_of(case.own_rows)}

    def verdict(self, baseline: str | None = None) -> RunVerdict:
        """Return the gate's verdict on this run. baseline: its name or path; by default that of the settings."""
        from longctx.engine.finish import verdict_on

        return verdict_on(self.run, self.rows, baseline)

    def finish(self) -> Finished:
        """Write the run's folder: its rows, summary, page and, with a baseline, its verdict."""
        from longctx.engine.finish import finish
        from longctx.results import store

        run = self.run
        views = [] if run.settings.no_text else [view for case in self.cases for view in case.views]
        store.append(run.folder, store.as_lines(self.rows, views))
        return finish(run, self.facts)


def was_read(text: str, reply: Reply) -> bool:
    """Return whether a server can have read a context with this text, by the tokens that it counted."""
    return len(text) <= reply.input_tokens * MOST_CHARACTERS_A_TOKEN


def _not_read(case: Case, number: int) -> str:
    return (
        f"{case.model.model} was sent {count(number, 'trial')} in the shape {case.shape!r}, and by the tokens that its "
        f"server counted it was shown only a part of each: the server leaves out blocks of this kind. Leave out the "
        f"shape {case.shape!r} for this server."
    )


def _checks(trial: Trial, reply: Reply) -> dict[str, bool]:
    """Return the checks of a reply that are judged apart from its answer: those of its citations."""
    if trial.shape != CITATIONS or trial.context is None:
        return {}
    return judged_citations(trial.context, reply.citations)


def _view(test: str, question: Question, trial: Trial, reply: Reply, outcome: Outcome) -> View:
    case = question.case
    marks = case.scenario.marks(case.wording.words, trial, outcome)
    quotes = case.scenario.quotes(trial, reply)
    return View(test, excerpts(trial.user, marks), reply.text, quotes)
