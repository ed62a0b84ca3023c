"""Running a test function for one trial, and the rows of what it measured."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from longctx.cases.case import Case, Question
from longctx.engine.measure import MeasuredCase
from longctx.engine.rows import check_row, identified, unmeasured_row
from longctx.errors import TapeError
from longctx.functions.answer import Answer, JudgeUnreadable, Unparseable, texts
from longctx.functions.ask import AGREEMENT
from longctx.functions.trial import Exchange, FunctionTrial, TestMistake, changed_request
from longctx.live.cost.money import paid, paid_for_compaction
from longctx.recording import absence
from longctx.results.row import EARLY_STOP, Row
from longctx.results.view import View
from longctx.vocabulary.excerpt import AROUND, CUT, Excerpt, excerpts
from longctx.vocabulary.judging import refused
from longctx.vocabulary.scenario import CUT_OFF, Kind, Mark

if TYPE_CHECKING:
    from longctx.engine.run import Run
    from longctx.recording.tape import Tape, Wanted

JUDGE_ERROR = "judge_error"
"""Why a trial is not measured whose judge gave a verdict that cannot be read."""
SHOWN = 1000
"""The most characters of a reason that a row keeps."""
ORIGINS = "changed", "new", "asked", "base"
"""Where answers may come from: a trial is as little known as the least known of its answers."""
Meant = Literal["failed", "skipped"] | None
"""What an exception of the test framework means."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a trial ended."""

    kind: Kind | Literal["suspended", "skipped", "error"]
    why: str = ""
    error: BaseException | None = None
    """The exception that is the test's own error, or the mistake."""


TrialOf = Callable[[Question], FunctionTrial]
"""Returns a trial that has not run yet."""
RunOnce = Callable[[FunctionTrial], Result]
"""Runs the function once for a trial."""


def run(trial: FunctionTrial, call: Callable[[], object], meant: Callable[[BaseException], Meant]) -> Result:
    """Call the function, and judge its trial by how it ends.

    meant: says what an exception of the test framework means.
    """
    error: BaseException | None = None
    try:
        call()
    except BaseException as raised:
        error = next(_leaves(raised))
        if isinstance(error, KeyboardInterrupt):
            raise
    # What was suspended counts, even if the code under test went on without an answer.
    if trial.lacking and not isinstance(error, TestMistake):
        return Result("suspended")
    return _judged(trial, error, meant)


def _judged(trial: FunctionTrial, error: BaseException | None, meant: Callable[[BaseException], Meant]) -> Result:
    if error is not None and meant(error) == "skipped":
        return Result("skipped", str(error))
    if isinstance(error, JudgeUnreadable):
        return Result("infra_error", f"{JUDGE_ERROR}: {error}", error)
    failed = isinstance(error, AssertionError | Unparseable) or (error is not None and meant(error) == "failed")
    if error is not None and not failed:
        return Result("error", str(error), error)
    unmet = [name for name, held in trial.checks.items() if not held]
    if error is None and not unmet:
        return Result("correct")
    why = _first_lines(str(error)) if error is not None else f"failed: {', '.join(unmet)}"
    last = trial.last
    if last and last.stop_reason == "refusal":
        return Result("refusal", f"{refused(last)}; {why}")
    if last and last.stop_reason in CUT_OFF:
        return Result("truncated", f"the last reply was cut off after {last.output_tokens} tokens; {why}")
    return Result("unparseable" if isinstance(error, Unparseable) else "wrong", why)


@dataclass(frozen=True, slots=True)
class MeasuredCell(MeasuredCase):
    """What a run measured of one cell of a test function."""

    errors: Sequence[BaseException] = ()
    """The test's own errors and mistakes, of which a judge that cannot be read is none."""
    skipped: str = ""
    """Why the test left a trial out, if it did."""


