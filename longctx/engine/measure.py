"""Measuring: the trials of a cell are replayed and judged, and each becomes a row with its view."""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from longctx.cells.cell import Trial
from longctx.errors import TapeError, UserError
from longctx.functions.trial import TestMistake
from longctx.live.cost.money import paid, paid_for_compaction
from longctx.logs import LOG
from longctx.recording.cut_prompts import PROMPT_CUT, CutPrompts, cut_prompts_sentence
from longctx.recording.missing import why_missing
from longctx.recording.part_texts import PartTexts
from longctx.recording.request import Place, parts_of_all
from longctx.recording.tape import Tape
from longctx.recording.trials import NOT_READ, Exchange, Judged, RunTrial, TrialEnd, Waiting, run_protocol
from longctx.results.data_lines import data_lines
from longctx.results.judged_by import digests_by_part
from longctx.results.row import AGREEMENT, EARLY_STOP, GRADED, STALE, THINKING, WITHOUT_TEXT, Row, digest_of_all, total
from longctx.results.sent_texts import SentText, SentTexts, digest_of_name, shortened
from longctx.results.trial_view import View
from longctx.text import count
from longctx.vocabulary.answer import Answer
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import CREDIT, Kind
from longctx.vocabulary.shapes import STRATEGY

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.engine.finish import Finished
    from longctx.engine.run_data import RunData
    from longctx.gate.verdict import RunVerdict
    from longctx.report.verdict_blocks import TextChange
    from longctx.summary.summary import Summary


@dataclass(frozen=True, slots=True)
class MeasuredCell:
    """What a run measured of one cell."""

    cell: Cell
    rows: Sequence[Row]
    views: Sequence[View]
    facts: Mapping[str, int] = field(default_factory=dict)
    """The facts of its cell, such as how many questions a filter kept."""
    texts: Sequence[SentText] = ()
    """The texts that it sent, which its rows name by digests."""
    changes: Sequence[TextChange] = ()
    """What changed since the recording in the first request that is stale, as far as the texts of both are known."""
    problem: str = ""
    """Why a trial was not measured, and how to record it; empty if all were."""
    errors: Sequence[BaseException] = ()
    """The test's own errors and mistakes; an unreadable judge's answer does not count as one."""
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
        return f"{self.cell.id}: {count(len(self.errors), 'trial')} ended with an error of the test: {what}"

    @property
    def own_rows(self) -> list[Row]:
        """The rows of its trials, without those of checks."""
        return [row for row in self.rows if row.test == self.cell.point.test]

    @property
    def left_out(self) -> int:
        """How many trials an early stop left out."""
        return sum(row.error == EARLY_STOP for row in self.rows)


