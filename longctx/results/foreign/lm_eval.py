"""Samples of lm-evaluation-harness: `samples_TASK_TIME.jsonl`, as --log_samples writes them.

Source: lm_eval/evaluator.py and lm_eval/tasks/ruler/common_utils.py of version 0.4.13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from longctx.results.foreign.choice import Choice
from longctx.results.foreign.result import ForeignResult
from longctx.results.foreign.values import plain, question_in, shown

OTHER_LENGTH = -1
"""What RULER's tasks write under each length but that of the sample: their metrics are named by lengths."""


class _Sample(BaseModel):
    model_config = ConfigDict(extra="allow")

    doc_id: int
    doc: Any
    filter: str = "none"
    metrics: list[str] | None = Field(default=None, fail_fast=True)
    """The names of its metrics, each of which is a field; older versions do not list them."""
    doc_hash: str | None = None


def results(record: Mapping[str, Any], choice: Choice) -> Iterator[ForeignResult]:
    """Yield the results of a sample, one for each metric. Raises ValueError."""
    sample = _Sample.model_validate(record)
    fields = sample.model_extra or {}
    doc = sample.doc if isinstance(sample.doc, dict) else {}
    named = choice.read(doc)
    for metric in sample.metrics or [name for name, value in fields.items() if isinstance(value, int | float)]:
        is_length = metric.isdecimal()
        if is_length and fields.get(metric) == OTHER_LENGTH:
            continue
        result = ForeignResult(
            id=str(sample.doc_id),
            of={"filter": sample.filter} if is_length else {"filter": sample.filter, "metric": metric},
            value=plain(fields.get(metric)),
            band=metric if is_length else "all",
            answer=_answer(fields),
            expected=shown(fields.get("target")),
            question=question_in(doc),
            document=sample.doc_hash,
        )
        yield replace(result, **named)


def _answer(fields: Mapping[str, Any]) -> str | None:
    """Return what was generated; None of a task that compares likelihoods."""
    for name in ("filtered_resps", "resps"):
        first = fields.get(name)
        while isinstance(first, list) and first:
            first = first[0]
        if isinstance(first, str):
            return shown(first)
    return None
