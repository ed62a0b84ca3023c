"""The row of a question: measured, foreseen, or with the reason why it was not measured."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from longctx.cases.case import Question
from longctx.live.cost.money import paid, paid_for_compaction
from longctx.recording.parts import in_all
from longctx.recording.trials import Ended, Judged, Waiting
from longctx.results.row import AGREEMENT, GRADED, THINKING, Row
from longctx.vocabulary.scenario import CREDIT, Kind, Reply

if TYPE_CHECKING:
    from longctx.engine.run import Run
    from longctx.recording.tape import Tape

ORIGINS = "changed", "new", "asked", "base"
"""Where answers may come from: a trial takes the origin of its least trusted answer."""


def rows_of(run: Run, tape: Tape, question: Question, result: Waiting | Judged | Ended) -> list[Row]:
    """Return the rows of a trial that was run: none if its test skipped it."""
    match result:
        case Judged():
            return measured_rows(run, question, result)
        case Ended():
            return [] if result.kind == "skipped" else [unmeasured_row(run, question, "infra_error", result.cause)]
    stale = any(tape.status(wanted) == "stale" for wanted in result.requests)
    return [unmeasured_row(run, question, "not_asked", "stale" if stale else "missing")]


def measured_rows(run: Run, question: Question, judged: Judged) -> list[Row]:
    """Return the row of a trial that was judged, and a row of each check, as a family of its own."""
    row = _measured_row(run, question, judged)
    rows = [row, *(check_row(row, name, held) for name, held in judged.checks.items())]
    if labelled := [(said, label) for said, label in judged.graded if label is not None]:
        rows.append(_agreement_row(row, labelled, text=not run.settings.no_text))
    return rows


def _agreement_row(row: Row, labelled: Sequence[tuple[str, str]], text: bool) -> Row:
    """Return the row of whether the judge agrees with the human labels of a trial, and where it does not."""
    other = [pair for pair in labelled if pair[0].casefold() != pair[1].casefold()]
    said, labels = ("; ".join(side) for side in zip(*labelled, strict=True))
    why = "; ".join(f"the judge says {said}, and its label is {label}" for said, label in other)
    return dataclasses.replace(
        check_row(row, AGREEMENT, not other),
        band=None,
        why=why or None if text else None,
        returned=said if text else None,
        expected=labels if text else None,
    )


def _measured_row(run: Run, question: Question, judged: Judged) -> Row:
    text = not run.settings.no_text
    asked = [(exchange, exchange.reply) for exchange in judged.exchanges if exchange.reply]
    replies = [reply for _, reply in asked]
    own = [reply for exchange, reply in asked if exchange.role == "test"]
    thinking = [reply.thinking_tokens for reply in replies if reply.thinking_tokens is not None]
    cached = [reply.cached_tokens for reply in replies if reply.cached_tokens is not None]
    prices = question.case.model.prices
    return Row(
        **identified(run, question),
        params={**question.case.scenario.params, **judged.params},
        outcome=judged.kind,
        model_returned=", ".join(dict.fromkeys(reply.model for reply in own)),
        expected=judged.expected if text else None,
        returned=judged.returned if text else None,
        why=judged.why if text else None,
        trace={
            **judged.trace,
            **({THINKING: 1} if any(reply.thought for reply in own) else {}),
            **_graded(judged, text),
        },
        lexical=judged.lexical,
        probe=judged.probe,
        **_of_strategy(judged),
        depth=judged.depth,
        distance_from_end=judged.distance_from_end,
        input_tokens=sum(reply.input_tokens for reply in replies),
        cached_tokens=sum(cached) if cached else None,
        cache_write_tokens=sum(reply.cache_write_tokens for reply in replies),
        output_tokens=sum(reply.output_tokens for reply in replies),
        thinking_tokens=sum(thinking) if thinking else None,
        latency_s=total([reply.latency_s for reply in replies]),
        cost_usd=total([paid(exchange.model.prices, reply) for exchange, reply in asked]),
        batch_discount=prices.batch_discount if prices and all(reply.batched for reply in replies) else None,
        stop_reason=own[-1].stop_reason if own else None,
        refusal=next((reply.refusal for reply in own if reply.refusal), None),
        fallback=any(reply.fallback for reply in own),
        source="live" if any(reply.live for reply in replies) else "replayed",
        origin=next((origin for origin in ORIGINS if origin in judged.origins), None),
        recorded_at=max(reply.recorded_at for reply in replies),
        prompt_sha256=_digest([reply.request_sha256 for reply in replies]),
        request_parts=in_all([exchange.wanted.parts for exchange, _ in asked]),
        documents=judged.documents,
    )


def _graded(judged: Judged, text: bool) -> dict[str, int]:
    """Return that a judge was asked, and what it said of the trial: a labelled answer counts if all have a label."""
    if all(exchange.role != "judge" for exchange in judged.exchanges):
        return {}
    said = {said for said, label in judged.graded if label is None} or {said for said, _ in judged.graded}
    return {f"{GRADED}: {said.pop()}" if text and len(said) == 1 else GRADED: 1}


def _of_strategy(judged: Judged) -> dict[str, Any]:
    """Return how much of a transcript was kept, and what the strategy cost; nothing without a transcript."""
    if judged.kept is None:
        return {}
    asked = [(exchange, exchange.reply) for exchange in judged.exchanges if exchange.reply]
    costs = [
        (paid if exchange.role == "strategy" else paid_for_compaction)(exchange.model.prices, reply)
        for exchange, reply in asked
        if exchange.role == "strategy" or reply.compactions
    ]
    compacted = any(reply.compactions for _, reply in asked)  # how long that took, the server does not say
    seen, before = judged.kept
    return {
        "retained": round(seen / before, 4) if before else 1.0,
        "strategy_usd": total(costs),
        "strategy_s": None
        if compacted
        else total([reply.latency_s for exchange, reply in asked if exchange.role == "strategy"]),
    }


def total(amounts: Sequence[float | None]) -> float | None:
    """Return the sum of amounts; None if one of them is not known."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