class Measurer:
    """Measures the cells of a run from its recordings, which are read once."""

    def __init__(self, run: RunData, tape: Tape | None = None) -> None:
        self._run, self._tape = run, tape or run.answers()

    def measure(self, cell: Cell, test: str = "", run_trial: RunTrial | None = None) -> MeasuredCell:
        """Run each trial of a cell against what is recorded.

        Args:
            test: The id of its test, which views carry.
            run_trial: Runs a trial; by default it is one of a protocol.
        """
        try:
            if run_trial is None:
                replayed = functools.partial(run_protocol, self._tape)
                return self._measured(cell.fitted(), test, replayed, PartTexts(dict))
            return self._measured(cell.fitted(), test, run_trial, PartTexts(self._tape.rewriting.compared))
        except UserError as error:
            kind: Kind = "infra_error" if isinstance(error, TapeError) else "not_asked"
            failures = (self._run.unasked.get(trial.key) for trial in cell.each_trial())
            failure = next(filter(None, failures), None) or {"cause": error.code, "message": str(error)}
            rows = [unmeasured_row(self._run, trial, kind, failure["cause"]) for trial in cell.each_trial()]
            unrecorded = failure["cause"] == "prompt-set-not-measured" and not self._has_any(cell)
            return MeasuredCell(cell, rows, [View(test)] * len(rows), problem=failure["message"], unrecorded=unrecorded)

    def _has_any(self, cell: Cell) -> bool:
        return self._tape.has_any(cell.file, cell.model.model)

    def _measured(self, cell: Cell, test: str, run_trial: RunTrial, parts: PartTexts) -> MeasuredCell:
        """Measure a cell. parts: reads the texts that it sent."""
        run, tape = self._run, self._tape
        texts = None if run.settings.no_text else SentTexts()
        rows: list[Row] = []
        views: list[View] = []
        absent: list[Place] = []
        failed: list[str] = []
        ended: list[TrialEnd] = []
        prompts = CutPrompts()
        judged: dict[str, tuple[Trial, slice]] = {}
        changed: Callable[[Place], str] | None = None
        changes: Sequence[TextChange] | None = None if texts is not None else ()
        for trial in cell.each_trial():
            shown, key = View(test), trial.key
            if failure := run.unasked.get(key):  # an older answer is not used in place of one that failed
                kind: Kind = "not_asked" if failure["fatal"] else "infra_error"
                trial_rows = [unmeasured_row(run, trial, kind, failure["cause"])]
                failed += [failure["message"]] if failure["cause"] != EARLY_STOP else []
            else:
                result = run_trial(trial)
                trial_rows = rows_of(run, tape, trial, result)
                match result:
                    case Judged():
                        shown = result.view(test)
                        judged[key] = trial, slice(len(rows), len(rows) + len(trial_rows))
                        for exchange in result.exchanges:
                            if exchange.answer:
                                prompts.add(key, exchange.model, exchange.body, exchange.answer.input_tokens)
                        if texts is not None:
                            _note(texts, trial_rows[0], parts, result)
                    case Waiting() if left_out(run, tape, trial, result):
                        trial_rows = [unmeasured_row(run, trial, "not_asked", EARLY_STOP)]
                    case Waiting():
                        status = trial_rows[0].error
                        sent = zip(result.requests, result.bodies, strict=True)
                        place, body = next(each for each in sent if tape.status(each[0]) == status)
                        absent.append(place)
                        changed = result.changed
                        if status == STALE and changes is None:
                            changes = _changes(run, tape, cell, Exchange(place, None, cell.model, body), parts)
                    case TrialEnd():
                        ended.append(result)
            rows += trial_rows
            views += [shown, *(View(test) for _ in trial_rows[1:])][: len(trial_rows)]
        LOG.debug("replayed %s: %d rows, %d without an answer", cell.id, len(rows), len(absent))
        cut = prompts.found()
        for trial, own in reversed([judged[key] for key in judged if key in cut]):
            rows[own], views[own] = [unmeasured_row(run, trial, "infra_error", PROMPT_CUT)], [View(test)]
        unread = sum(one.cause == NOT_READ for one in ended)
        problems = [
            why_missing(cell, tape, absent, failed, changed) if absent or failed else "",
            _not_read(cell, unread) if unread else "",
            cut_prompts_sentence(cell.model.model, cut, cell.size) if cut else "",
        ]
        return MeasuredCell(
            cell,
            rows,
            views,
            cell.point.items.facts,
            tuple(texts or ()),
            changes or (),
            " ".join(filter(None, problems)),
            [one.error for one in ended if one.kind == "error" and one.error],
            next((one.why for one in ended if one.kind == "skipped"), ""),
            unrecorded=bool(absent) and len(absent) == cell.size and not self._has_any(cell),
        )


def _changes(run: RunData, tape: Tape, cell: Cell, stale: Exchange, parts: PartTexts) -> Sequence[TextChange]:
    """Return what changed since the recording in a request that is stale. parts: reads what is sent now."""
    from longctx.engine.changed_since_recording import StaleRequest

    place = stale.place
    texts = [*parts.of_trial(place.parts, [stale], "")]
    both = Both(tape.recorded_parts(place), place.parts)
    return [*run.recorded_texts.changes(StaleRequest(cell, tape.recorded_wording(place), both, texts))]


LONGEST_FIELD = 2000
"""The most characters that are kept of a text in a case."""


