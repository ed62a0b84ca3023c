"""Measuring: the trials of a case are replayed and judged, and each becomes a row with its view."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from longctx.engine.rows import rows_of, unmeasured_row
from longctx.errors import TapeError, UserError
from longctx.functions.trial import TestMistake
from longctx.logs import LOG
from longctx.plural import count
from longctx.recording import absence
from longctx.recording.cut_prompts import PROMPT_CUT, CutPrompts, sentence
from longctx.recording.tape import Tape, Wanted
from longctx.recording.trials import NOT_READ, Ended, Judged, RunTrial, Waiting, run_protocol
from longctx.results.row import EARLY_STOP, Row
from longctx.results.view import View
from longctx.vocabulary.scenario import Kind

if TYPE_CHECKING:
    from longctx.cases.case import Case, Question
    from longctx.engine.finish import Finished
    from longctx.engine.run import Run
    from longctx.gate.verdict import RunVerdict
    from longctx.summary.summary import Summary


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
    errors: Sequence[BaseException] = ()
    """The test's own errors and mistakes, of which a judge that cannot be read is none."""
    skipped: str = ""
    """Why the test left a trial out, if it did."""
    unrecorded: bool = False
    """Whether nothing was ever recorded of it, and nothing failed."""

    @property
    def failed(self) -> str:
        """A sentence on the trials that ended with an error of the test itself; empty if none did."""
        if not self.errors:
            return ""
        error = self.errors[0]
        what = str(error) if isinstance(error, UserError | TestMistake) else f"{type(error).__name__}: {error}"
        return f"{self.case.id}: {count(len(self.errors), 'trial')} ended with an error of the test: {what}"

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

    def __init__(self, run: Run, tape: Tape | None = None) -> None:
        self._run, self._tape = run, tape or run.answers()

    def measure(self, case: Case, test: str = "", run_trial: RunTrial | None = None) -> MeasuredCase:
        """Run each trial of a case against what is recorded.

        Args:
            test: The id of its test, which views carry.
            run_trial: Runs a trial; by default it is one of a protocol.
        """
        try:
            return self._measured(case.fitted(), test, run_trial or functools.partial(run_protocol, self._tape))
        except UserError as error:
            kind: Kind = "infra_error" if isinstance(error, TapeError) else "not_asked"
            failures = (self._run.unasked.get(question.key) for question in case.questions())
            failure = next(filter(None, failures), None) or {"cause": error.code, "message": str(error)}
            rows = [unmeasured_row(self._run, question, kind, failure["cause"]) for question in case.questions()]
            unrecorded = failure["cause"] == "prompt-set-not-measured" and not self._has_any(case)
            return MeasuredCase(case, rows, [View(test)] * len(rows), problem=failure["message"], unrecorded=unrecorded)

    def _has_any(self, case: Case) -> bool:
        return self._tape.has_any(case.file, case.model.model)

    def _measured(self, case: Case, test: str, run_trial: RunTrial) -> MeasuredCase:
        run, tape = self._run, self._tape
        rows: list[Row] = []
        views: list[View] = []
        absent: list[Wanted] = []
        failed: list[str] = []
        ended: list[Ended] = []
        prompts = CutPrompts()
        judged: dict[str, tuple[Question, slice]] = {}
        changed: Callable[[Wanted], str] | None = None
        for question in case.questions():
            shown = View(test)
            if failure := run.unasked.get(question.key):  # an older answer is not used in place of one that failed
                kind: Kind = "not_asked" if failure["fatal"] else "infra_error"
                of_trial = [unmeasured_row(run, question, kind, failure["cause"])]
                failed += [failure["message"]] if failure["cause"] != EARLY_STOP else []
            else:
                result = run_trial(question)
                of_trial = rows_of(run, tape, question, result)
                match result:
                    case Judged():
                        shown = result.view(test)
                        judged[question.key] = question, slice(len(rows), len(rows) + len(of_trial))
                        for exchange in result.exchanges:
                            if exchange.reply:
                                prompts.add(question.key, exchange.model, exchange.body, exchange.reply.input_tokens)
                    case Waiting():
                        status = of_trial[0].error
                        absent.append(next(wanted for wanted in result.requests if tape.status(wanted) == status))
                        changed = result.changed
                    case Ended():
                        ended.append(result)
            rows += of_trial
            views += [shown, *(View(test) for _ in of_trial[1:])][: len(of_trial)]
        LOG.debug("replayed %s: %d rows, %d without an answer", case.id, len(rows), len(absent))
        cut = prompts.found()
        for question, place in reversed([judged[key] for key in judged if key in cut]):
            rows[place], views[place] = [unmeasured_row(run, question, "infra_error", PROMPT_CUT)], [View(test)]
        unread = sum(one.cause == NOT_READ for one in ended)
        problems = [
            absence.sentence(case, tape, absent, failed, changed) if absent or failed else "",
            _not_read(case, unread) if unread else "",
            sentence(case.model.model, cut, case.size) if cut else "",
        ]
        return MeasuredCase(
            case,
            rows,
            views,
            case.scenario.run_facts,
            " ".join(filter(None, problems)),
            [one.error for one in ended if one.kind == "error" and one.error],
            next((one.why for one in ended if one.kind == "skipped"), ""),
            unrecorded=bool(absent) and len(absent) == case.size and not self._has_any(case),
        )


@dataclass(frozen=True, slots=True, repr=False)
class Measurement:
    """What a run measured: `rows`, one a trial, and what can be made of them."""

    run: Run
    cases: Sequence[MeasuredCase]

    def __repr__(self) -> str:
        """Return a line for each test and model, as `passkey, my-model, prompts mine: 1.00 [0.72, 1.00] n=10`."""
        from longctx.summary.families import families

        measured = families(self.summary.scenarios)
        return "\n".join(f"{each.family}, {each.subject}: {each.rate}" for each in measured) or "nothing was measured"

    @property
    def rows(self) -> list[Row]:
        return [row for case in self.cases for row in case.rows]

    @property
    def problems(self) -> list[str]:
        """Why trials were not measured, a sentence for each case that lacks any."""
        return [sentence for case in self.cases for sentence in (case.problem, case.failed) if sentence]

    @property
    def summary(self) -> Summary:
        """The rate of each scenario, and each family's own analysis."""
        from longctx.engine.finish import manifest_of
        from longctx.summary.summary import summarize

        manifest = manifest_of(self.run, self.rows, self.facts)
        run = self.run
        return summarize(
            self.rows, manifest.prices_of, manifest.sent_as, run.plan.families, manifest.facts, run.reports
        )

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


def _not_read(case: Case, number: int) -> str:
    return (
        f"{case.model.model} was sent {count(number, 'trial')} in the shape {case.shape!r}, and by the tokens that its "
        f"server counted it was shown only a part of each: the server leaves out blocks of this kind. Leave out the "
        f"shape {case.shape!r} for this server."
    )