def _digest(requests: Sequence[str]) -> str:
    return requests[0] if len(requests) == 1 else hashlib.sha256("/".join(requests).encode()).hexdigest()


def check_row(row: Row, name: str, held: bool | float) -> Row:
    """Return the row of a check: its answer is that of the trial's row, which holds tokens, cost and latency.

    held: a number is partial credit.
    """
    partial = isinstance(held, float)
    return dataclasses.replace(
        row,
        family=f"{row.family}.{name}",
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


def foreseen_row(run: Run, question: Question, reply: Reply | None = None) -> Row:
    """Return the row that a question is expected to have: it will be asked, or `reply` is recorded."""
    return Row(
        **identified(run, question),
        params=question.case.scenario.params,
        outcome="correct",
        model_returned=reply.model if reply else None,
        source="replayed" if reply else "live",
        recorded_at=reply.recorded_at if reply else None,
    )


def unmeasured_row(run: Run, question: Question, kind: Kind, error: str) -> Row:
    return Row(**identified(run, question), params=question.case.scenario.params, outcome=kind, error=error)


def identified(run: Run, question: Question) -> dict[str, Any]:
    """Return the fields that say which question of which run it is."""
    identity, case = question.identity, question.case
    return {
        "run": run.name,
        "model": case.model.model,
        "prompt_set": case.wording.prompt_set,
        "prompt_digest": case.wording.digest,
        "shape": case.shape,
        "labels": {**dict(run.settings.labels), **case.labels},
        "family": identity.family,
        "version": identity.version,
        "scenario": identity.scenario,
        "seed": identity.seed,
        "trial": identity.trial,
        "item": identity.item,
        "repeat": identity.repeat,
        "band": case.band if case.gated else None,
        "guessing": case.guessing,
        "cluster": case.scenario.cluster(question.index) or None,
    }