def _note(texts: SentTexts, row: Row, parts: PartTexts, judged: Judged) -> None:
    """Add the texts that a trial sent, its case and its strategy."""
    order = f"{row.test} {row.item or format(row.trial, '09d')}"
    texts.update(parts.of_trial(row.request_parts, [each for each in judged.exchanges if each.answer], order))
    digest = digests_by_part(row.judged_by).get("case")
    if judged.case is not None and digest and texts.may_take("case", order):
        lines = data_lines(judged.case, LONGEST_FIELD)
        texts.update([SentText("case", digest, shortened("\n".join(lines)), order)])
    if judged.strategy and STRATEGY in row.labels:
        name = digest_of_name(row.labels[STRATEGY])
        texts.update([SentText("strategy", name, shortened(judged.strategy), order)])


def left_out(run: RunData, tape: Tape, trial: Trial, waiting: Waiting) -> bool:
    """Return whether a trial without an answer is one that the gate which recorded the others was settled without.

    A gate finds this out itself, by its own looks, and a minimum rate needs all trials.
    """
    if run.settings.baseline is not None or trial.cell.min_rate is not None or tape.asks_anew:
        return False
    return all(place.number == 0 for place in waiting.requests) and tape.left_out(trial)


@dataclass(frozen=True, slots=True, repr=False)
class Measurement:
    """What a run measured: `rows`, one per trial, and what follows from them."""

    run: RunData
    cells: Sequence[MeasuredCell]
    """The measured cells, each with its rows."""

    def __repr__(self) -> str:
        """Return a line for each test and model, as `passkey, my-model, prompts mine: 1.00 [0.72, 1.00] n=10`."""
        from longctx.summary.summary import lines

        measured = lines(self.summary)
        return "\n".join(f"{of.test}, {of.subject}: {of.text} n={of.n:,}" for of in measured) or "nothing was measured"

    @property
    def rows(self) -> list[Row]:
        return [row for cell in self.cells for row in cell.rows]

    @property
    def problems(self) -> list[str]:
        """Why trials were not measured, a sentence for each cell that lacks any."""
        return [sentence for cell in self.cells for sentence in (cell.problem, cell.failed) if sentence]

    @property
    def summary(self) -> Summary:
        """The accuracy of each cell, and each test's own analysis."""
        from longctx.engine.finish import manifest_of
        from longctx.summary.summary import summarize

        manifest = manifest_of(self.run, self.rows, self.facts, self.texts)
        run = self.run
        return summarize(self.rows, manifest.prices_of, manifest.sent_as, run.plan.tests, manifest.facts, run.reports)

    @property
    def facts(self) -> dict[str, Mapping[str, int]]:
        """The facts of each cell, by its name in a run."""
        from longctx.results.cell_names import cell_names

        return {name: cell.facts for cell in self.cells if cell.facts for name in cell_names(cell.own_rows)}

    @property
    def texts(self) -> SentTexts:
        """The texts that its tests sent."""
        return SentTexts(sent for cell in self.cells for sent in cell.texts)

    def verdict(self, baseline: str | None = None) -> RunVerdict:
        """Return the gate's verdict on this run. baseline: its name or path; by default that of the settings."""
        from longctx.engine.finish import verdict_on

        return verdict_on(self.run, self.rows, baseline)

    def finish(self) -> Finished:
        """Write the run's folder: its rows, summary, page and, with a baseline, its verdict."""
        from longctx.engine.finish import finish
        from longctx.results import store

        run = self.run
        views = [] if run.settings.no_text else [view for cell in self.cells for view in cell.views]
        store.append(run.folder, store.row_lines(self.rows, views))
        return finish(run, self.facts, self.texts)


def _not_read(cell: Cell, number: int) -> str:
    return (
        f"{cell.model.model} was sent {count(number, 'trial')} in the shape {cell.shape!r}, but by its server's token "
        "counts it read only a part of each: the server drops blocks of this kind. Leave out the shape "
        f"{cell.shape!r} for this server."
    )


ORIGINS = "changed", "new", "asked", "base"
"""Where answers may come from: a trial takes the origin of its least trusted answer."""