def cell(run: Run, tape: Tape, case: Case, trial_of: TrialOf, start: RunOnce, test: str) -> MeasuredCell:
    """Run the function for each trial of a cell, against what is recorded. test: the id of its test."""
    of_cell: list[Row] = []
    views: list[View] = []
    absent: list[Wanted] = []
    failed: list[str] = []
    errors: list[BaseException] = []
    skipped: list[str] = []
    for question in case.questions():
        if failure := run.unasked.get(question.key):
            kind: Kind = "not_asked" if failure["fatal"] else "infra_error"
            of_cell.append(unmeasured_row(run, question, kind, failure["cause"]))
            views.append(View(test))
            failed += [failure["message"]] if failure["cause"] != EARLY_STOP else []
            continue
        trial = trial_of(question)
        try:
            result = start(trial)
        except TapeError as error:
            result = Result("error", str(error), error)
        if result.kind == "skipped":
            skipped.append(result.why)
            continue
        if result.kind == "suspended":
            lacking = [lacking.wanted for lacking in trial.lacking]
            status = "stale" if any(tape.status(wanted) == "stale" for wanted in lacking) else "missing"
            of_cell.append(unmeasured_row(run, question, "not_asked", status))
            views.append(View(test))
            absent.append(next(wanted for wanted in lacking if tape.status(wanted) == status))
            continue
        if result.kind == "error" and result.error is not None:
            errors.append(result.error)
        measured = rows(run, trial, result)
        of_cell += measured
        views += [view(trial, test), *(View(test) for _ in measured[1:])]
    problem = absence.sentence(case, tape, absent, failed, changed_request) if absent or failed else ""
    return MeasuredCell(case, of_cell, views, problem=problem, errors=errors, skipped=next(iter(skipped), ""))


def rows(run: Run, trial: FunctionTrial, result: Result) -> list[Row]:
    """Return the row of a trial that ran to its end, and a row of each check, as a family of its own."""
    if result.kind not in ("correct", "wrong", "unparseable", "refusal", "truncated"):
        cause = JUDGE_ERROR if isinstance(result.error, JudgeUnreadable) else type(result.error).__name__
        return [unmeasured_row(run, trial.question, "infra_error", cause)]
    row = _row(run, trial, result)
    checks = [check_row(row, name, held) for name, held in trial.checks.items()]
    return [row, *checks, *_agreement(row, trial, text=not run.settings.no_text)]


def _row(run: Run, trial: FunctionTrial, result: Result) -> Row:
    text = not run.settings.no_text
    asked = [(exchange, exchange.reply) for exchange in trial.exchanges if exchange.reply]
    replies = [reply for _, reply in asked]
    own = [exchange.reply for exchange in trial.answers if exchange.reply]
    costs = [paid(exchange.model.prices, reply) for exchange, reply in asked]
    latencies = [reply.latency_s for reply in replies]
    thinking = [reply.thinking_tokens for reply in replies if reply.thinking_tokens is not None]
    cached = [reply.cached_tokens for reply in replies if reply.cached_tokens is not None]
    origins = {trial.tape.origin(exchange.wanted) for exchange in trial.exchanges}
    depth, distance = _place(trial)
    return Row(
        **identified(run, trial.question),
        params=trial.case.scenario.params,
        outcome=result.kind,  # type: ignore[arg-type]  # `rows` passes measured ones alone
        model_returned=", ".join(dict.fromkeys(reply.model for reply in own)),
        returned=own[-1].text[:SHOWN] if text and own else None,
        why=result.why or None if text else None,
        trace={name: int(held) for name, held in trial.checks.items()} | trial.counted,
        lexical=trial.lexical,
        probe=trial.probe or None,
        **_of_strategy(trial),
        depth=depth,
        distance_from_end=distance,
        input_tokens=sum(reply.input_tokens for reply in replies),
        cached_tokens=sum(cached) if cached else None,
        cache_write_tokens=sum(reply.cache_write_tokens for reply in replies),
        output_tokens=sum(reply.output_tokens for reply in replies),
        thinking_tokens=sum(thinking) if thinking else None,
        latency_s=None if None in latencies else sum(filter(None, latencies)),
        cost_usd=None if None in costs else sum(filter(None, costs)),
        stop_reason=own[-1].stop_reason if own else None,
        refusal=next((reply.refusal for reply in own if reply.refusal), None),
        fallback=any(reply.fallback for reply in own),
        source="live" if any(reply.live for reply in replies) else "replayed",
        origin=next((origin for origin in ORIGINS if origin in origins), None),
        recorded_at=max(reply.recorded_at for reply in replies),
        prompt_sha256=_digest([reply.request_sha256 for reply in replies]),
    )


