"""The row of a question: measured, foreseen, or with the reason why it was not measured."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from longctx.cases.case import Question
from longctx.live.cost.money import paid
from longctx.results.row import Row
from longctx.vocabulary.scenario import Kind, Outcome, Reply, Trial

if TYPE_CHECKING:
    from longctx.engine.run import Run


def measured_row(
    run: Run, question: Question, trial: Trial, reply: Reply, outcome: Outcome, origin: str | None = None
) -> Row:
    text = not run.settings.no_text
    distance, prices = trial.distance_from_end, question.case.model.prices
    return Row(
        **identified(run, question),
        params={**question.case.scenario.params, **trial.recorded},
        outcome=outcome.kind,
        model_returned=reply.model,
        expected=trial.expected if text else None,
        returned=outcome.returned if text else None,
        why=outcome.why if text else None,
        trace=outcome.trace if text else {},
        lexical=question.case.scenario.lexical(trial),
        depth=round(trial.depth, 6),
        distance_from_end=round((1 - trial.depth) * reply.input_tokens) if distance is None else distance,
        input_tokens=reply.input_tokens,
        cached_tokens=reply.cached_tokens,
        cache_write_tokens=reply.cache_write_tokens,
        output_tokens=reply.output_tokens,
        thinking_tokens=reply.thinking_tokens,
        latency_s=reply.latency_s,
        cost_usd=paid(prices, reply),
        batch_discount=prices.batch_discount if prices and reply.batched else None,
        stop_reason=reply.stop_reason,
        refusal=reply.refusal or None,
        fallback=reply.fallback,
        source="live" if reply.live else "replayed",
        recorded_at=reply.recorded_at,
        origin=origin,
        prompt_sha256=reply.request_sha256,
        documents=trial.documents or None,
    )


def check_row(row: Row, name: str, held: bool) -> Row:
    """Return the row of a check: its answer is that of the trial's row, which holds tokens, cost and latency."""
    return dataclasses.replace(
        row,
        family=f"{row.family}.{name}",
        outcome="correct" if held else "wrong",
        why=None,
        returned=None,
        trace={},
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
        "cluster": case.scenario.cluster(question.index) or None,
    }