def rows_of(run: RunData, tape: Tape, trial: Trial, result: Waiting | Judged | TrialEnd) -> list[Row]:
    """Return the rows of a trial that was run: none if its test skipped it."""
    match result:
        case Judged():
            return measured_rows(run, trial, result)
        case TrialEnd():
            return [] if result.kind == "skipped" else [unmeasured_row(run, trial, "infra_error", result.cause)]
    stale = next((place for place in result.requests if tape.status(place) == "stale"), None)
    if stale is None:
        return [unmeasured_row(run, trial, "not_asked", "missing")]
    from longctx.results.request_parts import parts_that_differ

    parts = parts_that_differ(tape.recorded_parts(stale), stale.parts)
    differ = {name: int(differs) for name, differs in parts.items()}
    return [dataclasses.replace(unmeasured_row(run, trial, "not_asked", STALE), trace=differ)]


def measured_rows(run: RunData, trial: Trial, judged: Judged) -> list[Row]:
    """Return the row of a trial that was judged, and a row of each check, as its own test."""
    row = _measured_row(run, trial, judged)
    rows = [row, *(check_row(row, name, held) for name, held in judged.checks.items())]
    if labelled := [(said, label) for said, label in judged.graded if label is not None]:
        rows.append(_agreement_row(row, labelled, text=not run.settings.no_text))
    return rows


def _agreement_row(row: Row, labelled: Sequence[tuple[str, str]], text: bool) -> Row:
    """Return the row of whether the judge agrees with the human labels of a trial, and where it does not."""
    other = [pair for pair in labelled if pair[0].casefold() != pair[1].casefold()]
    said, labels = ("; ".join(side) for side in zip(*labelled, strict=True))
    why = "; ".join(f"the judge's grade is {said}, and the label {label}" for said, label in other)
    return dataclasses.replace(
        check_row(row, AGREEMENT, not other),
        band=None,
        why=why or None if text else None,
        returned=said if text else None,
        expected=labels if text else None,
    )


def _measured_row(run: RunData, trial: Trial, judged: Judged) -> Row:
    text = not run.settings.no_text
    asked = [(exchange, exchange.answer) for exchange in judged.exchanges if exchange.answer]
    answers = [answer for _, answer in asked]
    own = [answer for exchange, answer in asked if exchange.role == "test"]
    thinking = [answer.thinking_tokens for answer in answers if answer.thinking_tokens is not None]
    cached = [answer.cached_tokens for answer in answers if answer.cached_tokens is not None]
    prices = trial.cell.model.prices
    return Row(
        **identified(run, trial),
        params={**trial.cell.point.params, **judged.params},
        outcome=judged.kind,
        model_returned=", ".join(dict.fromkeys(answer.model for answer in own)),
        answered_by=_answered_by(trial, judged),
        expected=judged.expected if text else None,
        returned=judged.returned if text else None,
        why=judged.why if text else None,
        trace={
            **judged.trace,
            **({THINKING: 1} if any(answer.thought for answer in own) else {}),
            **({WITHOUT_TEXT: 1} if judged.kind == "correct" and own and own[-1].says_nothing else {}),
            **_graded(judged, text),
        },
        lexical=judged.lexical,
        probe=judged.probe,
        **_of_strategy(judged),
        depth=judged.depth,
        distance_from_end=judged.distance_from_end,
        input_tokens=sum(answer.input_tokens for answer in answers),
        cached_tokens=sum(cached) if cached else None,
        cache_write_tokens=sum(answer.cache_write_tokens for answer in answers),
        output_tokens=sum(answer.output_tokens for answer in answers),
        thinking_tokens=sum(thinking) if thinking else None,
        latency_s=total([answer.latency_s for answer in answers]),
        cost_usd=total([paid(exchange.model.prices, answer) for exchange, answer in asked]),
        batch_discount=prices.batch_discount if prices and all(answer.batched for answer in answers) else None,
        stop_reason=own[-1].stop_reason if own else None,
        refusal=next((answer.refusal for answer in own if answer.refusal), None),
        fallback=any(answer.fallback for answer in own),
        source="live" if any(answer.live for answer in answers) else "replayed",
        origin=next((origin for origin in ORIGINS if origin in judged.origins), None),
        recorded_at=max(answer.recorded_at for answer in answers),
        prompt_sha256=digest_of_all([answer.request_sha256 for answer in answers]),
        request_parts=parts_of_all([exchange.place.parts for exchange, _ in asked]),
        documents=judged.documents,
        judged_by=judged.judged_by,
    )