def _of_strategy(trial: FunctionTrial) -> dict[str, Any]:
    """Return how much of a transcript was kept, and what the strategy cost; nothing without a transcript."""
    if trial.kept is None:
        return {}
    asked = [(exchange.model.prices, exchange.reply) for exchange in trial.exchanges if exchange.reply]
    own = [reply for exchange in trial.exchanges if exchange.of_strategy and (reply := exchange.reply)]
    costs = [
        paid(prices, reply) if reply in own else paid_for_compaction(prices, reply)
        for prices, reply in asked
        if reply in own or reply.compactions
    ]
    latencies = [reply.latency_s for reply in own]
    compacted = any(reply.compactions for _, reply in asked)  # how long that took, the server does not say
    seen, before = trial.kept
    return {
        "retained": round(seen / before, 4) if before else 1.0,
        "strategy_usd": None if None in costs else sum(filter(None, costs)),
        "strategy_s": None if compacted or None in latencies else sum(filter(None, latencies)),
    }


def _agreement(row: Row, trial: FunctionTrial, text: bool) -> Iterator[Row]:
    """Yield the row of the judge's agreement with human labels, if any were given. No gate judges it."""
    if not trial.labelled:
        return
    other = [pair for pair in trial.labelled if str(pair[0]).casefold() != str(pair[1]).casefold()]
    why = "; ".join(f"the judge says {said}, and its label is {label}" for said, label in other) or None
    yield dataclasses.replace(check_row(row, AGREEMENT, not other), band=None, why=why if text else None)


def _place(trial: FunctionTrial) -> tuple[float | None, int | None]:
    """Return the depth of the needle in the first request that holds it, and the tokens after it.

    Of a probe of a transcript, it is the place in the transcript, whatever the strategy kept.
    """
    if trial.depth is not None:
        return round(trial.depth, 6), None
    for exchange in trial.answers:
        text = _asked(exchange)
        places = [place for needle in trial.needles if (place := text.find(needle)) >= 0]
        if places and exchange.reply:
            depth = places[0] / len(text)
            return round(depth, 6), round((1 - depth) * exchange.reply.input_tokens)
    return None, None


def view(trial: FunctionTrial, test: str) -> View:
    """Return the conversation of a trial: what each request adds, with the needles marked, and each reply."""
    parts: list[Excerpt] = []
    before: list[Any] = []
    if trial.answers and (system := trial.answers[0].body.get("system")):
        parts.append(Excerpt(("system prompt",), 1, (("", _cut(texts(system))),)))
    for number, exchange in enumerate(trial.answers, start=1):
        messages = exchange.body["messages"]
        goes_on = len(messages) > len(before) and messages[: len(before)] == before
        new = messages[len(before) :] if goes_on else messages
        added = "\n\n".join(texts(turn["content"]) for turn in new if turn["role"] == "user")
        before = messages
        marks = [
            Mark("needle", place, place + len(needle))
            for needle in dict.fromkeys(trial.needles)
            if (place := added.find(needle)) >= 0
        ]
        parts.append(Excerpt((f"request {number}",), 1, (("", _cut(added)),)))
        parts += excerpts(added, marks)
        if number < len(trial.answers):
            parts.append(Excerpt((f"reply {number}",), 1, (("", _cut(_reply_text(exchange))),)))
    for number, exchange in enumerate((each for each in trial.exchanges if each.of_judge), start=1):
        parts.append(Excerpt((f"to the judge, {number}",), 1, (("", _cut(_asked(exchange))),)))
        parts.append(Excerpt((f"of the judge, {number}",), 1, (("", _cut(_reply_text(exchange))),)))
    if trial.checks:
        held = "\n".join(f"{name}: {'holds' if held else 'fails'}" for name, held in trial.checks.items())
        parts.append(Excerpt(("checks",), 1, (("", held),)))
    return View(test, parts, _reply_text(trial.answers[-1]) if trial.answers else None)


def _reply_text(exchange: Exchange) -> str:
    """Return the reply as people read it: its text, and the tools that it calls."""
    answer = Answer(exchange.message)
    calls = [f"[calls {use.get('name')}({use.get('input')})]" for use in answer.tool_uses]
    return "\n".join(filter(None, [answer.text, *calls]))


def _asked(exchange: Exchange) -> str:
    return "\n\n".join(texts(turn["content"]) for turn in exchange.body["messages"])


def _cut(text: str) -> str:
    return text if len(text) <= 4 * AROUND else f"{text[: 2 * AROUND]}{CUT}{text[-2 * AROUND :]}"


def _digest(requests: list[str]) -> str:
    return requests[0] if len(requests) == 1 else hashlib.sha256("/".join(requests).encode()).hexdigest()


def _first_lines(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions in a group, as a TaskGroup raises them: a mistake first, then other errors."""
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    leaves = [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    yield from sorted(leaves, key=lambda leaf: not isinstance(leaf, TestMistake))