def _answered_by(trial: Trial, judged: Judged) -> dict[str, str]:
    """Return the models that answered, by those that the requests of a trial asked for; nothing if only its own was."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for exchange in judged.exchanges:
        if exchange.role == "test" and exchange.answer:
            model, by = exchange.model, exchange.answer.model
            found[model.model][model.model if by == model.sent_as else by] = None
    return (
        {asked: ", ".join(names) for asked, names in found.items()} if found.keys() - {trial.cell.model.model} else {}
    )


def _graded(judged: Judged, text: bool) -> dict[str, int]:
    """Return the number in the trace that records a judge and its verdict: labelled ones count if all have a label."""
    if all(exchange.role != "judge" for exchange in judged.exchanges):
        return {}
    said = {said for said, label in judged.graded if label is None} or {said for said, _ in judged.graded}
    return {f"{GRADED}: {said.pop()}" if text and len(said) == 1 else GRADED: 1}


def _of_strategy(judged: Judged) -> dict[str, Any]:
    """Return how much of a transcript was kept, and what the strategy cost; nothing without a transcript."""
    if judged.kept is None:
        return {}
    asked = [(exchange, exchange.answer) for exchange in judged.exchanges if exchange.answer]
    costs = [
        (paid if exchange.role == "strategy" else paid_for_compaction)(exchange.model.prices, answer)
        for exchange, answer in asked
        if exchange.role == "strategy" or answer.compactions
    ]
    compacted = any(answer.compactions for _, answer in asked)  # how long that took, the server does not say
    seen, before = judged.kept
    return {
        "retained": round(seen / before, 4) if before else 1.0,
        "strategy_usd": total(costs),
        "strategy_s": None
        if compacted
        else total([answer.latency_s for exchange, answer in asked if exchange.role == "strategy"]),
    }


def check_row(row: Row, name: str, held: bool | float) -> Row:
    """Return the row of a check: its answer is that of the trial's row, which contains tokens, cost and latency.

    held: a number is partial credit.
    """
    partial = isinstance(held, float)
    return dataclasses.replace(
        row,
        test=f"{row.test}.{name}",
        guessing=None,
        outcome="correct" if held == 1 else "wrong",
        why=f"partial credit {held:g}" if partial else None,
        returned=None,
        trace={CREDIT: round(1000 * held)} if partial else {},
        lexical=None,
        input_tokens=None,
        cached_tokens=None,
        cache_write_tokens=None,
        output_tokens=None,
        thinking_tokens=None,
        latency_s=None,
        cost_usd=None,
        strategy_usd=None,
        strategy_s=None,
        source=None,
    )


def foreseen_row(run: RunData, trial: Trial, answer: Answer | None = None) -> Row:
    """Return the row that a question is expected to have: it will be asked, or `answer` is recorded."""
    return Row(
        **identified(run, trial),
        params=trial.cell.point.params,
        outcome="correct",
        model_returned=answer.model if answer else None,
        source="replayed" if answer else "live",
        recorded_at=answer.recorded_at if answer else None,
    )


def unmeasured_row(run: RunData, trial: Trial, kind: Kind, error: str) -> Row:
    return Row(**identified(run, trial), params=trial.cell.point.params, outcome=kind, error=error)


def identified(run: RunData, trial: Trial) -> dict[str, Any]:
    """Return the fields that identify the question and the run."""
    identity, cell = trial.identity, trial.cell
    return {
        "run": run.name,
        "model": cell.model.model,
        "prompt_set": cell.wording.prompt_set,
        "prompt_digest": cell.wording.digest,
        "shape": cell.shape,
        "server": cell.server or None,
        "labels": {**dict(run.settings.labels), **cell.labels},
        "test": identity.test,
        "version": identity.version,
        "cell": identity.cell,
        "seed": identity.seed,
        "trial": identity.trial,
        "item": identity.item,
        "repeat": identity.repeat,
        "band": cell.band if cell.gated else None,
        "guessing": None if identity.test in run.plan.tests else cell.point.declared.guessing,
        "cluster": cell.point.cluster(trial.index) or None,
    }
